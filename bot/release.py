"""Projects as one view of the database shows them: their data sets, for every command that shows results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd
from sqlmodel import Session

from aggregation.answer_types import ANSWER_TYPES, TYPES_BY_QUESTION
from aggregation.judges.records import MarginSource
from annotation.campaigns import project_file as project_files
from annotation.campaigns.questions import Question
from annotation.campaigns.sections.sources import ItemsSection
from annotation.campaigns.stimulus import compute_text_digest
from annotation.errors import BadInput
from annotation.loading.drafts import pause_garbage_collection
from annotation.store import frames, item_frames, judgements, panel_members, queries
from annotation.store.models import Project
from annotation.vocabulary import ExclusionKind, Pool, Stage, Surface
from bot import option_answers
from exports import inputs, panels
from exports.adjudicated_gold import list_adjudicated_items
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.joint_answers import FilteringRule, ItemContent, JointAnswers, QuestionSpec


def read_projects(view: Session, names: Sequence[str] = ()) -> tuple[ProjectInputs, ...]:
    """The named projects, or all, in the order of their names; raises NotFound for one that is not loaded."""
    projects = [queries.get_project(view, name) for name in dict.fromkeys(names)] or queries.list_projects(view)
    ordered = sorted(projects, key=lambda project: project.name)
    return tuple(ProjectInputs(view=view, project=project) for project in ordered)


def build_data_sets(view: Session, names: Sequence[str] = ()) -> tuple[inputs.DataSet, ...]:
    """The published data sets of the named projects, or of all, in the order of their names."""
    return tuple(data for project in read_projects(view, names) for data in project.data_sets)


@dataclass(frozen=True, kw_only=True, eq=False)
class ProjectInputs:
    """A project as one view of the database shows it: everything is read once, when it is first asked for.

    The view must be open until then, so that all that a command shows is of one moment.
    """

    view: Session
    project: Project
    _data_sets: dict[tuple[str, Pool, bool], inputs.DataSet] = field(default_factory=dict, repr=False)
    _items: dict[tuple[str | None, Pool], pd.DataFrame] = field(default_factory=dict, repr=False)

    @cached_property
    def definition(self) -> project_files.ProjectFile:
        """The project file as it is stored."""
        return project_files.parse_definition(self.project.definition)

    @cached_property
    @pause_garbage_collection()
    def data_sets(self) -> tuple[inputs.DataSet, ...]:
        """The published data sets with their items with options, for the trivial baselines.

        Panels that would tell what one or two people said of themselves have nobody in them.
        """
        return tuple(panels.hide_small_panels(self.add_options(data)) for data in self._published)

    @cached_property
    def _published(self) -> tuple[inputs.DataSet, ...]:
        """The data set of the first question, and those of later ones that are no remarks, where answers count.

        A remark is an optional text.
        """
        first, *later = self.definition.all_questions
        rated = [asked for asked in later if asked.required or not TYPES_BY_QUESTION[asked.kind].is_free_text]
        data_sets = [self.read_data_set(question.name) for question in rated]
        return (self.read_data_set(first.name), *(data for data in data_sets if not data.list_counted_answers().empty))

    def read_data_set(
        self, name: str | None = None, *, pool: Pool = Pool.MAIN, earlier: bool = False
    ) -> inputs.DataSet:
        """The data set of one question, the first by default, with the items of a pool, main or pilot.

        In that of the pilot items the answers of the pilot stage count, and there are no others. So do, with `earlier`,
        the votes that were imported as answers given elsewhere before.

        Raises BadInput for a question that the project does not ask.
        """
        question = self._get_question(name)
        key = (question.name, pool, earlier)
        if key not in self._data_sets:
            self._data_sets[key] = self._read_data_set(question, pool=pool, earlier=earlier)
        return self._data_sets[key]

    def _read_data_set(self, question: Question, *, pool: Pool, earlier: bool) -> inputs.DataSet:
        view, project = self.view, self.project
        later, space = self._get_later_name(question), ANSWER_SPACES[question.kind]
        items = self._read_items(later, pool)
        question = space.number_positions(question, items["options"])
        listed = [space.list_options(question, own) for own in items["options"]]
        n_options = [None if options is None else len(options) for options in listed]
        items = items.assign(n_options=pd.Series(n_options, index=items.index, dtype=object))
        reader = _ItemReader(self.view, project, dict(zip(items["item_id"], items["options"], strict=True)))
        answers = frames.read_responses(view, project, later=later, abstention=getattr(question, "abstain", None))
        answers["option_order"] = [
            None if order is None else json.dumps(list(space.name_order(question, order)))
            for order in answers["option_order"]
        ]
        if pool is Pool.PILOT:
            answers = _count_pilot_answers(answers)
        if earlier:
            answers = answers.loc[answers["excluded_kind"] == ExclusionKind.EARLIER.value].assign(excluded_kind=None)
        answers = panels.exclude_others(answers, self._panel_members) if self.definition.panels else answers
        data_set_name = project.name if later is None else f"{project.name}/{later}"
        data_set_name += " · earlier answers" if earlier else ""
        data = inputs.DataSet(
            name=data_set_name,
            title=project.title if later is None else f"{project.title} · {question.text}",
            language=project.language,
            **self._describe_overlap(items, pool=pool, earlier=earlier),
            items=items.loc[:, list(inputs.ITEM_COLUMNS)],
            responses=answers.assign(dataset=data_set_name).loc[:, list(inputs.INPUT_COLUMNS)],
            simulated=self._is_simulated,
            question=question.name,
            metrics=question.metrics,
            kind=question.answer_type,
            normalise=question.normalisation,
            control_gold=item_frames.read_control_gold(view, project, later=later),
            removed_annotators=self._removed_annotators,
            adjudications=frames.read_adjudications(view, project, question=question.name),
            gold_strata=frames.read_gold_strata(view, project, question=question.name),
            reviews=pd.DataFrame() if later is not None else frames.read_reviews(view, project),
            panels=self._panels,
            systems=self._read_systems(question),
            side_lengths=self._measure_sides(question),
            judges=self._judge_plan,
            **space.build_data_fields(question, reader, is_first=later is None),
        )
        return panels.fill_panel_gold(data) if any(panel.gold for panel in data.panels.values()) else data

    def _describe_overlap(self, items: pd.DataFrame, *, pool: Pool, earlier: bool) -> dict[str, Any]:
        """The fields of a data set about its overlap; pilot items get as many answers as those of the sample."""
        sampled = self.definition.sampled_overlap
        if earlier or sampled is None:
            return {"overlap": None if earlier else self.definition.min_overlap}
        if pool is Pool.PILOT:
            return {"overlap": sampled.of}
        drawn = queries.read_overlap_sample(self.view, self.project)
        sample = inputs.OverlapSample(
            of=sampled.of,
            items=frozenset(drawn),
            n_groups=len(set(drawn.values())),
            n_all_groups=items["group"].nunique(),
            n_all_items=len(items),
        )
        return {"overlap": sampled.each, "sample": sample}

    def add_options(self, data: inputs.DataSet, *, places: bool = False) -> inputs.DataSet:
        """The data set with its items with options, where it is about options; with the `places` chosen, if asked."""
        question = self._get_question(data.question)
        has_gold = not data.list_scoring_gold().isna().all()
        if not data.answer_type.is_label or not (has_gold or places):
            return data
        frame = self._read_items(self._get_later_name(question), Pool.MAIN)
        own: dict[str, Sequence[str] | None] = dict(zip(frame["item_id"], frame["options"], strict=True))
        question = ANSWER_SPACES[question.kind].number_positions(question, own.values())
        texts = {item: shown for item, (shown, _) in self.contents.items()}
        items = option_answers.build_option_items(data, question, own, texts)
        return replace(
            data,
            option_items=option_answers.list_items_with_gold(items),
            places=option_answers.find_places(data, question, own, items) if places else None,
        )

    def add_people(self, data: inputs.DataSet) -> inputs.DataSet:
        """The data set with the hours at which people answered, and the places of the options that they chose."""
        hours = judgements.read_answer_hours(self.view, self.project)
        return replace(self.add_options(data, places=True), hours=hours)

    def add_text_hashes(self, data: inputs.DataSet) -> inputs.DataSet:
        """The data set with the hashes of its items' texts, by which items of several projects are matched."""
        return replace(
            data, text_hashes={item: compute_text_digest(shown) for item, (shown, _) in self.contents.items()}
        )

    def add_parts(self, data: inputs.DataSet) -> inputs.DataSet:
        """The data set with the strata and tags of its items."""
        return replace(data, parts=self._item_parts)

    @cached_property
    def _item_parts(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return item_frames.read_item_parts(self.view, self.project)

    @cached_property
    def joint_answers(self) -> JointAnswers | None:
        """The full responses, where the project asks for corrections or has a filtering rule."""
        definition = self.definition
        if not (definition.filtering or any(question.corrects_text for question in definition.all_questions)):
            return None
        data, first, rule = self._published[0], definition.all_questions[0].name, definition.filtering
        stored = frames.read_answers(self.view, self.project)
        given = zip(data.responses["response"], stored, strict=True)
        return JointAnswers(
            data=data,
            questions=tuple(map(_describe_question, definition.all_questions)),
            answers=tuple(
                answers or ({} if response is None else {first: response}) for response, (answers, _) in given
            ),
            contents={item: ItemContent(*content) for item, content in self.contents.items()},
            filtering=None
            if rule is None
            else FilteringRule(**rule.model_dump(exclude={"keep"}), keep=dict(rule.keep or {})),
            unasked=tuple(self._list_unasked(data, [surface for _, surface in stored])),
            adjudicated={data_set.question: list_adjudicated_items(data_set) for data_set in self._published},
        )

    def _list_unasked(self, data: inputs.DataSet, surfaces: Sequence[Surface]) -> Iterator[frozenset[str]]:
        """The questions that the annotator of each response was not asked: of the second pass, or without a column."""
        definition = self.definition
        later = frozenset(question.name for question in definition.all_questions if question.step > 1)
        first_pass_only = queries.list_missing_passes(self.view, self.project) if later else frozenset()
        in_file = (
            definition.votes.answers
            if definition.votes and definition.votes.answers
            else [definition.all_questions[0].name]
        )
        without_column = frozenset(question.name for question in definition.all_questions).difference(in_file)
        pairs = zip(data.responses["item_id"], data.responses["annotator"], strict=True)
        for pair, surface in zip(pairs, surfaces, strict=True):
            if surface is Surface.IMPORT:
                yield without_column
            else:
                yield later if pair in first_pass_only else frozenset()

    @cached_property
    def contents(self) -> dict[str, tuple[str, dict[str, str]]]:
        """What each main item shows in its first step, and its text fields, by item_id."""
        return item_frames.read_item_contents(self.view, self.project)

    def _read_items(self, later: str | None, pool: Pool) -> pd.DataFrame:
        if (later, pool) not in self._items:
            self._items[later, pool] = item_frames.read_items(self.view, self.project, later=later, pool=pool)
        return self._items[later, pool]

    @cached_property
    def _is_simulated(self) -> bool:
        return frames.has_simulated_answers(self.view, self.project)

    @cached_property
    def _panel_members(self) -> Mapping[str, tuple[str, ...]]:
        """The panels of each annotator."""
        return panel_members.read_panel_members(self.view, self.project, self.definition.panels)

    @cached_property
    def _panels(self) -> Mapping[str, inputs.Panel]:
        """The panels of the project file, with the people who are in one alone."""
        own = {pseudonym: names[0] for pseudonym, names in self._panel_members.items() if len(names) == 1}
        return {
            name: inputs.Panel(
                people=frozenset(pseudonym for pseudonym, panel in own.items() if panel == name),
                votes=section.votes,
                gold=section.gold,
                by_profile=bool(section.profile),
            )
            for name, section in self.definition.panels.items()
        }

    @cached_property
    def _removed_annotators(self) -> dict[str, str]:
        return frames.read_removed_annotators(self.view, self.project)

    def _read_systems(self, question: Question) -> dict[str, tuple[str, ...]]:
        columns = self.definition.list_system_columns(question)
        if columns:
            return item_frames.read_systems(self.view, self.project, columns)
        return dict.fromkeys(sorted(self.contents), question.option_columns) if question.option_columns else {}

    def _measure_sides(self, question: Question) -> dict[str, tuple[int, ...]]:
        """The lengths of the texts that an item compares; none for other questions."""
        if not ANSWER_TYPES[question.answer_type].compares_texts:
            return {}
        return {
            item: tuple(len(fields.get(column, "")) for column in question.option_columns)
            for item, (_, fields) in sorted(self.contents.items())
        }

    @cached_property
    def _judge_plan(self) -> inputs.JudgePlan:
        """What the project file says of judges; a margin counts as named before only if it was frozen at the start."""
        section, frozen, items = self.definition.judges, self.project.frozen, self.definition.items
        sample = items.sample if isinstance(items, ItemsSection) and not items.where else None
        is_sample = sample is not None and sample.by is None
        if section is None:
            return inputs.JudgePlan(has_random_sample=is_sample)
        source: MarginSource = "start"
        if self.definition.overlap is None or frozen is None:
            source = "imported"
        elif frozen.get("judges") != section.model_dump(mode="json"):
            source = "changed"
        return inputs.JudgePlan(
            margin=section.margin, margin_source=source, has_random_sample=section.random_sample or is_sample
        )

    def _get_question(self, name: str | None) -> Question:
        questions = {question.name: question for question in self.definition.all_questions}
        if name is None:
            return self.definition.all_questions[0]
        if name not in questions:
            problem = f"{self.definition.project!r} asks no question {name!r}."
            raise BadInput(problem, remedy=f"It asks: {', '.join(questions)}.")
        return questions[name]

    def _get_later_name(self, question: Question) -> str | None:
        return None if question.name == self.definition.all_questions[0].name else question.name


def _count_pilot_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers of the pilot stage, of which those count that would count in the main one."""
    rows = answers.loc[answers["stage"] == Stage.PILOT.value]
    is_vote = (rows["response"].notna() | rows["skip_reason"].notna()) & ~rows["exposed"].eq(other=True)
    is_vote &= ~(rows["is_control"].eq(other=True) | rows["is_repeat"].eq(other=True))
    counts = is_vote & (rows["excluded_kind"] == ExclusionKind.PILOT.value)
    return rows.assign(excluded_kind=rows["excluded_kind"].mask(counts, None))


@dataclass(frozen=True, eq=False)
class _ItemReader:
    """The items of a project in the database, for one of its questions (see `answer_spaces.ItemReader`)."""

    session: Session
    project: Project
    options: Mapping[str, Sequence[str] | None]

    def read_texts(self, field: str) -> Mapping[str, str]:
        return item_frames.read_field_texts(self.session, self.project, field)

    def read_accepted(self) -> Mapping[str, tuple[str, ...]]:
        return item_frames.read_accepted_answers(self.session, self.project)


def _describe_question(question: Question) -> QuestionSpec:
    return QuestionSpec(
        name=question.name,
        kind=question.kind,
        text=question.text,
        options=getattr(question, "options", None),
        show_if=dict(question.show_if or {}),
        field=question.text_column if question.corrects_text else None,
    )
