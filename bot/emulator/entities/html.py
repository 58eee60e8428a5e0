"""HTML as the Bot API server reads it: its tags, its complaints, their places counted in UTF-8 bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.emulator.calls import Refused, bad_request
from bot.emulator.entities import Entity, units

_TYPES = {
    "a": "text_link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "s": "strikethrough",
    "strike": "strikethrough", "del": "strikethrough", "u": "underline", "ins": "underline", "tg-spoiler": "spoiler",
    "span": "spoiler", "tg-emoji": "custom_emoji", "pre": "pre", "code": "code", "blockquote": "blockquote",
}  # fmt: skip
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_CHARACTER = re.compile(r"&(?:#x([0-9a-fA-F]{1,8})|#([0-9]{1,8})|([a-zA-Z]+));?")
_PLAIN = re.compile(r"[^<&]+")
_NAME = re.compile(r"[^\s>]*")
_ATTRIBUTE = re.compile(r"[^\s=>/\"']*")
_TOKEN = re.compile(r"[0-9a-zA-Z.\-]*")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class _Open:
    tag: str
    argument: str
    offset: int
    start: int


def parse(text: str) -> tuple[str, list[Entity]]:
    """The text without tags, and its entities; raises Refused in the server's words."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.out: list[str] = []
        self.units = 0
        self.opened: list[_Open] = []
        self.found: list[Entity] = []

    def parse(self) -> tuple[str, list[Entity]]:
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "<":
                if self.text.startswith("/", self.at + 1):
                    self._end()
                else:
                    self._start()
            elif sign == "&":
                self._put(self._reference())
            else:
                self._put(self._take(_PLAIN))
        if self.opened:
            raise _wrong(f'Can\'t find end tag corresponding to start tag "{self.opened[-1].tag}"')
        return "".join(self.out), self.found

    def _put(self, text: str) -> None:
        self.out.append(text)
        self.units += units(text)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        taken = found[0] if found else ""
        self.at += len(taken)
        return taken

    def _reference(self) -> str:
        """`&lt;`, `&#8212;`, or a bare `&` that begins neither."""
        found = _CHARACTER.match(self.text, self.at)
        sign = _character(found) if found else None
        self.at += len(found[0]) if found and sign is not None else 1
        return sign if sign is not None else "&"

    def _start(self) -> None:
        begin = self.at
        self.at += 1
        tag = self._take(_NAME).lower()
        if self.at == len(self.text):
            raise self._wrong("Unclosed start tag", begin)
        if tag not in _TYPES:
            raise self._wrong(f'Unsupported start tag "{tag}"', begin)
        argument = self._attributes(tag, begin)
        if tag == "span" and argument != "spoiler":
            raise self._wrong('Tag "span" must have class "tg-spoiler"', begin)
        self.opened.append(_Open(tag, argument, self.units, len(self.out)))

    def _attributes(self, tag: str, begin: int) -> str:
        argument = ""
        while True:
            self._take(_SPACE)
            if self.text.startswith(">", self.at):
                self.at += 1
                return argument
            name = self._take(_ATTRIBUTE)
            if not name and self.at < len(self.text):
                raise self._wrong(f'Empty attribute name in the tag "{tag}"', begin)
            self._take(_SPACE)
            if self.at == len(self.text):
                raise self._wrong(f'Unclosed start tag "{tag}"', begin)
            value = ""
            if self.text[self.at] == "=":
                self.at += 1
                value = self._value(tag, begin)
            argument = _argument(tag, name, value) or argument

    def _value(self, tag: str, begin: int) -> str:
        self._take(_SPACE)
        if self.at == len(self.text):
            raise self._wrong(f'Unclosed start tag "{tag}"', begin)
        quote = self.text[self.at]
        if quote not in "\"'":
            token = self.at
            value = self._take(_TOKEN).lower()
            if self.at < len(self.text) and not (self.text[self.at].isspace() or self.text[self.at] == ">"):
                raise self._wrong("Unexpected end of name token", token)
            return value
        end = self.text.find(quote, self.at + 1)
        if end < 0:
            raise self._wrong("Unclosed start tag", begin)
        raw, self.at = self.text[self.at + 1 : end], end + 1
        return _CHARACTER.sub(lambda found: _character(found) or found[0], raw)

    def _end(self) -> None:
        begin = self.at
        if not self.opened:
            raise self._wrong("Unexpected end tag", begin)
        self.at += 2
        name = self._take(_NAME).lower()
        self._take(_SPACE)
        if not self.text.startswith(">", self.at):
            raise self._wrong("Unclosed end tag", begin)
        self.at += 1
        opened = self.opened.pop()
        if name not in {"", opened.tag}:
            raise self._wrong("Unmatched end tag", begin, f', expected "</{opened.tag}>", found "</{name}>"')
        if self.units > opened.offset:
            self._close(opened)

    def _close(self, opened: _Open) -> None:
        type_, argument, length = _TYPES[opened.tag], opened.argument, self.units - opened.offset
        last = self.found[-1] if self.found else None
        same = last is not None and (last.offset, last.length) == (opened.offset, length)
        if opened.tag == "pre" and last and same and last.type == "code":
            self.found[-1] = Entity("pre", last.offset, length, last.argument)
            return
        if opened.tag == "code" and not any(one.tag == "pre" for one in self.opened):
            argument = ""
        if opened.tag == "blockquote" and argument:
            type_, argument = "expandable_blockquote", ""
        if opened.tag == "a":
            argument = address(argument or "".join(self.out[opened.start :]))
        if opened.tag not in {"a", "tg-emoji"} or argument:
            self.found.append(Entity(type_, opened.offset, length, "" if type_ == "spoiler" else argument))

    def _wrong(self, what: str, at: int, more: str = "") -> Refused:
        return _wrong(f"{what} at byte offset {len(self.text[:at].encode())}{more}")


def address(written: str) -> str:
    """An address as a link carries it, empty where it is none."""
    url = written.strip()
    if not url or re.search(r"\s", url):
        return ""
    if re.match(r"(https?|tg|ton)://", url, re.IGNORECASE):
        scheme, _, rest = url.partition("://")
        full = "/" in rest or scheme.lower() not in {"http", "https"}
        return f"{scheme.lower()}://{rest}{'' if full else '/'}"
    return f"http://{url}{'' if '/' in url else '/'}" if "." in url and ":" not in url.split("/")[0] else ""


def _argument(tag: str, name: str, value: str) -> str:
    """What an attribute says about its tag; all others are passed over."""
    if (tag, name) in {("a", "href"), ("tg-emoji", "emoji-id")}:
        return value
    if (tag, name) == ("blockquote", "expandable"):
        return "1"
    prefix = {"code": "language-", "span": "tg-"}.get(tag)
    return value.removeprefix(prefix) if prefix and name == "class" and value.startswith(prefix) else ""


def _character(found: re.Match[str]) -> str | None:
    if found[3]:
        return _NAMED.get(found[3])
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else None


def _wrong(what: str) -> Refused:
    return bad_request(f"can't parse entities: {what}")
