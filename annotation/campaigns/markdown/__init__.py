"""Markdown in items: read into a tree of what it means, which each surface shows in its own way."""
