"""Delivery: updates come in once, what follows from them goes out, whatever dies in between.

An update is stored before it is confirmed (polling, webhook), handled in one transaction with the calls that follow
from it (workers), and these are made after the commit (outbox).
"""
