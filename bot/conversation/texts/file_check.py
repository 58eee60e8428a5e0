"""Checks a Fluent file of texts against the English one: what would be lost, refused or misunderstood in the chat."""

from __future__ import annotations

import difflib
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fluent.runtime import FluentBundle
from fluent.syntax import ast

from annotation.campaigns import bot_commands
from annotation.campaigns.questions.question_base import count_units
from annotation.errors import BadInput, ErrorCollector, NotFound, Where
from bot.conversation.texts import plural_forms, typed_words
from bot.conversation.texts.fluent_files import FluentFile, FluentMessage, find_nodes, read_fluent_file

ZONES = "common-zones"
CITIES = "cities"
LANGUAGE_NAME = "language-name"
_ENDING = ".ftl"


@dataclass(frozen=True)
class CheckedFile:
    """The result of a check: the file, all faults, how many messages the bot has, and which are still English.

    `missing` are ids that the file lacks, `unchanged` those whose text is the English one.
    """

    file: FluentFile
    faults: tuple[BadInput, ...]
    messages: int
    missing: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def plural_forms(self) -> tuple[str, ...]:
        """The plural forms that whole numbers take in the language."""
        return tuple(plural_forms.list_numbers(self.file.language))

    def refuse(self) -> None:
        """Raise BadInput with all faults; nothing where there are none."""
        errors = ErrorCollector()
        for fault in self.faults:
            with errors:
                raise fault
        errors.refuse()


def list_files(path: Path) -> tuple[Path, ...]:
    """The Fluent file itself, or those of a folder; raises NotFound where there is none."""
    found = tuple(sorted(path.glob(f"*{_ENDING}"))) if path.is_dir() else (path,) if path.is_file() else ()
    if not found:
        raise NotFound(
            "There is no Fluent file.", where=Where(file=path), remedy="Write one with `hromada texts new LANGUAGE`."
        )
    return found


def require_language(language: str, *, where: Where) -> None:
    """Raise BadInput for what is not the code of a language whose plural forms CLDR knows."""
    if not plural_forms.is_known_language(language):
        raise BadInput(
            f"{language!r} is not the code of a language that CLDR knows.",
            where=where,
            remedy="Write two or three letters, such as kk; a file is named after its language, such as kk.ftl.",
        )


def check_file(path: Path, *, english: Path, others: Mapping[str, Path]) -> CheckedFile:
    """Check a file against the English one, and against the other languages of the bot, each with its file.

    Raises BadInput where the file cannot be read at all, or its name is not that of a language.
    """
    require_language(path.name.removesuffix(_ENDING), where=Where(file=path))
    checker = _Checker(
        file=read_fluent_file(path),
        english=read_fluent_file(english),
        others={language: read_fluent_file(other) for language, other in others.items() if language != path.stem},
    )
    faults = sorted(checker.find_faults(), key=lambda fault: fault.where.line or 0 if fault.where else 0)
    return CheckedFile(
        file=checker.file,
        faults=tuple(faults),
        messages=len(checker.english.by_id),
        missing=checker.list_missing(),
        unchanged=checker.list_unchanged(),
    )


@dataclass(frozen=True)
class _Checker:
    file: FluentFile
    english: FluentFile
    others: Mapping[str, FluentFile]

    def list_missing(self) -> tuple[str, ...]:
        return tuple(text_id for text_id in self.english.by_id if text_id not in self.file.by_id)

    def list_unchanged(self) -> tuple[str, ...]:
        """The messages that say what the English ones say; zones, cities and signs need no translation."""
        if self.file.language == self.english.language:
            return ()
        return tuple(
            message.text_id
            for message in self.file.by_id.values()
            if (english := self.english.by_id.get(message.text_id))
            and message.text_id not in {ZONES, CITIES}
            and _has_words(message)
            and format_example(message, self._bundle, english.examples) == format_example(english, self._english_bundle)
        )

    def find_faults(self) -> Iterator[BadInput]:
        for line, content in self.file.junk:
            yield self._fault(
                line, None, f"Fluent cannot read {content!r}.", "Write `name = text`; indent further lines."
            )
        seen: dict[str, int] = {}
        for message in self.file.messages:
            if message.text_id in seen:
                problem = f"It is already on line {seen[message.text_id]}."
                yield self._fault_of(message, problem, "Keep one of the two.")
            elif message.text_id not in self.english.by_id:
                near = difflib.get_close_matches(message.text_id, self.english.by_id, n=1)
                remedy = f"Did you mean `{near[0]}`?" if near else "Remove it."
                yield self._fault_of(message, "The bot has no message of this name.", remedy)
            else:
                yield from self._check_message(message, self.english.by_id[message.text_id])
            seen.setdefault(message.text_id, message.line)
        yield from self._check_words()
        yield from self._check_name()

    def _check_message(self, message: FluentMessage, english: FluentMessage) -> Iterator[BadInput]:
        faults = [*self._check_variables(message, english), *self._check_forms(message, english)]
        faults = faults or [*self._check_text(message, english)]
        if message.text_id in {ZONES, CITIES} and not faults:
            faults = [*self._check_zones(message)]
        yield from faults

    def _check_variables(self, message: FluentMessage, english: FluentMessage) -> Iterator[BadInput]:
        for name in sorted(message.variables - english.variables):
            known = ", ".join(f"${one}" for one in sorted(english.variables))
            remedy = f"It has {known}." if known else "It has no variables."
            yield self._fault_of(message, f"There is no variable ${name} here.", remedy)
        for name in sorted(english.variables - message.variables):
            yield self._fault_of(message, f"The variable ${name} is lost.", f"Write {{ ${name} }} where it belongs.")

    def _check_forms(self, message: FluentMessage, english: FluentMessage) -> Iterator[BadInput]:
        language = self.file.language
        given = plural_forms.list_choices(message)
        named = {
            choice.variable: {key for key in choice.keys if key not in plural_forms.CATEGORIES}
            for choice in plural_forms.list_choices(english)
        }
        for choice in given:
            if choice.is_plural:
                for form in plural_forms.list_missing_forms(choice, language):
                    number = plural_forms.list_numbers(language)[form]
                    problem = f"The plural form [{form}] of ${choice.variable} is missing, as for {number}."
                    yield self._fault_of(message, problem, f"Add a line [{form}].")
            known = {"other", *plural_forms.list_numbers(language), *named.get(choice.variable, ())}
            for key in choice.keys:
                if key not in known and not key.isdecimal():
                    problem = f"The form [{key}] of ${choice.variable} is never used."
                    yield self._fault_of(
                        message, problem, "Remove it, or write one of: " + ", ".join(sorted(known)) + "."
                    )
        for variable, keys in named.items():
            have = {key for choice in given if choice.variable == variable for key in choice.keys}
            for key in sorted(keys - have) if have else ():
                yield self._fault_of(message, f"The form [{key}] of ${variable} is missing.", f"Add a line [{key}].")

    def _check_text(self, message: FluentMessage, english: FluentMessage) -> Iterator[BadInput]:
        texts = []
        for arguments in self._list_arguments(english):
            pattern = self._bundle.get_message(message.text_id).value
            if pattern is None:
                yield self._fault_of(message, "It has no text.", "Write the text after `=`.")
                return
            text, errors = self._bundle.format_pattern(pattern, arguments)
            if errors:
                yield self._fault_of(message, f"Fluent cannot make a text of it: {errors[0]}.", "Compare the English.")
                return
            texts.append(str(text))
        longest = max(texts, key=count_units)
        if (
            count_units(longest) > english.max_units
            and not english.text_id.startswith(typed_words.PREFIX)
            and english.text_id != CITIES
        ):
            problem = f"{longest!r} has {count_units(longest)} characters; there is room for {english.max_units}."
            yield self._fault_of(message, problem, "Shorten it.")
        for command in bot_commands.list_unknown_commands(longest):
            yield self._fault_of(message, f"The bot has no command /{command}.", "Commands are not translated.")

    def _list_arguments(self, english: FluentMessage) -> Iterator[dict[str, str | int]]:
        """The examples of the variables, with each number in every plural form of the language."""
        examples: dict[str, str | int] = {name: english.examples.get(name, "…") for name in english.variables}
        yield examples
        for number in plural_forms.list_numbers(self.file.language).values():
            yield {name: number if isinstance(value, int) else value for name, value in examples.items()}

    def _check_zones(self, message: FluentMessage) -> Iterator[BadInput]:
        text = format_example(message, self._bundle)
        zones = typed_words.split_list(text) if message.text_id == ZONES else typed_words.parse_cities(text).values()
        for zone in sorted({*zones} - zoneinfo.available_timezones()):
            yield self._fault_of(message, f"{zone!r} is not a time zone.", "Write it like Europe/Kyiv.")

    def _check_words(self) -> Iterator[BadInput]:
        """Words that mean two things: in this file, or in this one and in another language of the bot."""
        for pair in typed_words.list_separate_pairs(self.english.by_id):
            for own, other in (pair, pair[::-1]):
                message = self.file.by_id.get(own)
                if message is None:
                    continue
                words = typed_words.list_own_words(message)
                for language, file in {self.file.language: self.file, **self.others}.items():
                    is_same = file is self.file
                    if other not in file.by_id or (is_same and own > other):
                        continue
                    for word in sorted(words & typed_words.list_own_words(file.by_id[other])):
                        place = other if is_same else f"{other} of {language}"
                        problem = f"{word!r} is also a word of {place}."
                        yield self._fault_of(message, problem, "Leave it out: people may type both languages.")

    def _check_name(self) -> Iterator[BadInput]:
        message = self.file.by_id.get(LANGUAGE_NAME)
        if message is None:
            problem, remedy = (
                f"{LANGUAGE_NAME} is missing.",
                "Write what the language calls itself: it is on the button.",
            )
            yield self._fault(1, LANGUAGE_NAME, problem, remedy)
            return
        for language, other in self.others.items():
            own = other.by_id.get(LANGUAGE_NAME)
            if own is not None and own.source == message.source:
                yield self._fault_of(message, f"It is the name of {language}.", "Write what the language calls itself.")

    @cached_property
    def _bundle(self) -> FluentBundle:
        return build_bundle(self.file)

    @cached_property
    def _english_bundle(self) -> FluentBundle:
        return build_bundle(self.english)

    def _fault_of(self, message: FluentMessage, problem: str, remedy: str) -> BadInput:
        return self._fault(message.line, message.text_id, problem, remedy)

    def _fault(self, line: int, text_id: str | None, problem: str, remedy: str) -> BadInput:
        return BadInput(problem, where=Where(file=self.file.path, line=line, field=text_id), remedy=remedy)


def build_bundle(file: FluentFile) -> FluentBundle:
    """The messages of a file, to be formatted as its language does."""
    bundle = FluentBundle([file.language], use_isolating=False)
    bundle.add_resource(file.resource)
    return bundle


def format_example(
    message: FluentMessage, bundle: FluentBundle, arguments: Mapping[str, str | int] | None = None
) -> str:
    """The message with the examples of its variables, or with these arguments; empty where it has no text."""
    pattern = bundle.get_message(message.text_id).value
    return "" if pattern is None else str(bundle.format_pattern(pattern, dict(arguments or message.examples))[0])


def _has_words(message: FluentMessage) -> bool:
    """Whether there is anything to translate in a message: a letter outside its variables."""
    texts = (node.value for node in find_nodes(message.entry) if isinstance(node, ast.TextElement))
    return any(character.isalpha() for text in texts for character in text)
