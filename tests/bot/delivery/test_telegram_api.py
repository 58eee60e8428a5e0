"""The way out over aiohttp: by the proxy that the environment names, and not where it says otherwise."""

from __future__ import annotations

import pytest
from aiohttp import web

from bot.delivery.telegram_api import AiohttpRequest, TelegramApi

TOKEN, TEXT = "1:a", "Черепаха 🐢 & «слова»"


@pytest.mark.parametrize("address", ["http://telegram.invalid", None], ids=["by the proxy", "straight"])
async def test_a_call_goes_by_the_proxy_that_is_named(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It brings the text as it is."""
    asked: list[str] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        asked.append(request.path_qs)
        return web.json_response({"ok": True, "result": await request.json()})

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    here = f"http://127.0.0.1:{runner.addresses[0][1]}"
    monkeypatch.setenv("http_proxy", here if address else "http://proxy.invalid:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with AiohttpRequest() as way:
        api = TelegramApi(token=TOKEN, base_url=f"{address or here}/bot", request=way, poll_request=way)
        call = {"method": "sendMessage", "data": {"text": TEXT, "disable_notification": True}}
        made = await api.make_call(call, chat_id=7)
    await runner.cleanup()
    assert made == {"text": TEXT, "disable_notification": True, "chat_id": 7}
    assert len(asked) == 1
