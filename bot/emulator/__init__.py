"""A local Telegram server with one bot, as strict as the real one: for tests, `hromada try`, the demo, benchmarks.

It imports nothing else of `bot`. `telegram.Telegram` is the state machine, `request.LocalRequest` the front end
for python-telegram-bot in this process, `server.Server` the one for HTTP clients, browsers included.
"""
