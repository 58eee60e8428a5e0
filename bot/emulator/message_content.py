"""Parse the content of a message from the parameters of a call; lengths are checked after the markup is parsed."""

from __future__ import annotations

from bot.emulator import files, html_markup, keyboards
from bot.emulator.calls import Call, bad_request
from bot.emulator.entities import FormattedText, detect_entities, parse_entities, trim_text
from bot.emulator.model import Content, File

MAX_TEXT, MAX_CAPTION, MAX_RAW_BYTES = 4096, 1024, 32_768
"""Code points of a text and of a caption after the markup is parsed; bytes of either before."""


def parse_message(call: Call) -> Content:
    """Parse the content of a text message; raises CallRefused."""
    raw = call.text("text")
    if not raw:
        raise bad_request("message text is empty")
    text = _parse_text(call, raw, "entities")
    if not text.text:
        raise bad_request("message text is empty")
    if len(text.text) > MAX_TEXT:
        raise bad_request("message is too long")
    return Content(text, keyboards.parse_markup(call.table("reply_markup")))


def parse_caption(call: Call) -> FormattedText:
    """Parse the caption of a file, which may be empty; raises CallRefused."""
    text = _parse_text(call, call.text("caption"), "caption_entities")
    if len(text.text) > MAX_CAPTION:
        raise bad_request("message caption is too long")
    return text


def parse_upload(call: Call, known: dict[str, File], kind: str) -> Content:
    """Parse a document or a photo: uploaded with the call, or stored already; raises CallRefused."""
    reference = str(call.values.get(kind) or "")
    upload = call.files.get(reference.removeprefix("attach://")) or call.files.get(kind)
    if upload is not None:
        file = files.store_file(known, upload, photo=kind == "photo")
    elif reference in known:
        file = known[reference]
    elif reference.startswith(("http://", "https://")):
        raise bad_request("failed to get HTTP URL content")
    elif reference:
        raise bad_request("wrong file identifier/HTTP URL specified")
    else:
        raise bad_request(f"there is no {kind} in the request")
    return Content(parse_caption(call), keyboards.parse_markup(call.table("reply_markup")), file)


def _parse_text(call: Call, raw: str, entities_name: str) -> FormattedText:
    """Parse HTML, or a plain text whose entities are the parameter of that name; raises CallRefused."""
    if len(raw.encode()) > MAX_RAW_BYTES:
        raise bad_request("text is too long")
    mode = call.text("parse_mode").lower()
    if mode == "html":
        return detect_entities(trim_text(*html_markup.parse_html(raw)))
    if mode in {"", "none"}:
        return detect_entities(trim_text(raw, parse_entities(call.tables(entities_name), raw)))
    raise bad_request("unsupported parse_mode: the local Telegram reads HTML only")
