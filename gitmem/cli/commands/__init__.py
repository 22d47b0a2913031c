"""The commands as click sees them: words and help; what they do is one call each."""
