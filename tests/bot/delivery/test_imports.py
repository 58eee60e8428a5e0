"""The bot's process stays small, and its conversation knows nothing of Telegram's library."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import json, sys
import bot.conversation.notifications, bot.conversation.update_handler
conversation = sorted(sys.modules)
import bot.application, bot.delivery.webhook
print(json.dumps([conversation, sorted(sys.modules)]))
"""
HEAVY = {"pandas", "numpy", "scipy", "sklearn", "crowdkit", "matplotlib", "pyarrow"}


@pytest.mark.process
def test_the_bots_process_loads_nothing_heavy() -> None:
    """Numbers are made elsewhere; the conversation alone needs no library of Telegram either."""
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    conversation, whole = map(set, json.loads(ran.stdout))
    assert not (HEAVY | {"telegram"}) & conversation
    assert not HEAVY & whole
