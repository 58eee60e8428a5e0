"""Delivery: every update is handled once, and what follows from it is sent, whichever process dies in between.

An update is stored before it is confirmed (polling, webhook), handled in one transaction that stores the calls to make
(workers), and these are made after the commit (sender).
"""
