"""Marking parts of a text in a chat: its sentences and words, what was chosen so far, and the screens that ask for it.

Nothing here knows of Telegram's updates or of the database.
"""
