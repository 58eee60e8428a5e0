"""Import of votes from other tools: all are stored as judgements, and those that do not count with the reason."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, select

from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.questions import Question, QuestionContent, question_base
from annotation.errors import BadInput, Conflict, Where
from annotation.label_studio_controls import results
from annotation.loading import campaign_lint
from annotation.loading.campaign import ReadVotes, read_votes
from annotation.loading.drafts import VoteDraft, format_value, pause_garbage_collection
from annotation.loading.vote_parser import locate_refusal
from annotation.store import journal, judgements, models, pseudonyms, table_base
from annotation.store.models import Annotator, Assignment, AssignmentRow, Item, Judgement, LabelStudioBatch, Project
from annotation.vocabulary import (
    EARLIER,
    SECOND_PASS,
    SECOND_PASS_OCCASION,
    SKIPPED,
    AssignmentStatus,
    BatchWork,
    Event,
    Exclusion,
    Pool,
    RepeatPolicy,
    Surface,
)
from annotation.workflow.imports import repeated_votes, vote_source, vote_writer
from annotation.workflow.imports.vote_writer import ItemVote, VoteItem, insert_votes
from annotation.workflow.lifecycle.item_writer import Progress


def store_second_passes(
    session: Session,
    votes: Sequence[ItemVote],
    *,
    questions: Sequence[Question],
    item_contents: Mapping[str, QuestionContent],
) -> None:
    """Store annotations of the second pass, after the first answers.

    Raises BadInput for one whose first answer is not stored, whose answers are not valid, or that is stored already.
    """
    for item_id, annotator_id, vote in votes:
        first = _find_judgement(session, item_id=item_id, annotator_id=annotator_id, occasion=0)
        if first is None:
            raise BadInput(
                "The first-pass answer for this second-pass annotation is missing.",
                where=vote.origin.where(),
                remedy="First import the export of the first pass from the same server.",
            )
        if _find_judgement(session, item_id=item_id, annotator_id=annotator_id, occasion=SECOND_PASS_OCCASION):
            raise BadInput(
                "The second pass of this item by this annotator is there already.",
                where=vote.origin.where(),
                remedy="Import each annotation once.",
            )
        read_vote = _read_answers(vote, first[1], questions=questions, content=item_contents[vote.item])
        assignment = _add_assignment(session, first[0])
        _add_judgement(session, assignment, read_vote, revision=0, exclusion=SECOND_PASS)
        has_steps = any(question.step > 1 for question in questions)
        if has_steps and read_vote.skip_reason is None and read_vote.answers != first[1].answers:
            revision = first[1].revision + 1
            _add_judgement(session, first[0], read_vote, revision=revision, exclusion=first[1].exclusion)
    session.flush()


def _find_judgement(
    session: Session, *, item_id: int, annotator_id: int, occasion: int
) -> tuple[Assignment, Judgement] | None:
    """The assignment on this occasion and the final judgement of it; None where nothing was answered."""
    query = (
        select(Assignment, Judgement)
        .join(Judgement)
        .where(Assignment.item_id == item_id, Assignment.annotator_id == annotator_id)
        .where(Assignment.occasion == occasion, judgements.build_final_revision_condition())
    )
    return session.exec(query).first()


def _read_answers(
    vote: VoteDraft, first: Judgement, *, questions: Sequence[Question], content: QuestionContent
) -> VoteDraft:
    """The vote with the answers of both passes."""
    if vote.second_pass is None or vote.skip_reason is not None:
        return vote
    blind = first.answers or {questions[0].name: first.response}
    try:
        raw = results.read_answers(questions, vote.second_pass, content, first=blind)
        given = question_base.parse_answers(questions, raw, content)
    except BadInput as refusal:
        raise locate_refusal(refusal, vote.origin) from None
    return vote._replace(
        response=given.get(questions[0].name, ""),
        answers=given if len(questions) > 1 else None,
        raw=results.describe_answers(questions, raw, given, content),
    )


def _add_assignment(session: Session, first: AssignmentRow) -> AssignmentRow:
    return models.ASSIGNMENTS.insert(
        session,
        project_id=first.project_id,
        item_id=first.item_id,
        item_revision=first.item_revision,
        annotator_id=first.annotator_id,
        occasion=SECOND_PASS_OCCASION,
        surface=Surface.IMPORT,
        status=AssignmentStatus.DONE,
        stage=first.stage,
    )


def _add_judgement(
    session: Session,
    assignment: AssignmentRow,
    vote: VoteDraft,
    *,
    revision: int,
    exclusion: Exclusion | None,
) -> None:
    models.JUDGEMENTS.insert(
        session,
        assignment_id=assignment.id or 0,
        revision=revision,
        response=vote.response,
        response_raw=vote.raw,
        answers=vote.answers,
        seconds=vote.seconds,
        seconds_unknown=vote.seconds_unknown,
        skip_reason=vote.skip_reason,
        **table_base.list_exclusion_values(exclusion),
    )


@dataclass(frozen=True, kw_only=True)
class ImportedVotes:
    """The result of importing a file of votes: counts of its votes, annotators and repeated votes.

    `known` is how many were imported before and are not stored again; `retained` is how many of the others count,
    `excluded` how many do not, by reason. `differing` are the rows of votes whose annotator had voted on the item in
    an earlier import; it is empty for earlier answers, which are kept apart. `changed` is how many votes had a raw
    label that is stored as another label, by (raw label, label). `control_results` are about all imported votes of the
    project, from this file and from earlier ones.
    """

    project: str
    votes: int
    known: int
    differing: tuple[input_files.FileRow, ...]
    retained: int
    annotators: int
    repeats: int
    policy: RepeatPolicy
    excluded: Mapping[str, int]
    changed: Mapping[tuple[str, str], int]
    control_results: vote_writer.ControlRuleResults


@dataclass(frozen=True, kw_only=True)
class VoteFile:
    """A file of votes that was read and checked against the items of a project; its votes are not yet stored.

    `definition_sha256` is the digest of the project that the votes were checked against. `alike` are sentences about
    items and annotators whose names look alike and are different.
    """

    file: Path
    sha256: str
    definition_sha256: str
    section: project_file.VotesSection
    contents: ReadVotes
    alike: tuple[str, ...] = ()


def read_vote_file(session: Session, project: Project, *, path: Path | None = None) -> VoteFile:
    """Read and check a file of votes, by default the one that the project file names; stores nothing.

    Raises BadInput for anything in the file that cannot be used, and Conflict for a file that was imported before.
    """
    definition = project_file.parse_definition(project.definition)
    _refuse_adopted(session, project)
    section, source = vote_source.locate_votes(definition, project, path)
    item_contents = _list_item_contents(session, project, definition)
    questions = _list_questions(definition, item_contents.values())
    resolved = section.resolve(Path(project.source).parent)
    contents = read_votes(source, resolved, questions=questions, item_contents=item_contents)
    vote_file = VoteFile(
        file=source,
        sha256=input_files.compute_sha256(source),
        definition_sha256=project.definition_sha256,
        section=section,
        contents=contents,
        alike=(*campaign_lint.describe_items(item_contents, questions), *campaign_lint.describe_votes(contents.votes)),
    )
    _refuse_repeated_import(session, project, vote_file)
    return vote_file


@pause_garbage_collection()
def store_votes(
    session: Session,
    project: Project,
    vote_file: VoteFile,
    *,
    key: bytes,
    now: datetime,
    progress: Progress | None = None,
) -> ImportedVotes:
    """Store all votes of a file, with pseudonyms of its annotators made with `key`.

    Raises Conflict where the file was imported, or the project changed, after the file was read.
    """
    _refuse_repeated_import(session, project, vote_file)
    _refuse_changed_project(session, project, vote_file)
    section, votes = vote_file.section, vote_file.contents.votes
    annotators = _register_annotators(
        session, votes, namespace=vote_source.get_namespace(section, project), key=key, now=now
    )
    items = _list_items(session, project)
    definition = project_file.parse_definition(project.definition)
    vote_writer.lift_exclusions(session, project=project, now=now)
    votes_with_ids = [
        (items[vote.item].id, annotators[vote.annotator], exclude_by_pool(vote, items[vote.item].pool))
        for vote in votes
    ]
    if definition.kind == "baseline":
        votes_with_ids = [(item, annotator, count_skip(vote)) for item, annotator, vote in votes_with_ids]
    second_passes = [row for row in votes_with_ids if row[2].second_pass is not None]
    sorted_votes = vote_writer.sort_votes(
        session, project, [row for row in votes_with_ids if row[2].second_pass is None], policy=section.repeats
    )
    n_repeats, numbered_votes = repeated_votes.settle_repeats(
        session, project, sorted_votes.new, policy=section.repeats
    )
    if section.earlier:
        numbered_votes = [
            (item, annotator, occasion, vote if vote.exclusion is not None else vote._replace(exclusion=EARLIER))
            for item, annotator, occasion, vote in numbered_votes
        ]
    insert_votes(session, project, numbered_votes, items={item.id: item for item in items.values()}, progress=progress)
    if second_passes:
        item_contents = _list_item_contents(session, project, definition)
        store_second_passes(
            session,
            second_passes,
            questions=_list_questions(definition, item_contents.values()),
            item_contents=item_contents,
        )
    control_results = vote_writer.enforce_control_rules(session, project=project, definition=definition, now=now)
    stored = [*((annotator, vote) for _, annotator, _, vote in numbered_votes), *(row[1:] for row in second_passes)]
    excluded = _count_excluded(stored, control_results)
    result = ImportedVotes(
        project=project.name,
        votes=len(votes),
        known=sorted_votes.n_known,
        differing=() if section.earlier else sorted_votes.differing,
        retained=len(stored) - excluded.total(),
        annotators=len(annotators),
        repeats=n_repeats,
        policy=section.repeats,
        excluded=dict(sorted(excluded.items())),
        changed=vote_file.contents.changed,
        control_results=control_results,
    )
    _record_import(
        session, project, result, digest=vote_file.sha256, read_by=_describe_reading(vote_file.section), now=now
    )
    return result


def _count_excluded(
    votes: Sequence[tuple[int, VoteDraft]], control_results: vote_writer.ControlRuleResults
) -> Counter[str]:
    """How many votes do not count, by reason: their own, or that of the rule that their annotator failed."""
    reasons_by_annotator = {
        annotator_id: reason
        for reason, failed in reversed(list(control_results.excluded.items()))
        for annotator_id in failed
    }
    reasons = (
        reasons_by_annotator.get(annotator_id) if vote.exclusion is None else vote.exclusion.reason
        for annotator_id, vote in votes
    )
    return Counter(reason for reason in reasons if reason is not None)


def _list_items(session: Session, project: Project) -> dict[str, VoteItem]:
    """The id, revision and pool of every item of the project, by external id."""
    columns = select(Item.external_id, Item.id, Item.revision, Item.pool).where(Item.project_id == project.id)
    return {
        name: VoteItem(id=item_id or 0, revision=revision, pool=Pool(pool))
        for name, item_id, revision, pool in session.connection().execute(columns).all()
    }


def _list_item_contents(
    session: Session, project: Project, definition: project_file.ProjectFile
) -> dict[str, QuestionContent]:
    """The content of every item, which questions need to read votes on it, by external id."""
    fields = {
        column
        for question in definition.all_questions
        for column in (*question.required_columns(), *question.system_columns)
    }
    if not fields:
        options_alone = select(Item.external_id, Item.options).where(Item.project_id == project.id)
        return {
            name: QuestionContent(options=None if options is None else tuple(options))
            for name, options in session.connection().execute(options_alone).all()
        }
    columns = select(Item.external_id, Item.options, Item.data).where(Item.project_id == project.id)
    return {
        name: QuestionContent(
            options=None if options is None else tuple(options),
            fields={column: format_value(data.get(column)) for column in fields},
        )
        for name, options, data in session.connection().execute(columns).all()
    }


def _list_questions(
    definition: project_file.ProjectFile, item_contents: Iterable[QuestionContent]
) -> tuple[Question, ...]:
    """The questions of the project; a choice question knows as many positions as the longest list of options has."""
    max_options = max(len(content.options or ()) for content in item_contents)
    return tuple(question.with_positions(max_options) for question in definition.all_questions)


def exclude_by_pool(vote: VoteDraft, pool: Pool) -> VoteDraft:
    """The vote itself for an item of the main pool; for an item of another pool the vote with an exclusion."""
    if pool is Pool.MAIN:
        return vote
    is_control = vote.is_control or pool is Pool.CONTROL
    return vote._replace(exclusion=vote.exclusion or pool.exclusion, is_control=is_control)


def count_skip(vote: VoteDraft) -> VoteDraft:
    """The vote, counted where it is a skip of one of our own tasks in a baseline, as a skip is there."""
    is_skip = vote.skip_reason is not None and vote.exclusion == SKIPPED
    return vote._replace(exclusion=None) if is_skip else vote


def _refuse_adopted(session: Session, project: Project) -> None:
    """Raise Conflict for an adopted project: its people would be counted twice, as accounts and as names of a file."""
    batch = select(LabelStudioBatch.id).where(LabelStudioBatch.project_id == project.id)
    if session.exec(batch.where(LabelStudioBatch.work == BatchWork.ADOPTED)).first() is not None:
        raise Conflict(
            f"The answers of {project.name!r} come from a project in Label Studio.",
            remedy=f"Run `hromada label-studio pull {project.name}`. To import a file, load it under another name.",
        )


def _refuse_repeated_import(session: Session, project: Project, vote_file: VoteFile) -> None:
    """Raise Conflict where a file with the same sha256 was imported into the project.

    It may be imported again where the first of several votes counted then, and the last one counts now.
    """
    for entry in journal.list_project_events(session, Event.VOTES_IMPORTED, project_id=project.id or 0):
        has_new_policy = (entry.data["policy"], vote_file.section.repeats) == (RepeatPolicy.FIRST, RepeatPolicy.LAST)
        if entry.data["sha256"] == vote_file.sha256 and not has_new_policy:
            problem, remedy = f"This file was imported into {project.name!r} already", "Nothing is left to do."
            if entry.data.get("read_by", "") not in {"", _describe_reading(vote_file.section)}:
                problem += ", by other keys of `votes`"
                remedy = "The stored votes stay as they are. Load the project under a new name to read them by these."
            raise Conflict(f"{problem}.", where=Where(file=vote_file.file), remedy=remedy)


def _describe_reading(section: project_file.VotesSection) -> str:
    """A digest of how a file of votes is read: 16 hexadecimal digits of sha256 over the keys that matter."""
    written = section.model_dump_json(exclude={"file", "people", "repeats", "earlier"})
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _refuse_changed_project(session: Session, project: Project, vote_file: VoteFile) -> None:
    """Raise Conflict where the project changed after the votes were read and checked against its items."""
    current = session.get(Project, project.id)
    if current is None or current.definition_sha256 != vote_file.definition_sha256:
        raise Conflict(
            f"{project.name!r} was changed while the votes were read.",
            where=Where(file=vote_file.file),
            remedy="Import them again.",
        )


def _register_annotators(
    session: Session, votes: Sequence[VoteDraft], *, namespace: str, key: bytes, now: datetime
) -> dict[str, int]:
    """Database ids of annotators by their name in the file; new annotators are added in the order of the file."""
    names = {
        name: pseudonyms.make_pseudonym(key, namespace=namespace, name=name)
        for name in dict.fromkeys(vote.annotator for vote in votes)
    }
    ids_by_pseudonym = dict(session.exec(select(Annotator.pseudonym, Annotator.id)).all())
    new_rows = [
        {"pseudonym": pseudonym, "simulated": False, "created_at": now}
        for pseudonym in names.values()
        if pseudonym not in ids_by_pseudonym
    ]
    if new_rows:
        session.execute(sa.insert(Annotator), new_rows)
        ids_by_pseudonym = dict(session.exec(select(Annotator.pseudonym, Annotator.id)).all())
    return {name: ids_by_pseudonym[pseudonym] or 0 for name, pseudonym in names.items()}


def _record_import(
    session: Session, project: Project, result: ImportedVotes, *, digest: str, read_by: str, now: datetime
) -> None:
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    journal.record_event(
        session,
        Event.VOTES_IMPORTED,
        now=now,
        project_id=project.id,
        data={
            "sha256": digest,
            "read_by": read_by,
            "votes": result.votes,
            "known": result.known,
            "repeats": result.repeats,
            "policy": result.policy.value,
            "excluded": dict(result.excluded),
            "changed": changed,
        },
    )
