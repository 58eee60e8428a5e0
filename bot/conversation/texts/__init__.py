"""The texts of the bot as Fluent files, one per language, and those that an organiser added.

What Fluent calls a message is called a text here, so that it is not confused with a message in the chat. A text that an
added file lacks is in English; a text that no file has, or an argument that is missing, is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from fluent.runtime import FluentBundle

from aggregation import spelling
from annotation.campaigns.bot_commands import ADJUDICATE, ADMIN, COMMANDS, PAGE
from annotation.errors import ErrorCollector, Where
from bot.conversation.texts import file_check, fluent_files, template, typed_words
from bot.conversation.texts.file_check import CheckedFile
from bot.conversation.texts.fluent_files import FluentFile

FOLDER = Path(__file__).parent
_FIRST = ("uk", "en", "ru")
LANGUAGES = (
    *_FIRST,
    *sorted({file.stem for file in FOLDER.glob("*.ftl") if not file.stem.startswith("organisers.")} - {*_FIRST}),
)
"""The languages that are installed with the program; `list_languages` also has those that were added."""
DEFAULT_LANGUAGE = "uk"
"""The language for annotators whose own language has no file."""
FALLBACK_LANGUAGE = "en"
"""The language of a text that an added file lacks."""
ORGANISER_LANGUAGES = ("uk", "en")
"""The languages of the texts for organisers."""
_added: dict[str, Path] = {}


@dataclass(frozen=True)
class Texts:
    """The texts of one language, and those of another for what it lacks.

    `_without_arguments` are those that are always the same, each formatted once.
    """

    language: str
    bundle: FluentBundle
    fallback: Texts | None = None
    _without_arguments: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, text_id: str, **arguments: str | int) -> str:
        """The text with its arguments; raises LookupError where the text or an argument is missing."""
        if self.fallback is not None and not self.bundle.has_message(text_id):
            return self.fallback(text_id, **arguments)
        if arguments:
            return self._format_text(text_id, arguments)
        if text_id not in self._without_arguments:
            self._without_arguments[text_id] = self._format_text(text_id, arguments)
        return self._without_arguments[text_id]

    def _format_text(self, text_id: str, arguments: dict[str, str | int]) -> str:
        pattern = self.bundle.get_message(text_id).value
        if pattern is None:
            raise LookupError(f"{self.language}: {text_id} has no text")
        text, errors = self.bundle.format_pattern(pattern, arguments)
        if errors:
            raise LookupError(f"{self.language}: {text_id}: {errors[0]}")
        return str(text)


def list_languages() -> tuple[str, ...]:
    """The languages that annotators can choose: those installed, then those added."""
    return (*LANGUAGES, *(language for language in _added if language not in LANGUAGES))


def use_added_files(path: Path | None) -> None:
    """Make the Fluent files of a folder, or a single one, languages of the bot, in place of those added before.

    A text comes from the added file, else from the installed one of that language, else from the English one. Raises
    BadInput, and changes nothing, where a file has a fault; NotFound where there is no file.
    """
    if path is None and not _added:
        return
    files = {} if path is None else {file.stem: file for file in file_check.list_files(path)}
    errors = ErrorCollector()
    for file in files.values():
        with errors:
            check_file(file, others=files).refuse()
    errors.refuse()
    _added.clear()
    _added.update(files)
    get_texts.cache_clear()
    list_words.cache_clear()


def check_file(path: Path, *, others: Mapping[str, Path] = MappingProxyType({})) -> CheckedFile:
    """Check a file against the English one, the other languages that are installed, and `others` by language.

    Raises BadInput where the file cannot be read at all, or its name is not that of a language.
    """
    installed = {language: FOLDER / f"{language}.ftl" for language in LANGUAGES}
    return file_check.check_file(path, english=FOLDER / "en.ftl", others={**installed, **others})


def build_template(language: str) -> str:
    """The Fluent file to be translated into a language; raises BadInput for one that CLDR does not know."""
    file_check.require_language(language, where=Where(field="language"))
    return template.build_template(fluent_files.read_fluent_file(FOLDER / "en.ftl"), language)


def match_language(code: str | None) -> str:
    """The language of the bot for a language code from Telegram ("uk", "en-GB", None)."""
    language = (code or "").split("-")[0].lower()
    return language if language in list_languages() else DEFAULT_LANGUAGE


@cache
def get_texts(language: str) -> Texts:
    """The texts of a language; raises LookupError for one that the bot does not have."""
    texts = _read_texts(FOLDER / f"{language}.ftl") if language in LANGUAGES else get_texts(FALLBACK_LANGUAGE)
    return _read_texts(_added[language], fallback=texts) if language in _added else texts


def _read_texts(path: Path, *, fallback: Texts | None = None) -> Texts:
    file = fluent_files.read_fluent_file(path)
    return Texts(file.language, file_check.build_bundle(file), fallback)


@cache
def get_organiser_texts(language: str) -> Texts:
    """The texts for organisers: in English for whom the bot speaks English, otherwise in Ukrainian."""
    chosen = language if language in ORGANISER_LANGUAGES else DEFAULT_LANGUAGE
    return _read_texts(FOLDER / f"organisers.{chosen}.ftl")


@cache
def list_words(name: str) -> frozenset[str]:
    """The words of the lists `words-NAME` in every language of the bot, in lower case, also without accents.

    A list has the words of those that the English one includes, also in a language that has only these.
    """
    lists = [get_texts(language)(f"{typed_words.PREFIX}{name}") for language in list_languages()]
    words = {typed_words.normalise_word(word) for words in lists for word in typed_words.split_list(words)}
    included = typed_words.list_included(_read_english().by_id[f"{typed_words.PREFIX}{name}"])
    words |= set(map(spelling.strip_accents, words))
    return frozenset(words.union(*map(list_words, included)))


@cache
def _read_english() -> FluentFile:
    return fluent_files.read_fluent_file(FOLDER / f"{FALLBACK_LANGUAGE}.ftl")


def get_item_texts(language: str) -> Texts:
    """The texts used inside an item: in the language of the project, or English where it has no file."""
    return get_texts(language if language in list_languages() else FALLBACK_LANGUAGE)


def list_commands(
    language: str, *, adjudicates: bool = False, organises: bool = False, has_page: bool = False
) -> dict[str, str]:
    """The commands with their descriptions in a language; also those of adjudicators, organisers and the page."""
    first, *others = COMMANDS
    names = (first, *((ADJUDICATE,) if adjudicates else ()), *((PAGE,) if has_page else ()), *others)
    commands = {name: get_texts(language)(f"command-{name}") for name in names}
    return {ADMIN: get_organiser_texts(language)("admin-command"), **commands} if organises else commands
