"""The programme of nine data sets of the examples: it lives a whole simulated life, and releases with one table."""

from __future__ import annotations

from pathlib import Path

import pytest
from _command import Hromada, Ran

from annotation.campaigns import programme_file
from annotation.loading import campaign as loading
from annotation.simulation import engine
from annotation.simulation.answer_generator import SimulationSettings
from annotation.store import database, queries
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions

pytestmark = pytest.mark.timeout(1200)  # the first test waits for the whole simulated month
PROGRAMME = Path(__file__).parents[2] / "examples" / "eval-ua-tion" / "programme" / "programme.yaml"
TASKS = (
    "ua-cbt", "up-masked", "up-unmasked", "low", "wis", "word-length", "words-alphabet", "cats-bin", "cats-mc",
)  # fmt: skip


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Hromada:
    """The programme, answered by sixteen simulated people in January, and closed."""
    place = Hromada(tmp_path_factory.mktemp("nine"))
    checked = programme_file.read_programme(PROGRAMME)
    names = [project.name for project in checked.projects]
    with database.open_database(f"sqlite:///{place.folder / 'hromada.db'}") as db:
        with db.transaction() as session:
            for project in checked.projects:
                projects.load_project(session, project, loading.read_contents(project), now=engine.SIMULATION_START)
            projects.load_programme(session, checked, now=engine.SIMULATION_START)
            programme = queries.find_programme(session, "nine")
            assert programme is not None
            invitations.create_invitation(
                session, target=programme, code="code-nine", uses=100, now=engine.SIMULATION_START
            )
            for name in names:
                stored = queries.get_project(session, name)
                transitions.start_project(session, project=stored, now=engine.SIMULATION_START)
        settings = SimulationSettings(people=16, careless=0.0, reports=0.0, skill=0.92)
        simulation = engine.create_simulation(db, settings=settings, names=names)
        simulation.run()
        with db.transaction() as session:
            for name in names:
                transitions.close_project(session, project=queries.get_project(session, name), now=simulation.now)
    return place


@pytest.fixture(scope="module")
def released(nine: Hromada) -> Ran:
    """What the release of the programme into the folder `out` said."""
    done = nine("release", "nine", "out", "--no-replay", "--json")
    assert done.code == 0, done.out + done.err
    return done


@pytest.mark.slow
def test_the_programme_releases_with_one_table_of_its_nine_data_sets(nine: Hromada, released: Ran) -> None:
    done = released
    assert (done.json["status"], done.json["blocking"]) == ("secondary", [])
    assert done.json["stamp"] == "SIMULATED · SECONDARY"
    unknown = {line["id"] for line in done.json["lines"] if line["status"] == "not evidenced"}
    assert unknown == {"R12"}, "the files say what holds of anybody who answers, and invent nobody's recruitment"
    table = (nine.folder / "out" / "tables" / "results.md").read_text("utf-8")
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| nine.")]
    assert rows == [f"nine.{task}" for task in TASKS]
    (mean,) = (line for line in table.splitlines() if line.startswith("| Mean over tasks"))
    assert mean.split("|")[2].strip() == "180"
    latex = (nine.folder / "out" / "tables" / "results.tex").read_text("utf-8")
    assert all(rf"\textbf{{nine.{task} (items: 20, " in latex for task in TASKS)
    verified = nine("release", "--verify", "out", "--json")
    assert verified.code == 0, verified.out


@pytest.mark.slow
@pytest.mark.usefixtures("released")
def test_facts_of_people_stand_in_their_tables(nine: Hromada) -> None:
    """Training and qualification, repeats, consents and profiles are there, and small cells are not."""
    folder = nine.folder / "out"
    qualification = (folder / "qualification.csv").read_text("utf-8").splitlines()
    assert len(qualification) == 10
    assert "3 of 4" in qualification[1]
    assert (folder / "texts" / "nine.low" / "training.jsonl").read_text("utf-8").count("\n") == 4
    consents = list((folder / "texts").rglob("consent-*.txt"))
    assert consents
    assert "/withdraw" in consents[0].read_text("utf-8")
    for line in (folder / "demographics.csv").read_text("utf-8").splitlines()[1:]:
        number = line.split(",")[-2]
        assert number == "" or int(number) >= 3 or int(number) == 0, line
