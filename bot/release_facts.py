"""Build the facts of a release from the database: how the answers of its projects came about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from platform import python_version_tuple
from typing import Any

from sqlmodel import Session, col, select

from aggregation.findings import Finding, name_figure
from annotation.campaigns import programme_file, project_file
from annotation.campaigns.sections.annotators import AdmissionSection, ProfileField
from annotation.campaigns.sections.quality import DECLARED_FACTS
from annotation.loading import campaign_lint
from annotation.store import queries
from annotation.store.models import Item, Programme, ProgrammeProject, Project
from annotation.vocabulary import Pool
from annotation.workflow import definitions
from annotation.workflow.annotators import payments
from annotation.workflow.lifecycle import campaign_reader, precision
from annotation.workflow.monitoring import campaign_status, conduct, item_history
from annotation.workflow.monitoring.conduct import compute_funnel, count_attestations, count_profile
from annotation.workflow.quality import rules
from exports import facts, privacy


def list_examples(definition: project_file.ProjectFile) -> tuple[str, ...]:
    """The good and bad answers that people were shown as examples."""
    examples = definition.examples
    return (
        ()
        if examples is None
        else (*(f"good: {text}" for text in examples.good), *(f"bad: {text}" for text in examples.bad))
    )


def describe_admission(*sections: AdmissionSection | None) -> str:
    """Who was admitted, by all conditions of the project and its programme."""
    parts = []
    for section in filter(None, sections):
        parts += [f"{field}: {' or '.join(values)}" for field, values in section.profile.items()]
        parts += [f"cohort {name}" for name in section.cohort]
        if section.earlier_control is not None:
            where = ", ".join(section.earlier_control.projects)
            parts.append(f"control items right {section.earlier_control.least:.0%} or more in {where}")
        if section.top is not None:
            parts.append(f"the best {section.top:.0%} of earlier projects")
    return "; ".join(parts) or "everybody who was invited"


def describe_frame(frame: Mapping[str, Any]) -> facts.SampleFact:
    """A sample as the database stores it."""
    return facts.SampleFact(
        pool=str(frame["pool"]),
        method=Finding("random-within", column=frame["by"]) if frame.get("by") else Finding("random"),
        seed=frame["seed"],
        sha256=str(frame["sha256"]),
        n_drawn=frame["drawn"],
        n_candidates=frame["of"],
        strata={name: (counts[0], counts[1]) for name, counts in frame["strata"].items()},
    )


def _list_overlap_frames(project: Project) -> list[dict[str, Any]]:
    """The frame of the overlap sample, as it was frozen at the start; none without one."""
    frame = (project.frozen or {}).get("overlap_sample")
    return [] if frame is None else [frame]


def describe_plan(project: Project) -> facts.PlanFact | None:
    """The plan that was frozen at the start; None before it."""
    stored = (project.frozen or {}).get("plan")
    if stored is None:
        return None
    return facts.PlanFact(
        n_items=stored["items"],
        overlap=_find_planned_overlap(stored),
        half_width=precision.get_share_half_width(stored),
        share=stored.get("share_right"),
        words=precision.describe_plan(stored),
    )


def _find_planned_overlap(stored: Mapping[str, Any]) -> int:
    """How many answers each item was to get, those of an overlap sample more."""
    sampled, items = stored.get("sampled", 0), stored["items"]
    answers = stored["judgements"] - sampled * stored.get("sampled_overlap", 0)
    return round(answers / (items - sampled)) if items > sampled else 0


def describe_controls(definition: project_file.ProjectFile) -> str:
    """How control items come; empty without them."""
    section = definition.controls
    if section is None:
        return ""
    if section.per_page is not None:
        return Finding("controls-per-page", n=section.per_page)
    return Finding("controls-share", share=section.rate or 0)


def describe_repeats(definition: project_file.ProjectFile) -> str:
    """How items are asked again; empty where none is."""
    section = definition.repeats
    return "" if section is None else f"{section.share:.0%} of the items again, {section.after / 3600:g} hours later"


def describe_caps(definition: project_file.ProjectFile) -> str:
    """How much one annotator may answer; empty without limits."""
    section = definition.caps
    if section is None:
        return ""
    parts = (
        (section.items, f"{section.items} items a person"),
        (section.items_per_day, f"{section.items_per_day} items a day"),
        (section.sitting, f"{(section.sitting or 0) / 60:g} minutes at a time"),
    )
    return ", ".join(words for value, words in parts if value is not None)


def describe_lineage(definition: project_file.ProjectFile) -> str:
    """From which earlier project the items came; empty for others."""
    section = definition.lineage
    if section is None:
        return ""
    return f"from {section.project} by {section.method}" + (
        f", where {'; '.join(section.where)}" if section.where else ""
    )


def was_fixed_before(frozen: Mapping[str, Any] | None, first: datetime | None) -> bool | None:
    """Whether the frozen record is older than the first answer; None without either of them."""
    if frozen is None or first is None:
        return None
    return datetime.fromisoformat(frozen["at"]) <= first


def was_changed_later(frozen: Mapping[str, Any] | None, key: str) -> bool:
    """Whether a key of the project file was changed after the start."""
    changes = (str(change["what"]) for change in (frozen or {}).get("post_hoc", ()))
    return any(key in re.findall(r"\w+", words.partition(":")[2]) for words in changes)


PACKAGES = ("hromada", "pandas", "numpy", "scipy", "crowd-kit", "pyarrow")
UNDO = Finding("undo")
SKIPS = {"baseline": Finding("skips-fill"), "annotation": Finding("skips-return")}


@dataclass(frozen=True, kw_only=True)
class _Campaign:
    """A project with its definition and its programme, and what was counted of its conduct."""

    project: Project
    definition: project_file.ProjectFile
    programme: programme_file.ProgrammeFile | None
    conduct: conduct.Conduct
    scopes: tuple[str, ...]


def build_release_facts(session: Session, name: str, *, harness: str = "") -> facts.ReleaseFacts:
    """Build the facts of a project, or of a programme with its projects in its order.

    `harness` is the version of the lm-evaluation-harness by which people are replayed, empty where they are not. Raises
    NotFound for a name that is neither.
    """
    programme = queries.find_programme(session, name)
    projects = queries.list_named_projects(session, name)
    first = programme or projects[0]
    versions = {package: metadata.version(package) for package in PACKAGES}
    return facts.ReleaseFacts(
        name=first.name,
        title=first.title,
        language=first.language,
        is_programme=programme is not None,
        projects=tuple(_build_project_facts(session, project) for project in projects),
        versions={**versions, "python": ".".join(python_version_tuple()[:2])},
        harness=harness,
    )


def _read_campaign(session: Session, project: Project) -> _Campaign:
    definition = project_file.parse_definition(project.definition)
    of_project = select(Programme).join(ProgrammeProject).where(ProgrammeProject.project_id == project.id)
    stored = session.exec(of_project).first()
    programme = None if stored is None else programme_file.ProgrammeFile.model_validate(stored.definition)
    asks = programme is not None and programme.consent is not None
    scope = definitions.get_programme_scope(stored) if asks and stored is not None else None
    scopes = conduct.list_consent_scopes(project, scope, asks=definition.consent is not None)
    exceptions = definition.exposure.exceptions if definition.exposure else ()
    return _Campaign(
        project=project,
        definition=definition,
        programme=programme,
        conduct=conduct.measure_conduct(session, project, scopes=scopes, exceptions=exceptions),
        scopes=scopes,
    )


def _build_project_facts(session: Session, project: Project) -> facts.ProjectFacts:
    campaign = _read_campaign(session, project)
    definition, counted = campaign.definition, campaign.conduct
    declared = definition.declared.model_dump(exclude_none=True)
    sampled = definition.sampled_overlap
    dynamic = sampled is None and project.overlap_max is not None and project.overlap_max != project.overlap
    asked: dict[str, Any] = {} if counted.imported else _list_facts_of_people(session, campaign)
    return facts.ProjectFacts(
        name=project.name,
        title=project.title,
        language=project.language,
        kind=definition.kind,
        status=project.status.value,
        imported=counted.imported,
        definition_sha256=project.definition_sha256,
        platforms=counted.platforms,
        questions=tuple(question.name for question in definition.all_questions),
        declared={name: str(value) for name, value in declared.items()},
        declared_meanings=dict(DECLARED_FACTS),
        examples=list_examples(definition),
        shared_ids=counted.shared_ids,
        shared_groups=counted.shared_groups,
        frames=tuple(describe_frame(frame) for frame in (*(project.frames or ()), *_list_overlap_frames(project))),
        plan=describe_plan(project),
        overlap=definition.min_overlap,
        overlap_max=project.overlap_max if dynamic else None,
        controls=describe_controls(definition),
        rules=tuple(f"{rules.describe_rule(rule)}: {rule.consequence}" for rule in definition.quality),
        rules_fixed_before=was_fixed_before(project.frozen, counted.first_main_at),
        post_hoc=tuple(str(change["what"]) for change in (project.frozen or {}).get("post_hoc", ())),
        exceptions=tuple(definition.exposure.exceptions) if definition.exposure else (),
        hidden_gold=definition.benchmark.hidden,
        n_source_items=_count_main_items(session, project),
        published_source=definition.published.source if definition.published else "",
        published_scores=dict(definition.published.scores) if definition.published else {},
        lineage=describe_lineage(definition),
        lint=_list_lint(session, project),
        texts=tuple(
            facts.TextFact(
                kind={"warning": "content_warning"}.get(text.kind.value, text.kind.value),
                scope=text.scope,
                version=text.version,
                sha256=text.sha256,
                text=text.text,
                n_people=None if counted.imported else text.n_people,
                n_answers=None if counted.imported else text.n_answers,
            )
            for text in item_history.list_read_texts(session, project, scopes=campaign.scopes)
        ),
        **asked,
    )


def _list_facts_of_people(session: Session, campaign: _Campaign) -> dict[str, Any]:
    """The facts that only a campaign that asked people here can have."""
    project, definition, counted = campaign.project, campaign.definition, campaign.conduct
    steps = compute_funnel(session, project=project, definition=definition)
    work = payments.list_active_times(session, project=project, definition=definition)
    fields = _list_profile_fields(campaign)
    training = definition.stages.training
    return {
        "training_items": _list_training_items(session, project) if training is not None else (),
        "training_answers": counted.training_answers,
        "training_explains": training is not None and training.explain,
        "qualification": _describe_qualification(session, campaign),
        "n_without_consent": counted.without_consent if campaign.scopes else None,
        "profile_fields": {field.name: field.text for field in fields},
        "profile": _list_profile(session, fields, counted.contributors),
        "admission": describe_admission(
            definition.admission, campaign.programme.admission if campaign.programme else None
        ),
        "pay": _describe_pay(session, campaign, work),
        "pilot_items": counted.pilot_items,
        "pilot_answers": counted.pilot_answers,
        "repeats": describe_repeats(definition),
        "n_unlisted_exposed": counted.unlisted_exposed,
        "undo": UNDO,
        "caps": describe_caps(definition),
        "skips": SKIPS[definition.kind],
        "attestation": definition.attestation.text if definition.attestation else "",
        "attested": _list_attested(session, campaign),
        "invited": steps.invited,
        "invited_by_friends": steps.by_friends,
        "consented": steps.consented,
        "started": steps.started,
        "finished": steps.finished,
        "active_hours": round(sum((work_of_one.hours for work_of_one in work.values()), 0.0), 4),
        "shuffles_options": any(getattr(question, "shuffle", False) for question in definition.all_questions),
        "shuffles_items": True,
    }


def _list_training_items(session: Session, project: Project) -> tuple[facts.TrainingItem, ...]:
    of_training = select(Item).where(Item.project_id == project.id, Item.pool == Pool.TRAINING)
    return tuple(
        facts.TrainingItem(
            item_id=item.external_id,
            group=item.group_id,
            shown="\n".join([item.stimulus, *(item.options or ())]),
            gold=tuple(answer for answer in (item.gold, *(item.accepted or ())) if answer),
            explanation=item.explanation,
        )
        for item in session.exec(of_training.order_by(col(Item.rank)))
    )


def _describe_qualification(session: Session, campaign: _Campaign) -> facts.Qualification | None:
    stage = campaign.definition.stages.qualification
    counts = campaign_status.get_campaign_status(session, campaign.project).qualification
    if stage is None or counts is None:
        return None
    rule = Finding("no-pass-mark") if stage.pass_mark is None else name_figure(stage.pass_mark)
    n_attempts = stage.attempts or 1
    return facts.Qualification(
        rule=Finding("attempts", mark=rule, n=n_attempts) if n_attempts > 1 else rule,
        n_items=stage.number or campaign.conduct.qualification_items,
        n_tried=counts.tried,
        n_passed=counts.passed,
        n_failed=counts.failed,
        fixed_before=was_fixed_before(campaign.project.frozen, campaign.conduct.first_qualification_at)
        and not was_changed_later(campaign.project.frozen, "stages"),
    )


def _list_profile_fields(campaign: _Campaign) -> tuple[ProfileField, ...]:
    own = {field.name: field for field in (campaign.programme.profile if campaign.programme else ())}
    return tuple((own | {field.name: field for field in campaign.definition.profile}).values())


def _list_profile(
    session: Session, fields: Collection[ProfileField], annotators: Collection[int]
) -> tuple[facts.ProfileCount, ...]:
    counted = count_profile(session, tuple(fields), annotators=annotators)
    questions = {field.name: field.text for field in fields}
    return tuple(count for name, counts in counted.items() for count in _suppress(name, questions[name], counts))


def _list_attested(session: Session, campaign: _Campaign) -> tuple[facts.ProfileCount, ...]:
    section = campaign.definition.attestation
    if section is None:
        return ()
    counts = count_attestations(session, campaign.project, annotators=campaign.conduct.contributors)
    return tuple(_suppress("attestation", section.text, Counter[str | None](counts)))


def _suppress(name: str, question: str, counts: Counter[str | None]) -> Iterator[facts.ProfileCount]:
    """The cells of a question, sorted, those who did not say last; small ones without a number."""
    cells = sorted(counts.items(), key=lambda cell: (cell[0] is None, cell[0] or ""))
    shown = privacy.suppress_small_cells([number for _, number in cells])
    for (value, _), number in zip(cells, shown, strict=True):
        yield facts.ProfileCount(field=name, question=question, value=value, n=number)


def _describe_pay(session: Session, campaign: _Campaign, work: Mapping[int, payments.ActiveTime]) -> facts.Pay | None:
    section = campaign.definition.reward.pay if campaign.definition.reward else None
    paid = payments.sum_payments(session, project_id=campaign.project.id or 0)
    if section is None and not paid:
        return None
    scheme = Finding("no-rate")
    if section is not None:
        rate = section.per_hour if section.per_hour is not None else section.per_item
        code = "hourly" if section.per_hour is not None else "per-item"
        scheme = Finding(code, rate=str(rate), currency=section.currency)
    rates = payments.compute_hourly_rates(work, paid)
    positive = {person for person, sums in paid.items() if any(money.hundredths > 0 for money in sums)}
    rated = {person for person in positive if person in work and work[person].hours > 0}
    is_published = len(rated) >= privacy.MIN_CELL and len(rates) == 1
    return facts.Pay(
        scheme=scheme,
        currency=rates[0].currency if is_published else section.currency if section else None,
        n_paid=len(positive) if len(positive) >= privacy.MIN_CELL else 0,
        hourly_median=rates[0].hundredths / 100 if is_published else None,
    )


def _count_main_items(session: Session, project: Project) -> int:
    return len(session.exec(select(col(Item.id)).where(Item.project_id == project.id, Item.pool == Pool.MAIN)).all())


def _list_lint(session: Session, project: Project) -> tuple[facts.LintFact, ...]:
    if session.exec(select(Item.id).where(Item.project_id == project.id).limit(1)).first() is None:
        return ()
    campaign, contents = campaign_reader.read_campaign(session, project)
    return tuple(
        facts.LintFact(
            rule=finding.rule.name,
            severity=finding.rule.severity.value,
            message=finding.message or finding.rule.description,
            items=finding.ids,
            remedy=finding.rule.remedy,
        )
        for finding in campaign_lint.lint_campaign(campaign, contents)
    )
