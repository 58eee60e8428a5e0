"""Methods of the webhook, and the allowed kinds of updates."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from bot.emulator.calls import Call, bad_request
from bot.emulator.state import State, Webhook
from bot.emulator.updates import UPDATE_KINDS

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def set_webhook(state: State, call: Call) -> Any:
    """Send updates to an address from now on; an empty address ends this."""
    url, secret = call.text("url"), call.text("secret_token")
    if secret and not re.fullmatch(r"[A-Za-z0-9_\-]{1,256}", secret):
        raise bad_request("secret token contains unallowed characters")
    if url and _parse_host(url) not in _LOOPBACK:
        raise bad_request("bad webhook: the local Telegram sends to loopback addresses only")
    connections = call.number("max_connections", 40)
    if not 1 <= connections <= 100:
        raise bad_request("bad webhook: max_connections must be between 1 and 100")
    _drop_pending(state, call)
    store_allowed_updates(state, call)
    state.webhook, state.webhook_error = (Webhook(url, secret, connections) if url else None), None
    for notify in tuple(state.queue.on_arrival):
        notify()
    return True


def delete_webhook(state: State, call: Call) -> Any:
    """Remove the webhook, so that updates can be polled."""
    _drop_pending(state, call)
    state.webhook = None
    return True


def get_webhook_info(state: State, _: Call) -> Any:
    """The address of the webhook, the number of waiting updates, and the last error."""
    state.queue.expire(state.clock())
    hook = state.webhook
    info: dict[str, Any] = {"url": hook.url if hook else "", "has_custom_certificate": False}
    info["pending_update_count"] = len(state.queue.waiting)
    if hook is not None:
        info |= {"max_connections": hook.connections, "ip_address": "127.0.0.1"}
        if state.queue.allowed != UPDATE_KINDS:
            info["allowed_updates"] = sorted(state.queue.allowed)
    if hook is not None and state.webhook_error is not None:
        info |= {"last_error_date": int(state.webhook_error[1]), "last_error_message": state.webhook_error[0]}
    return info


def store_allowed_updates(state: State, call: Call) -> None:
    """Store `allowed_updates`; it holds for new updates, until it is given again."""
    if call.values.get("allowed_updates") is None:
        return
    wanted = {str(kind) for kind in call.rows("allowed_updates")}
    state.queue.allowed = frozenset(wanted & UPDATE_KINDS) if wanted else UPDATE_KINDS


def _parse_host(url: str) -> str | None:
    """The host of an HTTP address, None for other addresses."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in {"http", "https"} else None


def _drop_pending(state: State, call: Call) -> None:
    if call.flag("drop_pending_updates"):
        state.queue.waiting.clear()
