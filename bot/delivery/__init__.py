"""Delivery: every update is handled once, and the calls that answer it are made, even if a process dies in between.

An update is stored in the inbox before it is confirmed to Telegram (`polling`, `webhook`), and handled in one
transaction that stores the calls to make in the outbox (`workers`). They are made after the commit (`sender`).

Words used here:

- *outbox message*: one row of the outbox, with calls for one chat. It is held by the process that makes its calls.
- *repeatable*: the calls may be made twice, where it is not known whether the first attempt succeeded.
- *paced*: not sent before the rate limit allows it, as notifications. Answers to updates are never paced.
- *receipt*: the note that an outbox message was sent, until a transaction deletes the row.
"""
