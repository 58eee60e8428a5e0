"""Score variants, answers counted otherwise: skips, first answers, exposure, insiders, exclusions, versions."""

from __future__ import annotations

from typing import Any

import pytest

from exports import tables, writers
from exports.inputs import DataSet
from exports.tables import Release

Make = Any
Rows = list[dict[str, object]]


def released(*data_sets: DataSet) -> Release:
    return tables.build_release(data_sets, agreement_resamples=50)


def built(make: Make, extra: Rows, *, votes: dict[str, str] | None = None, **more: Any) -> DataSet:
    """Four items with gold так; unless given otherwise three annotators answer all of them right."""
    items = [make.item(f"i{number}", "так") for number in range(1, 5)]
    answers = make.answered(votes or dict.fromkeys(("i1", "i2", "i3", "i4"), "ттт"))
    planned = {"overlap": 5} | more
    return make.data_set(items=items, responses=[*answers, *extra], **planned)  # type: ignore[no-any-return]


def shares(release: Release, *, subset: str) -> dict[str, tuple[str, int]]:
    """Accuracy and total by unit."""
    rows = release.scores
    chosen = rows.loc[(rows["subset"] == subset) & (rows["metric"] == "accuracy")]
    return {row["unit"]: (row["value"], row["total"]) for _, row in chosen.iterrows()}


@pytest.mark.parametrize("classes", [("так", "ні"), None])
def test_a_skip_is_wrong_in_the_primary_score_and_left_out_beside_it(make: Make, classes: Any) -> None:
    """12 right answers and 4 skips are 12 of 16, without them 12 of 12; what all skipped is wrong as a whole."""
    skips = [make.response("i1", "a4", None, skip_reason="unclear")]
    skips += [make.response("i5", annotator, None, skip_reason="too long") for annotator in ("a1", "a2", "a3")]
    data = built(make, skips, classes=classes)
    data.items.loc[len(data.items)] = make.item("i5", "так")
    release = released(data)
    assert shares(release, subset="all")["individual"] == ("0.7500", 16)
    assert shares(release, subset="all")["majority"] == ("0.8000", 5)
    assert shares(release, subset="skips excluded") == {"individual": ("1.0000", 12), "majority": ("1.0000", 4)}
    counts = release.agreement["так-ні"]["counts"]
    assert (counts["votes"], counts["skips"], counts["excluded"]) == (12, 4, 0)
    assert counts["skips_by_reason"] == {"too long": 3, "unclear": 1}
    assert counts["items_without_votes_by_reason"] == {"only skipped": 1}
    assert counts["annotators_without_votes_by_reason"] == {"only skipped": 1}
    assert release.gold["n_votes"].tolist() == [3, 3, 3, 3, 0]
    assert {row["n_votes"] for row in release.agreement["так-ні"]["agreement"]["coefficients"]} == {12}
    (a4,) = release.annotators.loc[release.annotators["annotator"] == "a4", ["n", "right", "skips"]].to_numpy().tolist()
    assert a4 == [1, 0, 1]


def test_the_first_answer_is_scored_beside_the_final_one(make: Make) -> None:
    """One answer that was right at first, one that was a skip, one abstained: 2 of 3 finally, 1 of 2 at first."""
    rows = [
        make.response("i1", "a1", "ні", revision=1, first_response="так"),
        make.response("i2", "a1", "так", revision=2, first_response=None),
        make.response("i3", "a1", "так", revision=1, first_response="не знаю", first_excluded_reason="abstained"),
    ]
    release = released(make.data_set(items=[make.item(f"i{n}", "так") for n in (1, 2, 3)], responses=rows))
    assert shares(release, subset="all")["individual"] == ("0.6667", 3)
    assert shares(release, subset="first answers")["individual"] == ("0.5000", 2)


def test_an_abstention_that_followed_an_answer_counts_as_that_answer_at_first(make: Make) -> None:
    """The final answer is no vote, the first answer is one."""
    more = {"revision": 1, "first_response": "ні", "first_excluded_reason": None}
    rows = [make.response("i1", "a4", "не знаю", excluded_reason="abstained", **more)]
    release = released(built(make, rows))
    assert shares(release, subset="all")["individual"] == ("1.0000", 12)
    assert shares(release, subset="first answers")["individual"] == ("0.9231", 13)


def test_exceptions_from_blindness_are_scored_apart(make: Make) -> None:
    """An exposed wrong answer and an exposed skip are in no other number, and have a score of their own.

    Where the question was left open nothing was said, here as elsewhere.
    """
    rows = [make.response("i1", "a9", "ні", exposed=True), make.response("i2", "a9", "так", exposed=True)]
    rows += [make.response("i3", "a9", None, exposed=True, skip_reason="unclear")]
    rows += [make.response("i4", "a9", None, exposed=True)]
    release = released(built(make, rows))
    assert shares(release, subset="all")["individual"] == ("1.0000", 12)
    assert shares(release, subset="exposed only") == {"individual": ("0.3333", 3), "majority": ("0.3333", 3)}
    assert release.agreement["так-ні"]["counts"]["excluded_by_reason"] == {"exposed: scored apart": 4}


def test_everybody_exposed_has_only_the_score_apart(make: Make) -> None:
    """Where every answer is an exception there is no primary score, and the exceptions are still scored."""
    rows = [make.response("i1", annotator, "так", exposed=True) for annotator in ("a1", "a2")]
    release = released(make.data_set(items=[make.item("i1", "так")], responses=rows))
    assert release.baselines.empty
    assert shares(release, subset="exposed only")["individual"] == ("1.0000", 2)
    assert set(release.scores["beyond_half_width"]) == {None}


def test_insiders_are_in_the_primary_score_and_out_of_the_one_beside_it(make: Make) -> None:
    """Two wrong answers of an insider; where all are insiders the reason stands in agreement.json."""
    release = released(built(make, [make.response(item, "a8", "ні", insider=True) for item in ("i1", "i2")]))
    assert shares(release, subset="all")["individual"] == ("0.8571", 14)
    assert shares(release, subset="without insiders")["individual"] == ("1.0000", 12)
    assert release.agreement["так-ні"]["counts"]["insiders"] == 1
    alone = make.data_set(items=[make.item("i1", "так")], responses=[make.response("i1", "a", "так", insider=True)])
    reasons = released(alone).agreement["так-ні"]["baselines"]["missing_subsets"]
    assert reasons == {"without insiders": "Nobody answered an item that has gold."}


def test_answers_of_each_surface_have_a_score(make: Make) -> None:
    """Where they came from several; the checklist's line on the stimulus counts them."""
    page = [make.response(item, annotator, "ні", surface="answer page") for item in ("i1", "i2") for annotator in "xy"]
    data = built(make, page)
    data.responses["surface"] = data.responses["surface"].fillna("telegram")
    release = released(data)
    assert shares(release, subset="surface answer page")["individual"] == ("0.0000", 4)
    assert shares(release, subset="surface telegram")["individual"] == ("1.0000", 12)
    data.responses["surface"] = "telegram"
    assert shares(released(data), subset="surface telegram") == {}


def test_scores_with_the_exclusions_kept_are_flagged_where_they_differ_much(make: Make) -> None:
    """What a rule excluded counts again there; extras, controls and labels that are none do not."""
    votes = {f"i{number}": "тттн"[: 3 + number % 2] for number in range(1, 13)}
    items = [make.item(f"i{number}", "так") for number in range(1, 13)]
    ruled = {"excluded_reason": "control accuracy < 0.5", "by_rule": True}
    wrong = [make.response(f"i{number}", f"x{n}", "ні", **ruled) for number in range(1, 13) for n in range(4)]
    never = [
        make.response("i1", "y", "ні", excluded_reason="extra: the item had its answers", by_rule=False),
        make.response("i1", "z", "ні", is_control=True, **ruled),
        make.response("i1", "w", "не знаю", **ruled),
    ]
    release = released(make.data_set(items=items, responses=[*make.answered(votes), *wrong, *never], overlap=4))
    assert shares(release, subset="all")["individual"] == ("0.8571", 42)
    assert shares(release, subset="exclusions kept")["individual"] == ("0.4000", 90)
    rows = release.scores.loc[(release.scores["unit"] == "individual") & (release.scores["metric"] == "accuracy")]
    assert rows[["subset", "beyond_half_width"]].to_numpy().tolist() == [["all", None], ["exclusions kept", True]]


def test_several_versions_of_the_instructions_are_scored_each(make: Make) -> None:
    """One subset a version, none where all saw the same."""
    data = built(make, [])
    data.responses["instruction_sha256"] = ["a" * 64] * 4 + ["b" * 64] * 8
    found = released(data).scores["subset"].unique().tolist()
    assert found == ["all", "instructions aaaaaaaaaaaa", "instructions bbbbbbbbbbbb"]
    data.responses["instruction_sha256"] = "a" * 64
    assert released(data).scores["subset"].unique().tolist() == ["all"]


def test_nothing_but_main_answers_enters_a_number(make: Make) -> None:
    """Pilot, training, qualification, control and repeated answers change only human_responses and what is excluded."""
    plain = built(make, [])
    rows = [make.response("i1", "a7", "ні", stage=stage) for stage in ("pilot", "training", "qualification")]
    rows += [make.response("i1", "a7", "ні", is_control=True), make.response("i1", "a1", "ні", is_repeat=True)]
    before, after = released(plain), released(built(make, rows))
    for name in ("scores", "baselines"):
        assert writers.format_csv(getattr(before, name)) == writers.format_csv(getattr(after, name))
    assert after.gold.drop(columns="n_excluded").equals(before.gold.drop(columns="n_excluded"))
    old, new = before.agreement["так-ні"], after.agreement["так-ні"]
    assert (old["agreement"], old["consensus"]) == (new["agreement"], new["consensus"])
    assert new["counts"]["excluded_by_reason"] == {
        "control item": 1, "pilot item": 1, "qualification item": 1, "repeated item": 1, "training item": 1,
    }  # fmt: skip
    written = after.responses["excluded_reason"].dropna()
    assert written.value_counts().to_dict() == new["counts"]["excluded_by_reason"]
    assert new["counts"]["excluded"] == len(rows) == len(after.responses) - new["counts"]["votes"]
