"""MarkdownV2 as the Bot API server reads it: what is reserved, what must end, and its complaints."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.emulator.calls import Refused, bad_request
from bot.emulator.entities import Entity, units
from bot.emulator.entities.html import address

_RESERVED = frozenset("_*[]()~`>#+-=|{}.!\n")
_PLAIN = re.compile(r"[^\\_*\[\]()~`>#+\-=|{}.!\n]+")
_MARKS = {
    "bold": "*", "italic": "_", "underline": "__", "strikethrough": "~", "spoiler": "||", "code": "`", "pre": "```",
    "text_link": "]", "custom_emoji": "]",
}  # fmt: skip
_NAMES = {
    "bold": "Bold", "italic": "Italic", "underline": "Underline", "strikethrough": "Strikethrough",
    "spoiler": "Spoiler", "code": "Code", "pre": "PreCode", "text_link": "TextUrl", "custom_emoji": "CustomEmoji",
    "blockquote": "BlockQuote",
}  # fmt: skip
_LANGUAGE = re.compile(r"([^\s`]+)(?=[\n ])")


@dataclass(frozen=True)
class _Open:
    type: str
    argument: str
    offset: int
    start: int
    at: int


def parse(text: str) -> tuple[str, list[Entity]]:
    """The text without marks, and its entities; raises Refused in the server's words."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.out: list[str] = []
        self.units = 0
        self.opened: list[_Open] = []
        self.found: list[Entity] = []
        self.line_begins = True

    def parse(self) -> tuple[str, list[Entity]]:
        while self.at < len(self.text):
            sign = self.text[self.at]
            following = self.text[self.at + 1 : self.at + 2]
            if sign == "\\" and "\0" < following <= "~":
                self._put(following, 2)
            elif sign not in _RESERVED or (self._verbatim() and sign != "`"):
                found = _PLAIN.match(self.text, self.at)
                self._put(found[0] if found else sign, len(found[0]) if found else 1)
            elif sign == "\n":
                self._newline()
            elif not self._ends():
                self._begin(sign)
        self._end_quote()
        if self.opened:
            last = self.opened[-1]
            raise self._wrong(f"Can't find end of {_NAMES[last.type]} entity", last.at)
        return "".join(self.out), self.found

    def _put(self, text: str, taken: int) -> None:
        self.out.append(text)
        self.units += units(text)
        self.at += taken
        self.line_begins = False

    def _verbatim(self) -> bool:
        return bool(self.opened) and self.opened[-1].type in {"code", "pre"}

    def _newline(self) -> None:
        """A line's end; it ends a block of quotation unless the next line goes on with it."""
        quoting = bool(self.opened) and self.opened[-1].type == "blockquote"
        goes_on = self.text.startswith(">", self.at + 1)
        if quoting and not goes_on:
            self._end_quote()
        self._put("\n", 1)
        self.line_begins = True
        if quoting and goes_on:
            self.at += 1
            self.line_begins = False

    def _end_quote(self) -> None:
        if self.opened and self.opened[-1].type == "blockquote":
            self._close(self.opened.pop(), folded=self.out[-1:] == ["||"])

    def _ends(self) -> bool:
        """Whether an open entity ends here; if so, it is closed."""
        if not self.opened:
            return False
        last = self.opened[-1]
        mark = _MARKS.get(last.type)
        if mark is None or not self.text.startswith(mark, self.at):
            return False
        if last.type == "italic" and self.text.startswith("__", self.at):
            return False
        self.at += len(mark)
        self.opened.pop()
        if mark == "]":
            self._link(last)
        else:
            self._close(last)
        return True

    def _begin(self, sign: str) -> None:
        begin = self.at
        kind, length = self._kind(sign)
        if kind is None:
            self._reserved(sign)
            return
        self.at += length
        argument = self._language() if kind == "pre" else ""
        self.opened.append(_Open(kind, argument, self.units, len(self.out), begin))
        self.line_begins = False

    def _kind(self, sign: str) -> tuple[str | None, int]:
        for name, mark in (("pre", "```"), ("underline", "__"), ("spoiler", "||"), ("custom_emoji", "![")):
            if self.text.startswith(mark, self.at) and not (name == "spoiler" and self._folds()):
                return name, len(mark)
        if sign == ">" and self.line_begins:
            return "blockquote", 1
        names = {"*": "bold", "_": "italic", "~": "strikethrough", "`": "code", "[": "text_link"}
        return names.get(sign), 1

    def _folds(self) -> bool:
        """`||` at the end of a block of quotation folds it."""
        quoting = bool(self.opened) and self.opened[-1].type == "blockquote"
        return quoting and self.text[self.at + 2 : self.at + 3] in {"", "\n"}

    def _reserved(self, sign: str) -> None:
        if sign == "|" and self._folds():
            self._put("||", 2)
            return
        raise self._wrong(f"Character '{sign}' is reserved and must be escaped with the preceding '\\'", None)

    def _language(self) -> str:
        found = _LANGUAGE.match(self.text, self.at)
        self.at += len(found[0]) if found else 0
        if self.text.startswith("\n", self.at):
            self.at += 1
        return found[0] if found else ""

    def _link(self, opened: _Open) -> None:
        target = "".join(self.out[opened.start :])
        if self.text.startswith("(", self.at):
            end = re.compile(r"(?:\\.|[^)\\])*").match(self.text, self.at + 1)
            stop = end.end() if end else self.at + 1
            if not self.text.startswith(")", stop):
                raise self._wrong("Can't find end of a URL", opened.at)
            target = re.sub(r"\\(.)", r"\1", self.text[self.at + 1 : stop])
            self.at = stop + 1
        elif opened.type == "custom_emoji":
            raise self._wrong("Custom emoji entity must contain a tg://emoji URL", None)
        argument = target.rpartition("id=")[2] if opened.type == "custom_emoji" else address(target)
        if argument and self.units > opened.offset:
            self.found.append(Entity(opened.type, opened.offset, self.units - opened.offset, argument))

    def _close(self, opened: _Open, *, folded: bool = False) -> None:
        type_ = opened.type
        if folded:
            self.out.pop()
            self.units -= 2
            type_ = "expandable_blockquote"
        if self.units > opened.offset:
            self.found.append(Entity(type_, opened.offset, self.units - opened.offset, opened.argument))

    def _wrong(self, what: str, at: int | None) -> Refused:
        place = "" if at is None else f" at byte offset {len(self.text[:at].encode())}"
        return bad_request(f"can't parse entities: {what}{place}")
