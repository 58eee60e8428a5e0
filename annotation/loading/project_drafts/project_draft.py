"""Drafts a project file from files of items, votes and gold: what is not sure has a comment that begins with `?`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation import input_files
from annotation.errors import BadInput, Where
from annotation.loading.judgements.recognition import PROLIFIC
from annotation.loading.project_drafts import comparison_tables, item_tables, tool_tables, vote_tables
from annotation.loading.project_drafts.column_names import Role
from annotation.loading.project_drafts.item_tables import ItemsTable
from annotation.loading.project_drafts.label_config import LabelConfig
from annotation.loading.project_drafts.languages import guess_language
from annotation.loading.project_drafts.question_guesses import QuestionGuess, guess_question, sort_labels
from annotation.loading.project_drafts.source_files import LABEL_STUDIO_TASKS, READING_KEYS, SourceFile, open_file
from annotation.loading.project_drafts.votes_table import FIRST, VotesTable, name_questions
from annotation.loading.project_drafts.yaml_lines import YamlLine, format_lines, format_value, list_doubts

ROLES = (
    *(role.value for role in Role if role not in {Role.STATUS, Role.REMARK, Role.PROFILE}),
    "language",
    *READING_KEYS,
)
"""What the option `--as` can name."""
_ASKED = {"uk": "Яка ваша відповідь?", "en": "What is your answer?", "ru": "Какой ваш ответ?"}
_BAD_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, kw_only=True)
class ProjectDraft:
    """A drafted project file: its `text` and name, and the files that it names, by the names that it has for them.

    `doubts` are the lines that somebody should look at, `unused` the columns that nothing reads, by file. Files that
    stay where they are are not among `files`.
    """

    name: str
    text: str
    files: Mapping[str, Path]
    doubts: tuple[str, ...]
    unused: Mapping[str, tuple[str, ...]]
    has_votes: bool


def draft_project(
    folder: Path,
    files: Sequence[Path],
    *,
    chosen: Mapping[str, tuple[str, ...]] | None = None,
    places: Mapping[Path, str] | None = None,
) -> ProjectDraft:
    """Draft the project file of a folder; `chosen` are columns by role, as the option `--as` names them.

    `places` are the paths, as the project file writes them, of files that are not copied into the folder.

    Raises BadInput for a file that cannot be read, and for the one thing that a person must decide.
    """
    decided = {} if chosen is None else chosen
    opened = [open_file(path, chosen=decided) for path in files]
    known = {} if places is None else places
    sources = [replace(one, place=known.get(one.path, "")) for one in opened if isinstance(one, SourceFile)]
    configs = [one for one in opened if isinstance(one, LabelConfig)]
    configs += [one.config for one in sources if one.config is not None]
    _refuse_unknown_columns(sources, decided)
    if not sources:
        raise BadInput(
            "A labelling configuration says what is asked, but not of which items.",
            where=Where(file=files[0]),
            remedy="Name the file of the tasks, or an export, as well: --from tasks.json",
        )
    _refuse_equal_names(sources)
    draft = _Draft.read(sources, next(iter(configs), None))
    return draft.build(folder, language=decided.get("language", ("",))[0])


def _refuse_unknown_columns(sources: Sequence[SourceFile], chosen: Mapping[str, tuple[str, ...]]) -> None:
    known = {name for source in sources for name in (*source.columns, *source.answers)}
    for role, names in chosen.items():
        for name in names if role in {one.value for one in Role} else ():
            if name not in known and not any(source.format == "label-studio" for source in sources):
                raise BadInput(
                    f"No file has the column {name!r}.",
                    where=Where(field=f"--as {role}"),
                    remedy=f"There are: {input_files.format_columns(sorted(known))}.",
                )


def _refuse_equal_names(sources: Sequence[SourceFile]) -> None:
    names = [source.name for source in sources]
    for source in sources:
        if names.count(source.name) > 1:
            raise BadInput("Two files have the same name.", where=source.where(), remedy="Rename one of them.")


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """What the files are: votes, items, gold of items made from votes, a labelling configuration, Prolific's export."""

    votes: VotesTable | None = None
    items: ItemsTable | None = None
    gold: tuple[SourceFile, tuple[YamlLine, ...], str] | None = None
    config: LabelConfig | None = None
    submissions: SourceFile | None = None

    @classmethod
    def read(cls, sources: Sequence[SourceFile], config: LabelConfig | None) -> _Draft:
        """Tell the files apart; raises BadInput for two of one kind."""
        draft = cls(config=config)
        others: list[SourceFile] = []
        for source in sources:
            if source.format == PROLIFIC:
                draft = replace(draft, submissions=source)
                continue
            votes = _read_votes(source, config)
            if votes is None:
                others.append(source)
            elif draft.votes is not None:
                raise BadInput(
                    f"Two files hold votes: {draft.votes.source.name} and {source.name}.",
                    where=source.where(),
                    remedy="Name one of them; import the other one afterwards: hromada import PROJECT FILE.",
                )
            else:
                draft = replace(draft, votes=votes)
        for source in others:
            draft = draft.add_other(source)
        if draft.submissions is not None and draft.votes is None:
            raise BadInput(
                "The submissions to Prolific say who counts, but not what people answered.",
                where=draft.submissions.where(),
                remedy="Name the file of the answers as well.",
            )
        return draft

    def add_other(self, source: SourceFile) -> _Draft:
        """Add a file without votes: items, or gold for the items of the votes."""
        votes = None if self.votes is None else item_tables.name_items(self.votes, source)
        gold = None if votes is None else item_tables.read_gold(source, votes)
        has_texts = any(column.role is Role.TEXT or column.mean_length > 40 for column in source.columns.values())
        if gold is not None and votes is not None and not votes.items:
            return replace(self, gold=(source, *gold))
        if gold is not None and (
            self.items is not None or not has_texts or not (self.votes and self.votes.shows_items)
        ):
            if self.items is not None:
                raise BadInput(
                    f"The gold is in another file than the items, {self.items.source.name}.",
                    where=source.where(gold[1]),
                    remedy=f"Add its column {gold[1]!r} to {self.items.source.name}, or leave one of the files out.",
                )
            return replace(self, votes=votes, gold=(source, *gold))
        if self.items is not None:
            raise BadInput(
                f"Two files hold items: {self.items.source.name} and {source.name}.",
                where=source.where(),
                remedy="Name one of them. Gold belongs into a column of the items.",
            )
        if self.gold is not None:
            raise BadInput(
                f"The gold is in another file than the items, {source.name}.",
                where=self.gold[0].where(self.gold[2]),
                remedy=f"Add its column {self.gold[2]!r} to {source.name}, or leave one of the files out.",
            )
        return replace(self, votes=votes, items=item_tables.read_items(source, votes=votes))

    def build(self, folder: Path, *, language: str) -> ProjectDraft:
        """Write the project file."""
        texts = [*(self.items.texts if self.items else ()), *(self.votes.texts if self.votes else ())]
        asked = list(self.votes.asked.values()) if self.votes else []
        told = (
            YamlLine("language", language)
            if language
            else guess_language(texts[:2000], [*self._list_answers(), *asked])
        )
        questions = self._guess_questions()
        name = name_project(folder)
        question_lines = write_questions(questions, self._list_asked(questions), str(told.value))
        title = self._find_title(questions) or name
        lines = [
            YamlLine("project", name),
            YamlLine("title", title, "the name that people see"),
            told,
            *question_lines,
            *self._write_items(questions),
            *self._write_votes(questions),
            *self._write_truth(),
        ]
        if self.votes is None:
            lines.append(YamlLine("overlap", "3", "how many people answer each item"))
        unused = self._list_unused()
        doubts = list_doubts(lines)
        sources = [one.source for one in (self.votes, self.items) if one is not None]
        sources += [one for one in (self.gold[0] if self.gold else None, self.submissions) if one is not None]
        return ProjectDraft(
            name=name,
            text="\n".join([*_write_head(sources), *format_lines(lines), *self._write_tail(unused)]) + "\n",
            files={source.name: source.path for source in sources if not source.place},
            doubts=tuple(doubts),
            unused=unused,
            has_votes=self.votes is not None,
        )

    def _list_answers(self) -> list[str]:
        return [] if self.votes is None else [answer for some in self.votes.answers.values() for answer in some[:500]]

    def _list_asked(self, questions: Mapping[str, QuestionGuess]) -> dict[str, str]:
        """What was asked, by the name of the question: the words of the file, or the header above the answers."""
        asked = {} if self.votes is None else self.votes.asked
        return {name: guess.text or asked.get(name, "") for name, guess in questions.items()}

    def _find_title(self, questions: Mapping[str, QuestionGuess]) -> str:
        asked = self._list_asked(questions)
        return next((text for text in asked.values() if " " in text), "") if len(asked) == 1 else ""

    def _guess_questions(self) -> dict[str, QuestionGuess]:
        """The questions by name: as the configuration says, else as the answers look."""
        votes, items, config = self.votes, self.items, self.config
        if votes is None:
            found = {} if config is None else dict(config.questions)
            names = name_questions([*found]) if found else []
            by_name = dict(zip(names, found.values(), strict=True))
            return by_name or {FIRST: items.question if items else guess_question(())}
        guesses = dict(votes.guesses)
        for name, answers in votes.answers.items():
            if name not in guesses:
                column = votes.asked.get(name, "")
                guesses[name] = item_tables.guess_with_options(votes.source, votes.options, answers, column=column)
            if guesses[name].question.marks_parts and not any(line.key == "field" for line in guesses[name].keys):
                shown = [*_list_names(line for line in votes.lines if line.key == "show"), *votes.item_columns]
                field = [YamlLine("field", shown[0])] if shown else []
                guesses[name] = replace(guesses[name], keys=(*field, *guesses[name].keys))
            if not all(answers):
                guesses[name] = replace(guesses[name], is_required=len(votes.answers) == 1)
        if config is not None and len(guesses) == len(config.questions) == 1:
            guesses = {name: next(iter(config.questions.values())) for name in guesses}
        if items is not None and items.question.item_options and len(guesses) == 1:
            labels = item_tables.find_positions(
                {*filter(None, next(iter(votes.answers.values())))}, _list_options(items)
            )
            guesses = dict.fromkeys(guesses, items.question)
            if labels is not None and not items.question.keys:
                guesses = {name: replace(items.question, keys=(YamlLine("labels", labels),)) for name in guesses}
        return {
            name: self._add_golds(guess) if number == 0 else guess
            for number, (name, guess) in enumerate(guesses.items())
        }

    def _add_golds(self, guess: QuestionGuess) -> QuestionGuess:
        """The question with the options that only the gold has."""
        source, column = (
            (self.gold[0], self.gold[2])
            if self.gold
            else (self.votes.source if self.votes else None, self.votes.gold if self.votes else None)
        )
        if source is None or column is None or not guess.question.takes_item_options or not guess.options:
            return guess
        known = {*guess.options, *guess.labels, *(str(line.value) for line in guess.keys if line.key == "abstain")}
        more = {cell for cell in source.columns[column].counts if cell not in known and not cell.startswith("[")}
        if not more or len(more) > 10:
            return guess
        options = YamlLine(
            "options", sort_labels([*guess.options, *more]), f"only the gold has {', '.join(sorted(more))}", sure=False
        )
        return replace(guess, keys=tuple(options if line.key == "options" else line for line in guess.keys))

    def _write_items(self, questions: Mapping[str, QuestionGuess]) -> list[YamlLine]:
        if self.items is None:
            return [YamlLine("items", "from votes")]
        source = self.items.source
        has_own = any(guess.item_options for guess in questions.values())
        lines = [line for line in self.items.lines if line.key != "options" or has_own]
        if self.config is not None:
            shown = [name for name in self.config.shown if name in source.columns]
            lines = [
                YamlLine("show", shown if len(shown) > 1 else shown[0]) if line.key == "show" and shown else line
                for line in lines
            ]
        return [YamlLine("items", below=(*_write_source(source), *lines))]

    def _write_votes(self, questions: Mapping[str, QuestionGuess]) -> list[YamlLine]:
        if self.votes is None:
            return []
        lines = list(self.votes.lines)
        if self.items is not None:
            lines = [line for line in lines if line.key not in {"show", "options", "group"}]
        if self.submissions is not None:
            lines.append(YamlLine("prolific", self.submissions.name, "only approved submissions count"))
        labels = {raw: label for guess in questions.values() for raw, label in guess.labels.items()}
        if labels:
            written = [YamlLine(format_value(raw), label) for raw, label in sorted(labels.items())]
            lines.append(
                YamlLine(
                    "labels",
                    below=(YamlLine("map", comment="what the file has, and what it means", below=tuple(written)),),
                )
            )
        return [YamlLine("votes", below=(*_write_source(self.votes.source), *lines))]

    def _write_truth(self) -> list[YamlLine]:
        if self.gold is not None:
            return [YamlLine("truth", below=(*_write_source(self.gold[0]), *self.gold[1]))]
        if self.votes is None or self.items is not None or self.votes.gold is None or not self.votes.item_columns:
            return []
        source, columns = self.votes.source, self.votes.item_columns
        path = [YamlLine("path", "instances")] if source.format == "human-response-bot" else []
        keys = [line for line in _write_source(source) if line.key != "format"]
        item = YamlLine("item", columns[0] if len(columns) == 1 else columns)
        return [YamlLine("truth", below=(*keys, *path, item, YamlLine("gold", self.votes.gold)))]

    def _list_unused(self) -> dict[str, tuple[str, ...]]:
        """The columns that no line names, by file."""
        unused = {table.source.name: table.unused for table in (self.votes, self.items) if table is not None}
        if self.gold is not None:
            named = _list_names(self.gold[1])
            unused[self.gold[0].name] = tuple(column for column in self.gold[0].columns if column not in named)
        ignored = _list_names(line for line in (self.votes.lines if self.votes else ()) if line.key == "ignore")
        left = {name: tuple(one for one in columns if one not in ignored) for name, columns in unused.items()}
        return {name: columns for name, columns in left.items() if columns}

    def _write_tail(self, unused: Mapping[str, tuple[str, ...]]) -> list[str]:
        lines = [f"# Columns of {name} that are not used: {_join(columns)}" for name, columns in unused.items()]
        if self.votes is None:
            lines.insert(
                0, "# instructions: …    # what people read before the first item; needed before `hromada start`"
            )
        if self.config is not None and self.config.others:
            lines.append(f"# Controls of the configuration that no question type has: {', '.join(self.config.others)}")
        return lines


def _read_votes(source: SourceFile, config: LabelConfig | None) -> VotesTable | None:
    if source.format in {"lmes", "ua-cbt", LABEL_STUDIO_TASKS}:
        return None
    if source.format is not None:
        return tool_tables.read_tool(source, config)
    compared = comparison_tables.read_comparisons(source)
    votes = vote_tables.read_votes(source) if compared is None else compared
    return votes if votes is None or compared is not None else comparison_tables.find_preference(votes)


def _list_names(lines: Iterable[YamlLine]) -> set[str]:
    """The columns that lines name, one or several each."""
    values = (line.value for line in lines)
    return {str(name) for value in values for name in ([value] if isinstance(value, str) else value)}


def _list_options(items: ItemsTable) -> list[str]:
    value = next((line.value for line in items.lines if line.key == "options"), ())
    return [value] if isinstance(value, str) else [str(one) for one in value]


def name_project(folder: Path) -> str:
    """Return the name of the project of a folder: that of the folder, in the letters that names have."""
    name = _BAD_NAME.sub("-", folder.resolve().name).strip("-_.")[:64]
    return name or "project"


def _write_source(source: SourceFile) -> list[YamlLine]:
    name = "label-studio" if source.format == LABEL_STUDIO_TASKS else source.format
    kind = [YamlLine("format", name, source.remark, sure=not source.remark)] if name is not None else []
    comment = "too large to copy: it stays where it is" if source.place else ""
    return [YamlLine("file", source.name, comment), *kind, *source.keys]


def write_questions(questions: Mapping[str, QuestionGuess], asked: Mapping[str, str], language: str) -> list[YamlLine]:
    """Return the line `question`, or a question for each name one under the other."""
    written = {name: _write_question(guess, asked.get(name, ""), language) for name, guess in questions.items()}
    if len(written) == 1:
        return [YamlLine("question", below=next(iter(written.values())))]
    return [
        YamlLine("questions", below=tuple(YamlLine("- name", name, below=below) for name, below in written.items()))
    ]


def _write_question(guess: QuestionGuess, asked: str, language: str) -> tuple[YamlLine, ...]:
    is_sentence = guess.text or (" " in asked.strip() and len(asked) > 8)
    comment = (
        "" if guess.text else "the header above the answers" if is_sentence else "the files do not say what was asked"
    )
    text = asked if is_sentence else _ASKED.get(language, _ASKED["en"])
    required = [] if guess.is_required else [YamlLine("required", "no", "annotators can leave it unanswered")]
    return (guess.type, YamlLine("text", text, comment, sure=bool(guess.text)), *guess.keys, *required)


def _write_head(sources: Iterable[SourceFile]) -> list[str]:
    names = " ".join(source.name for source in sources)
    return [f"# Written by `hromada new --from {names}`. A comment that begins with ? is a guess: look at that line."]


def _join(columns: Sequence[str]) -> str:
    shown = ", ".join(" ".join(column.split())[:60] for column in columns[:20])
    return shown + (f" and {len(columns) - 20} more" if len(columns) > 20 else "")
