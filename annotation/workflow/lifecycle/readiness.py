"""Readiness: the checks before the start of a project, which report all obstacles at once, each with its remedy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from aggregation.planning.assumed_variance import PlannedResult, plan_share
from annotation.campaigns import lint, project_file
from annotation.errors import Conflict, Where
from annotation.loading import campaign_lint
from annotation.store import panel_members, queries
from annotation.store.models import (
    Annotator,
    Assignment,
    Exposure,
    Item,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import Pool, Surface, TextKind
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import campaign_reader, precision, sampled_places, shared_items
from annotation.workflow.lifecycle.shared_items import SharedItems
from annotation.workflow.quality import rules

RULE_KEYS = (
    "kind", "question", "questions", "overlap", "panels", "seed", "stages", "pages", "controls", "repeats", "quality",
    "admission", "profile", "exposure", "reports", "filtering", "caps", "lease", "judges",
)  # fmt: skip
"""The keys of a project file that decide which items are assigned and which answers count."""

_ITEM_COLUMNS = ("revision", "pool", "group_id", "stimulus_sha256", "options", "stratum", "tags")
_GOLD_COLUMNS = ("gold", "golds", "accepted", "gold_origin", "gold_version")
ROWS_PER_FETCH = 5_000
"""How many items are read from the database at a time, so that memory stays bounded."""


def build_frozen_record(session: Session, project: Project, *, now: datetime) -> dict[str, Any]:
    """The frozen record of a project that starts at `now`, as JSON.

    Items, gold and rules are recorded as sha256 (`rules.quality` covers only the quality rules), the texts by their
    versions, `frames` are the sampling frames of the items, `overlap_sample` is that of the items with more answers
    (left out where all get as many), `judges` is the section of the project file, and `post_hoc` will hold the changes
    after the start.
    """
    definition = project_file.parse_definition(project.definition)
    values = {key: value for key, value in definition.model_dump(mode="json").items() if key in RULE_KEYS}
    return {
        "at": now.isoformat(),
        "definition_sha256": project.definition_sha256,
        "items": _compute_items_digest(session, project, _ITEM_COLUMNS),
        "gold": _compute_items_digest(session, project, _GOLD_COLUMNS),
        "rules": {
            "sha256": hashlib.sha256(_encode_line([values, project.word_lists])).hexdigest(),
            "quality": rules.hash_rules(definition.quality, project.word_lists),
        },
        "texts": dict(project.texts or {}),
        "frames": list(project.frames or []),
        **sampled_places.build_frozen_sample(session, project),
        "judges": values["judges"],
        "plan": build_precision_plan(session, project).to_dict(),
        "post_hoc": [],
    }


def build_precision_plan(session: Session, project: Project) -> precision.PrecisionPlan:
    """The expected precision and work of a project, from its main items in the database."""
    definition = project_file.parse_definition(project.definition)
    with_gold = select(Item.id).where(
        Item.project_id == project.id, Item.pool == Pool.MAIN, col(Item.gold).is_not(None)
    )
    sample = sampled_places.measure(session, project)
    main_items = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return precision.plan_precision(
        session.exec(main_items.group_by(col(Item.group_id))).all(),
        overlap=project.overlap or 0,
        max_overlap=project.overlap_max or 0,
        seconds=definition.expected.seconds if definition.expected else None,
        result=plan_result(definition, has_gold=session.exec(with_gold.limit(1)).first() is not None),
        n_sampled=0 if sample is None else sample.items,
    )


def plan_result(definition: project_file.ProjectFile, *, has_gold: bool) -> PlannedResult | None:
    """What a project's answers to its first question are planned for; None for a campaign without a score. Pure."""
    own = None if has_gold else definition.all_questions[0].planned_result
    return own or (plan_share() if definition.kind == "baseline" else None)


def add_post_hoc_change(project: Project, *, what: str, now: datetime) -> None:
    """Add a change after the start to the frozen record of a project, if it has one. Does not flush the session."""
    if project.frozen is not None:
        changes = [*project.frozen.get("post_hoc", []), {"at": now.isoformat(), "what": what}]
        project.frozen = project.frozen | {"post_hoc": changes}


def _compute_items_digest(session: Session, project: Project, names: Sequence[str]) -> dict[str, Any]:
    """The sha256 over the named columns of all items, and how many items have a value in at least one of them.

    What is hashed is one JSON line for each item, in the order of external ids.
    """
    columns = [getattr(Item, name) for name in ("external_id", *names)]
    in_order = select(*columns).where(Item.project_id == project.id).order_by(col(Item.external_id))
    digest, n_with_values = hashlib.sha256(), 0
    for row in session.exec(in_order.execution_options(yield_per=ROWS_PER_FETCH)):
        digest.update(_encode_line(row))
        n_with_values += any(value is not None for value in row[1:])
    return {"sha256": digest.hexdigest(), "count": n_with_values}


def _encode_line(row: Iterable[Any]) -> bytes:
    return (json.dumps(list(row), ensure_ascii=False, sort_keys=True) + "\n").encode()


MAX_IDS_LISTED = 5
"""The most item ids that an obstacle lists."""


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """A reason why the project cannot start, and what to do about it."""

    problem: str
    remedy: str


NO_INSTRUCTIONS = Obstacle(
    problem="It has no instructions.", remedy="Write `instructions` or `instructions_file`, and load it again."
)


def check_readiness(session: Session, project: Project, *, rehearsal: bool = False) -> tuple[str, ...]:
    """Notes for organisers about a project that can start; raises Conflict with all obstacles where it cannot.

    A `rehearsal` is a trial without annotators, in which pools may be too small.
    """
    definition = project_file.parse_definition(project.definition)
    checks = [check_function for check_function in _CHECKS if not (rehearsal and check_function is _check_pools)]
    if definition.overlap is None:  # nothing is handed out: whatever else is missing is no obstacle
        checks = [_check_items]
    obstacles = [obstacle for check_function in checks for obstacle in check_function(session, project, definition)]
    shared = _list_shared_items(session, project, definition)
    obstacles += [Obstacle(problem=group.obstacle, remedy=group.remedy) for group in shared if group.same_texts]
    if obstacles:
        raise Conflict(
            " ".join([f"{project.name!r} cannot start.", *(obstacle.problem for obstacle in obstacles)]),
            where=Where(file=project.source),
            remedy=" ".join(dict.fromkeys(obstacle.remedy for obstacle in obstacles)),
        )
    return (*_list_notes(session, project, definition), *(group.note for group in shared))


def _list_shared_items(
    session: Session, project: Project, definition: project_file.ProjectFile
) -> tuple[SharedItems, ...]:
    """What the project's items share with other projects; nothing where it asks nobody."""
    if definition.overlap is None:
        return ()
    campaign, contents = campaign_reader.read_campaign(session, project)
    own = shared_items.build_compared_items(campaign, contents)
    return tuple(shared_items.list_shared_items(session, campaign, own))


def find_unaskable_questions(definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    """An obstacle for each question that no surface can ask people: the class of a marked part. Pure."""
    if definition.overlap is None:
        return
    for question in definition.all_questions:
        if question.part_classes is not None:
            labels = ", ".join(question.part_classes)
            yield Obstacle(
                problem=f"The question {question.name!r} has `labels` ({labels}), and neither the chat nor Label Studio"
                " asks for the class of a part.",
                remedy="Ask one span question for each class, or import parts that have classes from another tool.",
            )


def _check_questions(_session: Session, _project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    return find_unaskable_questions(definition)


def _list_notes(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[str]:
    if definition.consent is None and _get_programme(session, project) is None:
        yield "People are asked for no consent; `consent` in the project file would ask for it."
    if definition.declared.missing:
        yield f"A release will ask for: {', '.join(f'declared.{name}' for name in definition.declared.missing)}."


def _check_items(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    if definition.overlap is None:
        problem = "It has imported votes only: there is nothing to hand out."
        yield Obstacle(problem=problem, remedy="It needs no start; export it as it is.")
        return
    if session.exec(select(Item.id).where(Item.project_id == project.id).limit(1)).first() is None:
        yield Obstacle(problem="It has no items.", remedy="Load the file again with items in it.")
        return
    campaign, contents = campaign_reader.read_campaign(session, project)
    errors = [
        finding
        for finding in campaign_lint.lint_campaign(campaign, contents)
        if finding.rule.severity is lint.Severity.ERROR
    ]
    for finding in errors:
        ids = ", ".join(finding.ids[:MAX_IDS_LISTED]) + (" and more" if len(finding.ids) > MAX_IDS_LISTED else "")
        problem = f"{finding.message.rstrip('.')} ({ids})."
        yield Obstacle(problem=problem, remedy=finding.rule.remedy)


def _check_texts(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    if not project.instructions:
        yield NO_INSTRUCTIONS
    stored_texts = project.texts or {}
    if definition.consent is not None and TextKind.CONSENT not in stored_texts:
        yield Obstacle(
            problem=f"The text of its consent, {definition.consent.file}, was not stored.",
            remedy="Load the file again.",
        )
    programme = _get_programme(session, project)
    if programme and programme.definition.get("consent") and TextKind.CONSENT not in (programme.texts or {}):
        yield Obstacle(
            problem=f"The text of the consent of {programme.name!r} was not stored.", remedy="Load the programme again."
        )


def find_pool_shortages(definition: project_file.ProjectFile, item_counts: Mapping[Pool, int]) -> Iterator[Obstacle]:
    """An obstacle for each training or qualification pool that has fewer items than its stage asks for. Pure.

    `item_counts` holds how many items each pool has.
    """
    for name in ("training", "qualification"):
        stage = definition.stages.by_name.get(name)
        if stage is None:
            continue
        pass_mark_of = stage.pass_mark.of if stage.pass_mark is not None else None
        required = max(stage.number or 0, pass_mark_of or 0)
        count = item_counts.get(Pool(name), 0)
        if count < required:
            requirement = (
                f"`stages.{name}.number` is {required}"
                if stage.number == required
                else f"its pass mark is of {required}"
            )
            yield Obstacle(
                problem=f"The {name} pool has {count} items, and {requirement}.",
                remedy=f"Put more items into the {name} pool, or ask for fewer.",
            )


def _check_pools(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    pool_counts = select(Item.pool, func.count()).where(Item.project_id == project.id).group_by(col(Item.pool))
    return find_pool_shortages(definition, {Pool(pool): n_items for pool, n_items in session.exec(pool_counts)})


def _get_programme(session: Session, project: Project) -> Programme | None:
    of_project = select(Programme).join(ProgrammeProject).where(ProgrammeProject.project_id == project.id)
    return session.exec(of_project).first()


def _check_exposure(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    """Obstacles for groups of a baseline that people have answered of whom nobody knows whether they come here.

    Annotators of imported votes have no Telegram account; those who were detached are new ones when they return.
    """
    if definition.kind != "baseline":
        return
    excepted = definition.exposure.exceptions if definition.exposure else ()
    yield from _list_detached_groups(session, project, definition)
    own_groups = select(Item.group_id).where(Item.project_id == project.id)
    shared_groups = (
        select(Project.name, func.count(func.distinct(Item.group_id)), func.min(Item.group_id))
        .select_from(Item)
        .join(Project)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(
            col(Item.group_id).in_(own_groups),
            Item.project_id != project.id,
            Assignment.surface == Surface.IMPORT,
            col(Annotator.telegram_id).is_(None),
        )
    )
    rows = session.exec(shared_groups.group_by(col(Project.name)).order_by(col(Project.name)))
    for name, n_groups, example_group in rows:
        if name not in excepted:
            yield Obstacle(
                problem=f"{n_groups} of its groups ({example_group} and so on) were answered in {name!r} by people "
                "from outside, of whom nobody knows whether they come here.",
                remedy=f"Take these groups out, or list {name} under `exposure.exceptions`: it is scored apart.",
            )


def _list_detached_groups(
    session: Session, project: Project, definition: project_file.ProjectFile
) -> Iterator[Obstacle]:
    """Obstacles for groups that detached people met in other projects."""
    excepted = definition.exposure.exceptions if definition.exposure else ()
    own_groups = select(Item.group_id).where(Item.project_id == project.id)
    met = (
        select(Project.name, func.count(func.distinct(Exposure.group_id)), func.min(Exposure.group_id))
        .select_from(Exposure)
        .join(Project, col(Project.id) == col(Exposure.project_id))
        .join(Annotator, col(Annotator.id) == col(Exposure.annotator_id))
        .where(
            col(Annotator.detached),
            Exposure.project_id != project.id,
            col(Exposure.group_id).in_(own_groups),
            col(Project.name).not_in(excepted),
        )
    )
    for name, n_groups, example_group in session.exec(met.group_by(col(Project.name)).order_by(col(Project.name))):
        yield Obstacle(
            problem=f"{n_groups} of its groups ({example_group} and so on) were met in {name!r} by people who are"
            " detached, of whom nobody knows whether they come here.",
            remedy=f"Take these groups out, or list {name} under `exposure.exceptions`: it is scored apart.",
        )


def refuse_detached_groups(session: Session, project: Project) -> None:
    """Raise Conflict where a baseline that has started gets items of groups that detached people met elsewhere."""
    definition = project_file.parse_definition(project.definition)
    obstacles = list(_list_detached_groups(session, project, definition)) if definition.kind == "baseline" else []
    if obstacles:
        raise Conflict(
            " ".join(obstacle.problem for obstacle in obstacles),
            where=Where(file=project.source),
            remedy=" ".join(obstacle.remedy for obstacle in obstacles),
        )


def refuse_reopening(session: Session, project: Project) -> None:
    """Raise Conflict where people of the project are detached: they would get items that they have answered."""
    detached = (
        select(func.count(func.distinct(Assignment.annotator_id)))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(Assignment.project_id == project.id, col(Annotator.detached))
    )
    number = session.exec(detached).one()
    if number:
        people = "1 person" if number == 1 else f"{number} people"
        raise Conflict(
            f"{people} of {project.name!r} {'is' if number == 1 else 'are'} detached: who comes again would get what"
            " they have answered.",
            where=Where(field="project"),
            remedy="Load other items under another project name.",
        )


MAX_PEOPLE_LISTED = 10
"""The most people that an obstacle lists."""


def _check_panels(session: Session, project: Project, definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    """An obstacle where people belong to two panels, whose answers could not be told apart."""
    conflicts = panel_members.list_conflicts(session, project, definition.panels) if definition.panels else {}
    if conflicts:
        named = [f"{name} ({' and '.join(panels)})" for name, panels in conflicts.items()]
        more = f" and {len(named) - MAX_PEOPLE_LISTED} more" if len(named) > MAX_PEOPLE_LISTED else ""
        people = "1 person is" if len(named) == 1 else f"{len(named)} people are"
        yield Obstacle(
            problem=f"{people} in two panels: {', '.join(named[:MAX_PEOPLE_LISTED])}{more}.",
            remedy="Take them out of a cohort with `hromada people cohort PERSON COHORT --remove`, or tell the panels"
            " apart, as by a further answer of the `profile`.",
        )


def _check_allocation(session: Session, project: Project, _definition: project_file.ProjectFile) -> Iterator[Obstacle]:
    """An obstacle for each project of this project's allocation that has groups with too few annotators."""
    for share in group_allocation.list_shares(session, project_id=project.id or 0):
        other = queries.get_project(session, share.project)
        if share.short_groups and not group_allocation.is_exempt(session, project_id=other.id or 0):
            yield Obstacle(
                problem=f"{share.short_groups} groups of {share.project!r} get too few people who have not met them:"
                f" {share.missing_judgements} judgements are missing.",
                remedy="Allocate with more --people, or list the other projects in `exposure.exceptions` of that one.",
            )


_CHECKS: tuple[Callable[[Session, Project, project_file.ProjectFile], Iterator[Obstacle]], ...] = (
    _check_items,
    _check_questions,
    _check_pools,
    _check_texts,
    _check_exposure,
    _check_allocation,
    _check_panels,
)
