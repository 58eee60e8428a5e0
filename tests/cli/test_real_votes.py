"""The main job on real votes, from the raw files, through the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from _tables import write_table

from aggregation import schema
from aggregation.agreement.coefficients import compute_alpha
from annotation.campaigns import project_file
from annotation.loading import campaign

if TYPE_CHECKING:
    from _command import Hromada

PARUS = """
project: PARus
title: PARus
language: ru
question: {type: choice, text: "Что верно?", labels: positions}
items: from votes
votes:
  format: toloka
  file: %(data)s/rsg-humanbenchmark/PARus/assign_PARus.tsv
  item: ["INPUT:premise", "INPUT:sent1", "INPUT:sent2", "INPUT:question"]
  options: ["INPUT:sent1", "INPUT:sent2"]
truth:
  file: %(data)s/rsg-humanbenchmark/PARus/gold_PARus.csv
  item: [premise, sent1, sent2, question]
  gold: gold
"""

RWSD = """
project: RWSD
title: RWSD
language: ru
question: {type: choice, text: "Относится ли слово к выделенному?", options: ["true", "false"]}
items: from votes
votes:
  format: toloka
  file: %(data)s/rsg-humanbenchmark/RWSD/assign_RWSD.tsv
  item: ["INPUT:text", "INPUT:span1"]
"""

RCB_OPTIONS = {
    "raw": "[contradiction, contradiction2, entailment, entailment6, neutral, neutral3, neutral5]",
    "mapped": "[contradiction, entailment, neutral]",
}
RCB_LABELS = {
    "raw": "{}",
    "mapped": "{map: {contradiction2: contradiction, entailment6: entailment, neutral3: neutral, neutral5: neutral}}",
}
RCB = """
project: RCB
title: RCB
language: ru
question: {type: choice, text: "Следует ли?", options: %(options)s}
items: from votes
votes:
  format: csv
  file: %(data)s/rsg-humanbenchmark/RCB/assign_RCB.tsv
  item: [premise, hypothesis]
  annotator: worker_id
  answer: result
  repeats: %(repeats)s
  labels: %(labels)s
"""

TRUTH_INFERENCE = """
project: %(name)s
title: %(name)s
language: en
question: {type: choice, text: "Which?", options: %(options)s}
items: from votes
votes:
  format: csv
  file: %(folder)s/label.csv
  item: item
  annotator: worker
  answer: label
  repeats: all
truth: {file: %(folder)s/truth.csv, item: item, gold: truth}
"""

PATIENTS = """
project: patients
title: Patients of 1979
language: en
question: {type: choice, text: "Which class?", options: [1, 2, 3, 4]}
items: from votes
votes: {format: crowd-kit, file: %(data)s/dawid-skene-1979/patients45.csv, repeats: all}
"""


GALLERY = Path(__file__).parents[2] / "docs/gallery.md"


def read_gallery(campaign: str) -> str:
    """The figures of ours that the gallery has for one of its campaigns."""
    rows = GALLERY.read_text("utf-8").partition("examples/russian-superglue/")[2].splitlines()
    row = next(row for row in rows if row.startswith(f"| {campaign} | choice |"))
    return row.split("|")[-2].strip()


@pytest.fixture
def data(shared: Path) -> Path:
    """The folder of real votes."""
    return shared / "data"


def truth_inference(data: Path, place: str, *, classes: int) -> str:
    """The project file of one of the truth-inference sets."""
    facts = {"name": Path(place).name, "folder": data / "truth-inference" / place, "options": list(range(classes))}
    return TRUTH_INFERENCE % facts


def coefficients(facts: dict[str, Any]) -> dict[str, float]:
    """The values of `agreement --json` by name."""
    return {row["name"]: row["value"] for row in facts["coefficients"]}


def units(facts: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    """Total, wrong and ties of `baseline --json` by unit."""
    return {unit["unit"]: (unit["total"], unit["wrong"], unit["n_ties"]) for unit in facts["units"]}


def test_parus_gives_the_published_figures(hromada: Hromada, data: Path) -> None:
    """PARus: 500 items, 111 people, majority .984, α .8640, all agree 89.8 %, individual 65 of 1,500 wrong."""
    name = hromada.loaded(PARUS % {"data": data}, outside=True)
    assert hromada("status", "--json").json[0]["annotators"] == 111
    majority = hromada("aggregate", name, "--json").json
    assert majority["accuracy"] == {"right": 492.0, "total": 500, "value": 0.984}
    found = coefficients(hromada("agreement", name, "--json").json)
    assert found["krippendorff_alpha_nominal"] == pytest.approx(0.8640, abs=5e-5)
    assert read_gallery("parus") == f"accuracy 0.984, α {found['krippendorff_alpha_nominal']:.3f}"
    assert found["all_agree"] == 0.898
    scores = hromada("baseline", name, "--json").json
    assert units(scores) == {"individual": (1500, 65, 0), "majority": (500, 8, 0), "dawid_skene": (500, 8, 0)}
    trivial = {one["name"]: one["scores"].get("accuracy") for one in scores["trivial_baselines"]}
    assert [trivial[one] for one in ("random", "random_by_class", "majority_class", "position")] == [0.5] * 4
    assert not any(one["is_found"] for one in scores["position_preferences"])
    assert "classes are positions" in hromada("agreement", name).out
    hromada("export", name, "--to", "out")
    rows = [line.split(",")[:7] for line in (hromada.folder / "out/baselines.csv").read_text().splitlines()[1:]]
    assert rows == [
        ["PARus", "individual", "pooled", "1500", "65", "50.00", "95.67"],
        ["PARus", "majority", "pooled", "500", "8", "50.00", "98.40"],
        ["PARus", "dawid_skene", "pooled", "500", "8", "50.00", "98.40"],
    ]


def test_parus_can_be_keyed_by_suite_and_position(hromada: Hromada, data: Path) -> None:
    """Suite and position find the same 500 items and the same majority as the texts do."""
    text = PARUS % {"data": data}
    text = text.replace('["INPUT:premise", "INPUT:sent1", "INPUT:sent2", "INPUT:question"]', "suite and position")
    text = text.replace("[premise, sent1, sent2, question]", "[task_suite_id, pos]")
    assert hromada("aggregate", hromada.loaded(text, outside=True), "--json").json["accuracy"]["value"] == 0.984


def test_rwsd_gives_its_low_alpha(hromada: Hromada, data: Path) -> None:
    """RWSD, keyed by text and span: α .165."""
    name = hromada.loaded(RWSD % {"data": data}, outside=True)
    found = coefficients(hromada("agreement", name, "--json").json)
    assert found["krippendorff_alpha_nominal"] == pytest.approx(0.164938, abs=1e-6)
    assert read_gallery("rwsd") == f"α {found['krippendorff_alpha_nominal']:.3f}"


@pytest.mark.parametrize(
    ("labels", "repeats", "alpha"),
    [("raw", "all", 0.1281), ("mapped", "all", 0.1811), ("raw", "first", 0.1264), ("mapped", "first", 0.1779)],
)
def test_rcb_gives_alpha_with_and_without_glued_digits(
    hromada: Hromada, data: Path, labels: str, repeats: str, alpha: float
) -> None:
    """RCB: mapping the glued digits away and keeping first answers each move α as published."""
    facts = {"data": data, "options": RCB_OPTIONS[labels], "labels": RCB_LABELS[labels], "repeats": repeats}
    name = hromada.loaded(RCB % facts, outside=True)
    found = coefficients(hromada("agreement", name, "--json").json)
    assert found["krippendorff_alpha_nominal"] == pytest.approx(alpha, abs=5e-5)
    if (labels, repeats) == ("mapped", "first"):
        assert read_gallery("rcb") == f"α {found['krippendorff_alpha_nominal']:.3f}"


def test_rcb_counts_what_it_changed_and_what_repeats(hromada: Hromada, data: Path) -> None:
    """The import says how many labels the map changed, and how many repeats do not count."""
    facts = {"data": data, "options": RCB_OPTIONS["mapped"], "labels": RCB_LABELS["mapped"], "repeats": "first"}
    path = hromada.write("project.yaml", RCB % facts)
    hromada("load", path, "--allow-outside")
    imported = hromada("import", "RCB", "--json").json
    assert (imported["votes"], imported["retained"], imported["repeats"]) == (1398, 1388, 10)
    assert imported["changed"] == [
        ["contradiction2", "contradiction", 17],
        ["entailment6", "entailment", 127],
        ["neutral3", "neutral", 24],
        ["neutral5", "neutral", 65],
    ]
    assert imported["excluded"] == {"repeat, the first counts": 10}


@pytest.mark.parametrize(
    ("place", "classes", "ties", "majority", "dawid_skene"),
    [
        ("SpectralMethodsMeetEM/dog", 4, "shared", 0.8222, 0.8426),
        ("SpectralMethodsMeetEM/rte", 2, "shared", 0.8969, 0.9275),
        ("active-crowd-toolkit/CF", 5, "shared", 0.8822, 0.830),
        ("active-crowd-toolkit/SP_amt", 2, "alphabetical", 0.9440, 0.944),
        pytest.param("crowd_truth_inference/d_jn-product", 2, "shared", 0.8966, 0.9397, marks=pytest.mark.slow),
        pytest.param(
            "crowd_truth_inference/s5_AdultContent", 4, "alphabetical", 0.7628, 0.7658, marks=pytest.mark.slow
        ),
    ],
)
def test_consensus_is_as_accurate_as_published(
    hromada: Hromada, data: Path, place: str, classes: int, ties: str, majority: float, dawid_skene: float
) -> None:
    """Majority under its tie rule and Dawid-Skene reach the accuracies known for these sets."""
    name = hromada.loaded(truth_inference(data, place, classes=classes), outside=True)
    found = hromada("aggregate", name, "--ties", ties, "--json").json
    assert found["accuracy"]["value"] == pytest.approx(majority, abs=5e-5)
    found = hromada("aggregate", name, "--method", "dawid_skene", "--json").json
    assert found["accuracy"]["value"] == pytest.approx(dawid_skene, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "classes", "expected"),
    [("SpectralMethodsMeetEM/dog", 4, (807, 118, 50)), ("SpectralMethodsMeetEM/rte", 2, (800, 50, 65))],
)
def test_ties_are_shared_by_a_baseline_as_by_the_consensus(
    hromada: Hromada, data: Path, place: str, classes: int, expected: tuple[int, int, int]
) -> None:
    """Total, wrong ones and ties of the majority as counted by hand; `baseline` and `aggregate` agree by any rule."""
    name = hromada.loaded(truth_inference(data, place, classes=classes), outside=True)
    found = hromada("baseline", name, "--json").json
    assert units(found)["majority"] == expected
    total, wrong, ties = expected
    for rule in ("shared", "first", "alphabetical", "drop"):
        score = hromada("baseline", name, "--ties", rule, "--json").json["units"][1]["scores"][0]
        label = hromada("aggregate", name, "--ties", rule, "--json").json
        assert score["value"] == pytest.approx(label["accuracy"]["value"], abs=1e-12), rule
        assert score["value_ties_wrong"] == pytest.approx((total - wrong - ties) / total)
        assert score["value_ties_wrong"] == pytest.approx(label["accuracy_ties_wrong"])


@pytest.mark.slow
def test_truth_may_cover_only_some_items(hromada: Hromada, data: Path) -> None:
    """s5_AdultContent has truth for 333 of its 11,040 items; only those are scored."""
    name = hromada.loaded(truth_inference(data, "crowd_truth_inference/s5_AdultContent", classes=4), outside=True)
    assert hromada("status", "--json").json[0]["items"] == 11040
    found = hromada("aggregate", name, "--ties", "alphabetical", "--json").json
    assert (found["accuracy"]["total"], round(found["accuracy"]["value"], 4)) == (333, 0.7628)


def test_the_patients_of_1979_give_the_published_class_marginals(hromada: Hromada, data: Path) -> None:
    """Dawid and Skene's own data: class marginals within .001 of .3996 .4220 .1118 .0667."""
    name = hromada.loaded(PATIENTS % {"data": data}, outside=True)
    found = hromada("aggregate", name, "--method", "dawid_skene", "--json").json
    expected = {"1": 0.3996, "2": 0.4220, "3": 0.1118, "4": 0.0667}
    assert found["marginals"] == pytest.approx(expected, abs=1e-3)
    assert found["iterations"] > 1


def test_dawid_skene_can_run_until_nothing_moves(hromada: Hromada, data: Path) -> None:
    """With `--stop converged` the 1979 marginals come out to four decimals, and the label says that it converged."""
    name = hromada.loaded(PATIENTS % {"data": data}, outside=True)
    found = hromada("aggregate", name, "--method", "dawid_skene", "--stop", "converged", "--json").json
    expected = {"1": 0.3996, "2": 0.4220, "3": 0.1118, "4": 0.0667}
    assert {label: round(share, 4) for label, share in found["marginals"].items()} == expected
    assert found["converged"] is True


def test_parus_agrees_with_the_stored_coefficients(hromada: Hromada, data: Path) -> None:
    """α, AC1, Fleiss, percent and all-agree of PARus, and the mean posterior beside them, a fraction as they are."""
    name = hromada.loaded(PARUS % {"data": data}, outside=True)
    found = coefficients(hromada("agreement", name, "--json").json)
    expected = {
        "krippendorff_alpha_nominal": 0.864036,
        "gwet_ac1": 0.864054,
        "percent_agreement": 0.932,
        "all_agree": 0.898,
        "fleiss_kappa": 0.863946,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6)
    assert found["dawid_skene_iaa"] == pytest.approx(0.9981, abs=5e-5)
    assert found["strict_majority"] is None  # three votes on two options always have one
    assert "under its own name" in hromada("agreement", name).out


def test_rwsd_has_no_fleiss_and_says_why(hromada: Hromada, data: Path) -> None:
    """RWSD's overlap differs from item to item: AC1 .3088, and Fleiss's κ is refused with that reason."""
    name = hromada.loaded(RWSD % {"data": data}, outside=True)
    rows = {row["name"]: row for row in hromada("agreement", name, "--json").json["coefficients"]}
    assert rows["gwet_ac1"]["value"] == pytest.approx(0.308803, abs=1e-6)
    assert rows["percent_agreement"]["value"] == pytest.approx(0.621119, abs=1e-6)
    assert rows["fleiss_kappa"]["value"] is None
    assert "equal" in rows["fleiss_kappa"]["reason"] or "same number" in rows["fleiss_kappa"]["reason"]


@pytest.mark.parametrize(
    ("by", "of"),
    [("label", {"true", "false"}), ("time", {"1", "2", "3", "4", "5"}), ("class", {"", "true", "false"})],
)
def test_agreement_can_be_broken_down(hromada: Hromada, data: Path, by: str, of: set[str]) -> None:
    """By label, over time and by class every row names its part, with n and interval."""
    name = hromada.loaded(RWSD % {"data": data}, outside=True)
    rows = hromada("agreement", name, "--by", by, "--json").json["coefficients"]
    assert {row["of"] for row in rows} == of
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows if row["low"] is not None)
    assert hromada("agreement", name, "--by", by).code == 0


def test_agreement_can_be_broken_down_by_people(hromada: Hromada, data: Path) -> None:
    """One row an annotator against the rest, and one row a pair who met."""
    name = hromada.loaded(RWSD % {"data": data}, outside=True)
    rows = hromada("agreement", name, "--by", "annotator", "--json").json["coefficients"]
    assert len(rows) == 53
    pairs = hromada("agreement", name, "--by", "pair", "--json").json["pairs"]
    assert len({(pair["annotator_a"], pair["annotator_b"]) for pair in pairs}) == len(pairs) > 300
    assert hromada("agreement", name, "--by", "pair").code == 0


@pytest.mark.parametrize(("method", "least"), [("wawa", 0.89), ("one_coin_dawid_skene", 0.88), ("one_coin", 0.85)])
def test_every_method_of_closed_labels_can_be_asked_for(
    hromada: Hromada, data: Path, method: str, least: float
) -> None:
    """CF by other methods, as accurate as is known of them; the method and its version stand in the answer."""
    name = hromada.loaded(truth_inference(data, "active-crowd-toolkit/CF", classes=5), outside=True)
    found = hromada("aggregate", name, "--method", method, "--json").json
    assert found["accuracy"]["value"] > least
    assert method in found["made"]


@pytest.mark.slow
def test_gold_that_made_the_labels_does_not_score_them(hromada: Hromada, data: Path) -> None:
    """With anchors, or skills from gold, no accuracy is given, and it is said why."""
    name = hromada.loaded(truth_inference(data, "SpectralMethodsMeetEM/rte", classes=2), outside=True)
    for options in (("--method", "dawid_skene", "--anchors"), ("--method", "skills")):
        assert hromada("aggregate", name, *options, "--json").json["accuracy"] is None
        assert "No accuracy" in hromada("aggregate", name, *options).out
    refused = hromada("aggregate", name, "--method", "skills", "--anchors")
    assert (refused.code, "takes no anchors" in refused.err) == (2, True)
    for method in ("skills", "gold_majority"):
        written = hromada("export", name, "--method", method, "--to", method, "--json")
        assert written.code == 0, written.err
        assert f"{method} (" in (hromada.folder / method / "gold.csv").read_text()


@pytest.mark.slow
def test_other_metrics_stand_beside_accuracy(hromada: Hromada, data: Path) -> None:
    """Macro-F1, weighted F1 and MCC in `baseline` and in human_baseline.csv, with intervals."""
    name = hromada.loaded(truth_inference(data, "SpectralMethodsMeetEM/rte", classes=2), outside=True)
    units = hromada("baseline", name, "--json").json["units"]
    assert [score["metric"] for score in units[0]["scores"]] == ["accuracy", "macro_f1", "weighted_f1", "mcc"]
    assert all(score["ci_low"] is not None for unit in units for score in unit["scores"])
    assert "mcc" in hromada("baseline", name).out
    hromada("export", name, "--to", "out")
    lines = (hromada.folder / "out/human_baseline.csv").read_text().splitlines()
    header = (
        "dataset,subset,unit,metric,value,ci_low,ci_high,se,item_only_low,item_only_high,ci_method,total,n_items,"
        "n_annotators,n_ties,value_ties_wrong,beyond_half_width,warning,normalise,variance_people,variance_groups,variance_items,variance_cell,"
        "icc_people,icc_groups,icc_items"
    )
    assert (lines[0], len(lines)) == (header, 1 + 3 * 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "classes", "ties_wrong", "fresh", "this"),
    [
        ("SpectralMethodsMeetEM/rte", 2, (0.7514, 0.9277, 0.8307, 0.8794), (0.7858, 0.9605), (0.8743, 0.9165)),
        ("SpectralMethodsMeetEM/dog", 4, (0.7509, 0.8287, 0.7628, 0.8183), (0.7832, 0.8567), (0.7951, 0.8469)),
    ],
)
def test_the_intervals_of_the_majority_are_near_those_of_the_reference(
    hromada: Hromada,
    data: Path,
    folder: str,
    classes: int,
    ties_wrong: tuple[float, ...],
    fresh: tuple[float, float],
    this: tuple[float, float],
) -> None:
    """For a fresh panel and for this one, in the command, in human_baseline.csv and, in percent, in baselines.csv.

    The reference counted ties wrong, which `--ties drop` does, and had Wilson's intervals: these are within .01.
    """
    name = hromada.loaded(truth_inference(data, folder, classes=classes), outside=True)
    dropped = hromada("baseline", name, "--ties", "drop", "--json").json["units"][1]["scores"][0]
    ends = [dropped[key] for key in ("ci_low", "ci_high", "item_only_low", "item_only_high")]
    assert ends == pytest.approx(ties_wrong, abs=0.0006)
    unit = hromada("baseline", name, "--json").json["units"][1]
    score = unit["scores"][0]
    assert unit["unit"] == "majority"
    assert (score["ci_low"], score["ci_high"]) == pytest.approx(fresh, abs=0.0006)
    assert (score["item_only_low"], score["item_only_high"]) == pytest.approx(this, abs=0.0006)
    assert "new people, 95 %" in hromada("baseline", name).out
    assert hromada("export", name, "--to", "out").code == 0
    with (hromada.folder / "out/human_baseline.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["unit"], row["metric"]) == ("majority", "accuracy")]
    assert (float(rows[0]["ci_low"]), float(rows[0]["ci_high"])) == pytest.approx(fresh, abs=0.0006)
    # in rte four people gave a third of the answers: another coverage holds, and a warning says why
    unequal = "Few people gave most answers" in rows[0]["warning"]
    assert (unequal, "a fresh panel covered .84-.92 in simulation" in rows[0]["ci_method"]) == (name == "rte",) * 2
    with (hromada.folder / "out/baselines.csv").open(encoding="utf-8", newline="") as file:
        row = {row["unit"]: row for row in csv.DictReader(file)}["majority"]
    assert float(row["bl_human_low"]) == pytest.approx(100 * fresh[0], abs=0.06)
    assert float(row["item_only_low"]) == pytest.approx(this[0], abs=0.0006)


@pytest.mark.parametrize("pool", ["SimpleAr", "BPS", "RCB", "RWSD"])
def test_control_tasks_of_toloka_are_kept_but_do_not_count(hromada: Hromada, data: Path, pool: str) -> None:
    """A pool with control tasks imports whole; its golden rows are there with the reason why they do not count."""
    answer = {"SimpleAr": "OUTPUT:result", "BPS": "OUTPUT:correct", "RCB": "OUTPUT:answer", "RWSD": "OUTPUT:result"}
    file = max((data / "mera-humanbenchmarks" / pool).glob("assignments*"), key=lambda path: path.stat().st_size)
    rows = file.read_text("utf-8").splitlines()
    header = rows[0].split("\t")
    answers = sorted({row.split("\t")[header.index(answer[pool])] for row in rows[1:]} - {""})
    text = f"""
project: {pool}
title: {pool}
language: ru
question: {{type: choice, text: "?", options: {[str(one) for one in answers]}}}
items: from votes
votes: {{format: toloka, file: "{file}"}}
"""
    hromada.write("project.yaml", text)
    assert hromada("load", "project.yaml", "--allow-outside").code == 0
    imported = hromada("import", pool, "--json").json
    golden = sum(bool(row.split("\t")[header.index("GOLDEN:" + answer[pool][7:])]) for row in rows[1:])
    assert imported["votes"] == len(rows) - 1
    assert imported["excluded"]["control item"] == golden > 0


CONCONCOR = """
project: words
title: ConConCor
language: nl
question: {type: choice, text: "Omstreden?", options: %(options)s}
items: from votes
votes:
  file: %(file)s
  item: extract_id
  annotator: anonymised_participant_id
  answer: response
  where: {anonymised_participant_id: %(people)s}
  labels: %(labels)s
"""
CONCONCOR_OPTIONS = {
    2: (
        "[Omstreden naar huidige maatstaven, Niet omstreden], abstain: Anders",
        "{map: {Weet ik niet: Anders, Onleesbare OCR: Anders}}",
    ),
    4: ("[Omstreden naar huidige maatstaven, Niet omstreden, Weet ik niet, Onleesbare OCR]", "{}"),
}  # fmt: skip
"""The options of the question and the map of labels, by the number of options that count."""


def list_batches(shared: Path, options: int) -> list[tuple[list[str], float | None]]:
    """The people of each batch, and the published α; None where it is undefined."""
    folder = shared / "data/conconcor"
    people = json.loads((folder / "batches_annotators.json").read_text("utf-8"))
    with (folder / f"k_alpha_per_batch_{options}_options.csv").open(encoding="utf-8", newline="") as table:
        rows = [(people[row["batch"]], row[f"k_alpha_{options}"]) for row in csv.DictReader(table)]
    return [(annotators, None if alpha == "zero division" else float(alpha)) for annotators, alpha in rows]


@pytest.mark.parametrize("options", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_batch_has_its_published_alpha(hromada: Hromada, shared: Path, options: int) -> None:
    """7 people of 436, chosen by `where`; with two options the others are abstentions."""
    people, alpha = list_batches(shared, options)[0]
    written, labels = CONCONCOR_OPTIONS[options]
    values = {"options": written, "labels": labels, "file": shared / "data/conconcor/Annotations.csv", "people": people}
    hromada.loaded(CONCONCOR % values, outside=True)
    told = {row["name"]: row for row in hromada("agreement", "words", "--json").json["coefficients"]}
    assert told["krippendorff_alpha_nominal"]["value"] == pytest.approx(alpha, abs=5.1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("options", [2, 4])
def test_every_batch_has_its_published_alpha(tmp_path: Path, shared: Path, options: int) -> None:
    """All 60, each from a file of its own."""
    written, labels = CONCONCOR_OPTIONS[options]
    with (shared / "data/conconcor/Annotations.csv").open(encoding="utf-8", newline="") as table:
        answers = list(csv.DictReader(table))
    found: list[tuple[float | None, float | None]] = []
    for people, alpha in list_batches(shared, options):
        of_batch = [row for row in answers if row["anonymised_participant_id"] in people]
        write_table(tmp_path / "Annotations.csv", of_batch)
        values = {"options": written, "labels": labels, "file": "Annotations.csv", "people": people}
        (tmp_path / "p.yaml").write_text(CONCONCOR % values, "utf-8")
        checked = project_file.read_project(tmp_path / "p.yaml")
        contents = campaign.read_contents(checked)
        section = checked.definition.votes
        assert section is not None
        read = campaign.read_votes(
            tmp_path / "Annotations.csv", section, questions=contents.questions, item_contents=contents.item_contents
        )
        rows = [(vote.item, vote.annotator, vote.response) for vote in read.votes if vote.exclusion is None]
        items = pd.DataFrame(
            {"group": [*contents.labels], "gold": None, "n_options": options},
            index=pd.Index([*contents.labels], dtype=object),
        )
        frame = pd.DataFrame(rows, columns=list(schema.VOTE_COLUMNS), dtype=object)
        votes = schema.check_votes(frame, items=items, classes=contents.questions[0].classes)
        found.append((compute_alpha(votes)[1], alpha))
    assert len(found) == 60
    differing = [pair for pair in found if pair[0] != (None if pair[1] is None else pytest.approx(pair[1], abs=5.1e-4))]
    assert not differing
