"""Drafts of project files, made by looking at files of items, votes and gold."""
