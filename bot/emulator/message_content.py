"""Parse the content of a message from the parameters of a call; lengths are checked after the markup is parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.emulator import keyboards, model
from bot.emulator.calls import Call, CallRefused, bad_request
from bot.emulator.entities import Entity, FormattedText, count_units, detect_entities, parse_entities, trim_text
from bot.emulator.model import Content, File

_ENTITY_TYPES = {
    "a": "text_link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "s": "strikethrough",
    "strike": "strikethrough", "del": "strikethrough", "u": "underline", "ins": "underline", "tg-spoiler": "spoiler",
    "span": "spoiler", "tg-emoji": "custom_emoji", "pre": "pre", "code": "code", "blockquote": "blockquote",
}  # fmt: skip
_NAMED_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_CHARACTER = re.compile(r"&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,8})|([a-zA-Z]+));?")
_PLAIN = re.compile(r"[^<&]+")
_NAME = re.compile(r"[^\s>]*")
_ATTRIBUTE = re.compile(r"[^\s=>/\"']*")
_TOKEN = re.compile(r"[0-9a-zA-Z.\-]*")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class _OpenTag:
    """A start tag that is not closed yet: `offset` is its place in UTF-16 units, `start` its index in `pieces`."""

    tag: str
    argument: str
    offset: int
    start: int


def parse_html(text: str) -> tuple[str, list[Entity]]:
    """Parse HTML: the text without tags, and its entities. Raises CallRefused in the words of the real server."""
    return _Parser(text).parse()


class _Parser:
    """One pass over a text; `pieces` are its parts without tags so far, `units` their length in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.pieces: list[str] = []
        self.units = 0
        self.opened: list[_OpenTag] = []
        self.entities: list[Entity] = []

    def parse(self) -> tuple[str, list[Entity]]:
        while self.position < len(self.text):
            character = self.text[self.position]
            if character == "<":
                if self.text.startswith("/", self.position + 1):
                    self._read_end_tag()
                else:
                    self._read_start_tag()
            elif character == "&":
                self._append_text(self._read_reference())
            else:
                self._append_text(self._read_match(_PLAIN))
        if self.opened:
            raise _build_refusal(f'Can\'t find end tag corresponding to start tag "{self.opened[-1].tag}"')
        return "".join(self.pieces), self.entities

    def _append_text(self, text: str) -> None:
        """Add text without tags to the result."""
        self.pieces.append(text)
        self.units += count_units(text)

    def _read_match(self, pattern: re.Pattern[str]) -> str:
        """Read what the pattern matches at this position; empty where it matches nothing."""
        match = pattern.match(self.text, self.position)
        taken = match[0] if match else ""
        self.position += len(taken)
        return taken

    def _read_reference(self) -> str:
        """Read `&lt;`, `&#8212;`, or an `&` that begins no reference."""
        match = _CHARACTER.match(self.text, self.position)
        character = _decode_reference(match) if match else None
        self.position += len(match[0]) if match and character is not None else 1
        return character if character is not None else "&"

    def _read_start_tag(self) -> None:
        begin = self.position
        self.position += 1
        tag = self._read_match(_NAME).lower()
        if self.position == len(self.text):
            raise self._build_refusal("Unclosed start tag", begin)
        if tag not in _ENTITY_TYPES:
            raise self._build_refusal(f'Unsupported start tag "{tag}"', begin)
        argument = self._read_attributes(tag, begin)
        if tag == "span" and argument != "spoiler":
            raise self._build_refusal('Tag "span" must have class "tg-spoiler"', begin)
        self.opened.append(_OpenTag(tag, argument, self.units, len(self.pieces)))

    def _read_attributes(self, tag: str, begin: int) -> str:
        """Read the attributes of a start tag and its end; the argument that they give to the tag, or an empty text."""
        argument = ""
        while True:
            self._read_match(_SPACE)
            if self.text.startswith(">", self.position):
                self.position += 1
                return argument
            name = self._read_match(_ATTRIBUTE)
            if not name and self.position < len(self.text):
                raise self._build_refusal(f'Empty attribute name in the tag "{tag}"', begin)
            self._read_match(_SPACE)
            if self.position == len(self.text):
                raise self._build_refusal(f'Unclosed start tag "{tag}"', begin)
            value = ""
            if self.text[self.position] == "=":
                self.position += 1
                value = self._read_value(tag, begin)
            argument = _get_argument(tag, name, value) or argument

    def _read_value(self, tag: str, begin: int) -> str:
        """Read the value of an attribute, with quotes or without."""
        self._read_match(_SPACE)
        if self.position == len(self.text):
            raise self._build_refusal(f'Unclosed start tag "{tag}"', begin)
        quote = self.text[self.position]
        if quote not in "\"'":
            token = self.position
            value = self._read_match(_TOKEN).lower()
            if self.position < len(self.text) and not (
                self.text[self.position].isspace() or self.text[self.position] == ">"
            ):
                raise self._build_refusal("Unexpected end of name token", token)
            return value
        end = self.text.find(quote, self.position + 1)
        if end < 0:
            raise self._build_refusal("Unclosed start tag", begin)
        raw, self.position = self.text[self.position + 1 : end], end + 1
        return _CHARACTER.sub(lambda match: _decode_reference(match) or match[0], raw)

    def _read_end_tag(self) -> None:
        begin = self.position
        if not self.opened:
            raise self._build_refusal("Unexpected end tag", begin)
        self.position += 2
        name = self._read_match(_NAME).lower()
        self._read_match(_SPACE)
        if not self.text.startswith(">", self.position):
            raise self._build_refusal("Unclosed end tag", begin)
        self.position += 1
        opened = self.opened.pop()
        if name not in {"", opened.tag}:
            raise self._build_refusal("Unmatched end tag", begin, f', expected "</{opened.tag}>", found "</{name}>"')
        if self.units > opened.offset:
            self._add_entity(opened)

    def _add_entity(self, opened: _OpenTag) -> None:
        """Add the entity of a tag that is closed; `code` inside `pre` gives the language of the latter."""
        type_, argument, length = _ENTITY_TYPES[opened.tag], opened.argument, self.units - opened.offset
        last = self.entities[-1] if self.entities else None
        same = last is not None and (last.offset, last.length) == (opened.offset, length)
        if opened.tag == "pre" and last and same and last.type == "code":
            self.entities[-1] = Entity("pre", last.offset, length, last.argument)
            return
        if opened.tag == "code" and not any(tag.tag == "pre" for tag in self.opened):
            argument = ""
        if opened.tag == "blockquote" and argument:
            type_, argument = "expandable_blockquote", ""
        if opened.tag == "a":
            argument = normalize_url(argument or "".join(self.pieces[opened.start :]))
        if opened.tag not in {"a", "tg-emoji"} or argument:
            self.entities.append(Entity(type_, opened.offset, length, "" if type_ == "spoiler" else argument))

    def _build_refusal(self, what: str, at: int, more: str = "") -> CallRefused:
        return _build_refusal(f"{what} at byte offset {len(self.text[:at].encode())}{more}")


def normalize_url(written: str) -> str:
    """An address in the form of a link entity, empty where it is no address."""
    url = written.strip()
    if not url or re.search(r"\s", url):
        return ""
    if re.match(r"(https?|tg|ton)://", url, re.IGNORECASE):
        scheme, _, rest = url.partition("://")
        full = "/" in rest or scheme.lower() not in {"http", "https"}
        return f"{scheme.lower()}://{rest}{'' if full else '/'}"
    return f"http://{url}{'' if '/' in url else '/'}" if "." in url and ":" not in url.split("/")[0] else ""


def _get_argument(tag: str, name: str, value: str) -> str:
    """The argument that an attribute gives to its tag, empty for all other attributes."""
    if (tag, name) in {("a", "href"), ("tg-emoji", "emoji-id")}:
        return value
    if (tag, name) == ("blockquote", "expandable"):
        return "1"
    prefix = {"code": "language-", "span": "tg-"}.get(tag)
    return value.removeprefix(prefix) if prefix and name == "class" and value.startswith(prefix) else ""


def _decode_reference(match: re.Match[str]) -> str | None:
    """The character of a reference; None where there is no such character."""
    if match[3]:
        return _NAMED_CHARACTERS.get(match[3])
    code = int(match[1], 16) if match[1] else int(match[2])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else None


def _build_refusal(what: str) -> CallRefused:
    return bad_request(f"can't parse entities: {what}")


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
        file = model.store_file(known, upload, photo=kind == "photo")
    elif reference in known:
        file = known[reference]
        if bool(file.width) != (kind == "photo"):
            own = "Photo" if file.width else "Document"
            raise bad_request(f"can't use file of type {own} as {kind.capitalize()}")
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
        return detect_entities(trim_text(*parse_html(raw)))
    if mode in {"", "none"}:
        return detect_entities(trim_text(raw, parse_entities(call.tables(entities_name), raw)))
    raise bad_request("unsupported parse_mode: the local Telegram reads HTML only")
