"""Every template, and a programme, through the whole life of a campaign: loaded, lived by simulated people, closed,
aggregated and exported, with the rows sound at the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import col, func, select

from annotation.campaigns import programme_file as programme_files
from annotation.campaigns import template_files
from annotation.simulation import engine
from annotation.simulation.answer_generator import SimulationSettings
from annotation.simulation.engine import Simulation
from annotation.store import database, invariants, queries
from annotation.store.models import Assignment, Consent, Item, Journal, Judgement, Participation, Project
from annotation.vocabulary import AssignmentStatus, ItemStatus, Pool, Stage
from annotation.workflow import definitions
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import follow_up, projects, transitions
from annotation.workflow.monitoring import campaign_status
from bot import release
from bot.commands import system_checks
from exports import report, tables

BUSY = SimulationSettings(people=12, skips=0.05, undos=0.2, reports=0.02, leaves=0.1, seed=3)
KINDS = {
    "instance-filtering": ("label", "boxes"), "multiple-answers": ("boxes",), "open-answer": ("text",),
    "preference": ("preference",),
    "span-qa": ("label", "span"), "span-validation": ("label", "boxes"), "story-correction": ("label", "boxes"),
    "translation-review": ("boxes", "span", "label"),
    "violation-categories": ("boxes",),
}  # fmt: skip
"""What is answered in the templates that ask for more than labels."""
TEMPLATES = tuple(one.name for one in template_files.list_templates() if not one.is_programme)
EVERY_TEMPLATE = [
    pytest.param(name, language, marks=[pytest.mark.slow] if (number // 4 + place) % 2 or number % 4 else [])
    for number, name in enumerate(TEMPLATES)
    for place, language in enumerate(template_files.LANGUAGES)
]
"""With every change each fourth one in one of its languages, the languages in turn."""


def begun(db: database.Database, files: Sequence[Path], *, door: str, programme: Path | None = None) -> None:
    """Projects that are loaded and started, behind one invitation; with a programme file, behind that of it."""
    with db.transaction() as session:
        names = [projects.load_project_file(session, file, now=engine.SIMULATION_START).name for file in files]
        if programme is not None:
            projects.load_programme(session, programme_files.read_programme(programme), now=engine.SIMULATION_START)
        behind = invitations.get_target(session, door)
        invitations.create_invitation(session, target=behind, code="all", uses=12, now=engine.SIMULATION_START)
        for name in names:
            transitions.start_project(session, project=queries.get_project(session, name), now=engine.SIMULATION_START)


def lived(db: database.Database, simulation: Simulation, names: Sequence[str]) -> None:
    """Some steps, a pause in which nothing new is handed out, and all the rest; then closed."""
    simulation.run(steps=12)
    move(db, simulation, transitions.pause_project, names)
    before = shown(db)
    simulation.run(steps=24)
    assert shown(db) == before
    move(db, simulation, transitions.start_project, names)
    simulation.run()
    move(db, simulation, transitions.close_project, names)


def move(db: database.Database, simulation: Simulation, step: object, names: Sequence[str]) -> None:
    """A step in the life of every project."""
    assert callable(step)
    with db.transaction() as session:
        for name in names:
            step(session, project=queries.get_project(session, name), now=simulation.now)


def shown(db: database.Database) -> int:
    """How many items were handed out."""
    with db.reading() as session:
        return session.exec(select(func.count()).select_from(Assignment)).one()


def whole(db: database.Database, name: str) -> None:
    """Every main item that nobody took out has its answers, and the rows agree with each other."""
    with db.reading() as session:
        project = queries.get_project(session, name)
        stands = campaign_status.get_campaign_status(session, project)
        assert stands.items.done == stands.items.number - stands.items.paused
        assert stands.items.in_hand == 0
        events = session.exec(select(Journal.event).where(Journal.project_id == project.id)).all()
        assert [one for one in events if one.startswith("project ")] == [
            "project loaded", "project started", "project paused", "project resumed", "project closed",
        ]  # fmt: skip
        assert invariants.list_violations(session) == ()
    assert [one for one in system_checks.check_database(db.engine) if one.wrong] == []


@pytest.mark.parametrize(("name", "language"), EVERY_TEMPLATE)
def test_every_template_lives_through_and_is_published(
    sqlite_url: str, tmp_path: Path, name: str, language: str
) -> None:
    """All files are written, with a data set for every question, in both languages of the template."""
    template_files.write_template(tmp_path / name, template_name=name, language=language)
    with database.open_database(sqlite_url) as db:
        begun(db, [tmp_path / name / "project.yaml"], door=name)
        lived(db, engine.create_simulation(db, settings=BUSY, names=[name]), [name])
        whole(db, name)
        stages_were_met(db, name)
        with db.reading() as session:
            project = queries.get_project(session, name)
            derived = follow_up.derive_items(session, source=project, where=["pool = main"])
            assert all(row["lineage"]["consensus"] is not None for row in derived.rows)
            data = release.build_data_sets(session, [name])
        made = tables.build_release(data, agreement_resamples=100)
        files = tables.write_release(made, tmp_path / "export", extra_files=report.build_report_pages(made))
        has_options = any(one.answer_type.has_options for one in data)
        compares = any(one.answer_type.compares_texts for one in data)
        rates_systems = any(one.measurement_level == "interval" for one in data)
        assert len(files) == 13 + has_options + 3 * compares + 3 * rates_systems
        assert made.simulated
        asked = {one.name: one.kind for one in data}
        assert set(asked.values()) >= set(KINDS.get(name, ("label",)))
        numbers(made)
        assert set(made.gold["item_id"]) >= set(data[0].list_counted_answers()["item_id"]) - set(data[0].control_gold)


def numbers(made: tables.Release) -> None:
    """What counts has a consensus and coefficients, and scores where there is gold, each with its kind's own metric."""
    for result in made.results:
        assert result.consensus is not None
        assert len(result.consensus.labels) == result.votes.frame["item"].nunique()
        assert result.agreement is not None
        gold = result.data.items.set_index("item_id")["gold"].dropna().index
        assert (result.performance is None) == (not result.votes.frame["item"].isin(gold).any())
        for unit in result.performance.units if result.performance else ():
            values = [score.value for score in unit.scores if score.metric not in {"mcc", "wer", "cer"}]
            assert all(value is None or 0 <= value <= 1 for value in values)
            assert unit.wrong is not None
            assert unit.primary.value == pytest.approx((unit.total - unit.wrong) / unit.total)
        metric = "accuracy" if result.data.answer_type.is_label else "exact_match"
        rows = made.scores.loc[made.scores["dataset"] == result.data.name]
        assert rows.empty or rows["metric"].iloc[0] == metric


def stages_were_met(db: database.Database, name: str) -> None:
    """Control and training items were met where the template has them, training by everybody who went on."""
    with db.reading() as session:
        project = queries.get_project(session, name)
        pools = set(session.exec(select(Item.pool).where(Item.project_id == project.id)).all())
        answered = (
            select(Item.pool)
            .join(Assignment)
            .where(Item.project_id == project.id, Assignment.status == AssignmentStatus.DONE)
        )
        assert set(session.exec(answered).all()) == pools
        if Pool.TRAINING in pools:
            main = select(Assignment.annotator_id).where(Assignment.stage == Stage.MAIN)
            trained = select(Assignment.annotator_id).where(Assignment.stage == Stage.TRAINING)
            assert set(session.exec(main).all()) <= set(session.exec(trained).all())


PROGRAMME = """\
programme: both
title: Два завдання
language: uk
consent: {file: consent.md, version: "1"}
profile:
  - {name: native, text: Чи українська рідна?, options: [так, ні], required: yes}
  - {name: age, text: Скільки вам років?, type: number}
  - {name: city, text: Де ви живете?, type: text}
admission: {profile: {native: так}}
order: interleaved
projects:
  - {file: baseline/project.yaml, quota: 2}
  - {file: ethics/project.yaml}
"""


@pytest.mark.slow
def test_a_programme_lives_through(sqlite_url: str, tmp_path: Path) -> None:
    """One invitation, consent and profile for both projects; they are interleaved, and the quota holds."""
    names = ["baseline", "ethics"]
    for name in names:
        template_files.write_template(tmp_path / name, template_name=name)
    (tmp_path / "consent.md").write_text("Я згоден.", "utf-8")
    (tmp_path / "programme.yaml").write_text(PROGRAMME, "utf-8")
    with database.open_database(sqlite_url) as db:
        files = [tmp_path / name / "project.yaml" for name in names]
        begun(db, files, door="both", programme=tmp_path / "programme.yaml")
        simulation = engine.create_simulation(db, settings=BUSY, names=names)
        lived(db, simulation, names)
        for name in names:
            whole(db, name)
        with db.reading() as session:
            chosen = select(Participation).join(Project).where(Project.name == "baseline")
            taking_part = session.exec(chosen).all()
            worked = {one.annotator_id for one in taking_part if one.shown}
            assert max(one.answered for one in taking_part) == 2
            assert {one.annotator_id for one in session.exec(select(Consent)).all()} >= worked
            said = [definitions.get_profile_answers(session, annotator_id=who) for who in sorted(worked)]
            assert {one["native"] for one in said} == {"так"}
            data = release.build_data_sets(session, names)
        made = tables.build_release(data, agreement_resamples=100)
        assert {one.split("/")[0] for one in made.responses["dataset"]} == set(names)


@pytest.mark.parametrize("language", template_files.LANGUAGES)
def test_the_template_of_a_programme_lives_through(sqlite_url: str, tmp_path: Path, language: str) -> None:
    """Its projects are named after the folder, and all of their items are answered."""
    folder = tmp_path / "words"
    template_files.write_template(folder, template_name="programme", language=language)
    names = ["words.odd-one-out", "words.longer-word"]
    with database.open_database(sqlite_url) as db:
        files = [folder / "odd-one-out.yaml", folder / "longer-word.yaml"]
        begun(db, files, door="words", programme=folder / "programme.yaml")
        lived(db, engine.create_simulation(db, settings=BUSY, names=names), names)
        for name in names:
            whole(db, name)
            with db.reading() as session:
                status = campaign_status.get_campaign_status(session, queries.get_project(session, name))
            assert status.items.done == status.items.number == 6


QUALIFIED = """\
project: strict
title: t
language: en
instructions: Read.
question: {type: choice, text: Which?}
items: {file: items.jsonl, id: id, show: text, options: options, gold: gold, where: {pool: main}}
overlap: 3
stages:
  training: {pool: {where: {pool: training}}}
  qualification: {pool: {where: {pool: qualification}}, number: 6, pass_mark: 4 of 6, attempts: 2, cool_down: 2 h}
pages: {items: 3}
controls: {pool: {where: {pool: control}}, per_page: 1}
quality:
  - {rule: control, accuracy: < 50 %, min_controls: 4, consequence: exclude}
  - {rule: seconds, least: 2 s, per: item, consequence: flag}
consent: {file: consent.md, version: "1"}
content_warning: Some texts are sad.
attestation: {text: Which tools?, options: [none, a dictionary]}
repeats: {share: 30 %}
caps: {items_per_day: 15}
"""
POOLS = {"main": 30, "training": 2, "qualification": 8, "control": 12}


def strict(folder: Path, text: str = QUALIFIED) -> Path:
    """A project with every stage, control items and rules, four options an item."""
    rows = [
        {
            "id": f"{pool}{number}", "text": f"{pool} {number}", "pool": pool, "gold": f"{pool[0]}{number}b",
            "options": [f"{pool[0]}{number}{letter}" for letter in "abcd"],
        }
        for pool, count in POOLS.items()
        for number in range(count)
    ]  # fmt: skip
    folder.mkdir()
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "consent.md").write_text("I agree.", "utf-8")
    (folder / "project.yaml").write_text(text, "utf-8")
    return folder / "project.yaml"


@pytest.mark.slow
def test_the_careless_fail_the_qualification(sqlite_url: str, tmp_path: Path) -> None:
    """Whoever guesses among four options does not get four of six, twice; the others do, and repeats come to them."""
    crowd = SimulationSettings(
        people=12, careless=0.25, skill=0.95, skips=0.02, undos=0.1, reports=0, leaves=0.05, days=1, seed=1
    )
    with database.open_database(sqlite_url) as db:
        begun(db, [strict(tmp_path / "strict")], door="strict")
        simulation = engine.create_simulation(db, settings=crowd, names=["strict"])
        lived(db, simulation, ["strict"])
        whole(db, "strict")
        with db.reading() as session:
            stands = campaign_status.get_campaign_status(session, queries.get_project(session, "strict"))
            careless = {one.annotator_id for one in simulation.agents if one.annotator.careless}
            failed = set(session.exec(select(Participation.annotator_id).where(Participation.status == "failed")))
            assert failed == careless
            assert stands.qualification is not None
            assert stands.qualification.passed >= 3
            repeated = select(func.count()).select_from(Assignment).where(col(Assignment.is_repeat))
            assert session.exec(repeated).one() > 0


@pytest.mark.slow
def test_rules_exclude_the_careless_and_their_places_go_to_others(sqlite_url: str, tmp_path: Path) -> None:
    """Without a qualification they come as far as the fourth control item; what they said there does not count."""
    text = "".join(line for line in QUALIFIED.splitlines(keepends=True) if "qualification" not in line)
    crowd = SimulationSettings(
        people=15, careless=0.2, skill=0.95, skips=0, undos=0, reports=0, leaves=0, days=1, seed=4
    )
    with database.open_database(sqlite_url) as db:
        begun(db, [strict(tmp_path / "strict", text)], door="strict")
        simulation = engine.create_simulation(db, settings=crowd, names=["strict"])
        simulation.run()
        with db.transaction() as session:
            project = queries.get_project(session, "strict")
            stands = campaign_status.get_campaign_status(session, project)
            careless = {one.annotator_id for one in simulation.agents if one.annotator.careless}
            excluded = set(session.exec(select(Participation.annotator_id).where(Participation.status == "excluded")))
            met = select(Assignment.annotator_id, func.count()).where(
                col(Assignment.is_control), Assignment.status == AssignmentStatus.DONE
            )
            controls = dict(session.exec(met.group_by(col(Assignment.annotator_id))).all())
            assert excluded == {who for who in careless if controls.get(who, 0) >= 4}
            assert excluded
            theirs = (
                select(Judgement.excluded_reason)
                .join(Assignment)
                .where(col(Assignment.annotator_id).in_(excluded), Assignment.stage == Stage.MAIN)
            )
            assert set(session.exec(theirs).all()) == {"control items right < 50%, with at least 4"}
            assert stands.items.done == stands.items.number
            assert session.exec(select(Item.id).where(Item.status != ItemStatus.OPEN)).all() == []
            assert invariants.list_violations(session) == ()
