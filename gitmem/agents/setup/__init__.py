"""What each coding agent is configured with, so that it calls `gitmem hook`."""
