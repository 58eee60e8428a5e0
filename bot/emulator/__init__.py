"""A Telegram of our own: one strict state machine with two fronts, for tests, for trying a campaign, for benchmarks.

It imports nothing else of `bot`. `telegram.Telegram` is the state machine, `request.LocalRequest` the front for
python-telegram-bot in this process, `server.Server` the front for everything that speaks HTTP, browsers included.
"""
