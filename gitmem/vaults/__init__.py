"""Folders of Markdown notes: which pages there are, and what is in them."""
