"""Methods about the webhook, and what all ways of delivery share."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from bot.emulator.calls import Call, bad_request
from bot.emulator.state import Hook, State
from bot.emulator.updates import DEFAULT

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def set_webhook(state: State, call: Call) -> Any:
    """Send updates to an address from now on; an empty one ends it."""
    url, secret = call.text("url"), call.text("secret_token")
    if secret and not re.fullmatch(r"[A-Za-z0-9_\-]{1,256}", secret):
        raise bad_request("secret token contains unallowed characters")
    if url and _host(url) not in _LOOPBACK:
        raise bad_request("bad webhook: the local Telegram sends to loopback addresses only")
    connections = call.number("max_connections", 40)
    if not 1 <= connections <= 100:
        raise bad_request("bad webhook: max_connections must be between 1 and 100")
    _pending(state, call)
    remember(state, call)
    state.hook, state.hook_error = (Hook(url, secret, connections) if url else None), None
    for tell in tuple(state.queue.arrived):
        tell()
    return True


def delete_webhook(state: State, call: Call) -> Any:
    """Back to polling."""
    _pending(state, call)
    state.hook = None
    return True


def get_webhook_info(state: State, _: Call) -> Any:
    """Where updates go, how many wait, and the last thing that went wrong."""
    state.queue.expire(state.clock())
    hook = state.hook
    info: dict[str, Any] = {"url": hook.url if hook else "", "has_custom_certificate": False}
    info["pending_update_count"] = len(state.queue.waiting)
    if hook is not None:
        info |= {"max_connections": hook.connections, "ip_address": "127.0.0.1"}
        if state.queue.allowed != DEFAULT:
            info["allowed_updates"] = sorted(state.queue.allowed)
    if hook is not None and state.hook_error is not None:
        info |= {"last_error_date": int(state.hook_error[1]), "last_error_message": state.hook_error[0]}
    return info


def remember(state: State, call: Call) -> None:
    """`allowed_updates` holds until it is given again, and only for updates still to be made."""
    if call.values.get("allowed_updates") is None:
        return
    wanted = {str(kind) for kind in call.rows("allowed_updates")}
    state.queue.allowed = frozenset(wanted & DEFAULT) if wanted else DEFAULT


def _host(url: str) -> str | None:
    """The host of an HTTP address, None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None


def _pending(state: State, call: Call) -> None:
    if call.flag("drop_pending_updates"):
        state.queue.waiting.clear()
