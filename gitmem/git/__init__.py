"""Adapters to git: the local repository, its history, and transports."""
