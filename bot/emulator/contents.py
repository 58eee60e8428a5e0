"""From a call's parameters to what a message will say: lengths counted after the markup is read."""

from __future__ import annotations

from bot.emulator import files, keyboards
from bot.emulator.calls import Call, bad_request
from bot.emulator.entities import Entity, Text, given, html, markdown, trimmed
from bot.emulator.entities.detected import detect
from bot.emulator.model import Content, File

MOST_TEXT, MOST_CAPTION, MOST_RAW = 4096, 1024, 32_768
"""Code points after the markup is read, twice; and bytes before."""


def message(call: Call) -> Content:
    """The content of a text message; raises Refused."""
    raw = call.text("text")
    if not raw:
        raise bad_request("message text is empty")
    text = _formatted(call, raw, "entities")
    if not text.text:
        raise bad_request("message text is empty")
    if len(text.text) > MOST_TEXT:
        raise bad_request("message is too long")
    return Content(text, keyboards.read(call.table("reply_markup")))


def caption(call: Call) -> Text:
    """The words under a file, which may be none."""
    text = _formatted(call, call.text("caption"), "caption_entities")
    if len(text.text) > MOST_CAPTION:
        raise bad_request("message caption is too long")
    return text


def uploaded(call: Call, known: dict[str, File], kind: str) -> Content:
    """A document or a photo: sent along, or one that the server has already."""
    reference = str(call.values.get(kind) or "")
    upload = call.files.get(reference.removeprefix("attach://")) or call.files.get(kind)
    if upload is not None:
        file = files.stored(known, upload, photo=kind == "photo")
    elif reference in known:
        file = known[reference]
    elif reference.startswith(("http://", "https://")):
        raise bad_request("failed to get HTTP URL content")
    elif reference:
        raise bad_request("wrong file identifier/HTTP URL specified")
    else:
        raise bad_request(f"there is no {kind} in the request")
    return Content(caption(call), keyboards.read(call.table("reply_markup")), file)


def _formatted(call: Call, raw: str, listed: str) -> Text:
    if len(raw.encode()) > MOST_RAW:
        raise bad_request("text is too long")
    mode = call.text("parse_mode").lower()
    found: tuple[str, list[Entity]] | tuple[str, tuple[Entity, ...]]
    if mode == "html":
        found = html.parse(raw)
    elif mode == "markdownv2":
        found = markdown.parse(raw)
    elif mode in {"", "none"}:
        found = raw, given(call.tables(listed), raw)
    else:
        raise bad_request("unsupported parse_mode")
    return detect(trimmed(*found))
