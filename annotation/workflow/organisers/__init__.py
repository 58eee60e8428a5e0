"""Organisers in the chat: what they see of campaigns and people, what they do, what they are told, files they get."""
