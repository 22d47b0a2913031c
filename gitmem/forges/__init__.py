"""The git hosts' APIs, for the bot that reports on pull requests."""
