"""Embedding, vector search and re-ranking, each behind a port; knows nothing of records."""
