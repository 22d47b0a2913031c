"""SQLite: a projection of records and of history, disposable at any moment."""
