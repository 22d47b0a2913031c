"""What each coding agent sends, accepts and is configured with ↔ our values."""
