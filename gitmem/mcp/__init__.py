"""The Model Context Protocol: tools and resources ↔ one service each."""
