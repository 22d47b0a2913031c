"""The only place where concrete classes are chosen and wired."""
