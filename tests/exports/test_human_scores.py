"""People's numbers on a task, also where there are few or none of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from exports.benchmark_items import BuildOptions, build_tasks
from exports.human_scores import HumanUnit, measure_human_scores
from exports.inputs import DataSet
from exports.lm_eval import list_recordings
from exports.results import DataSetResult

Make = Any


def build(make: type[Make], *, people: int, gold: str | None = "так", **more: object) -> DataSet:
    """Ten items that so many people answered, each wrongly on one of them."""
    items = [make.item(f"i{number}", gold, **more) for number in range(10)]
    votes = {
        f"i{number}": "".join("н" if number == person else "т" for person in range(people)) for number in range(10)
    }
    data: DataSet = make.data_set(items=items, responses=make.answered(votes), overlap=None)
    return data


@pytest.mark.parametrize(
    ("people", "more", "reasons"),
    [
        (6, {}, {"ceiling": "No gold review"}),
        (1, {}, {"individual": "With 1 person nothing", "agreement": "No item has two votes"}),
        (0, {}, dict.fromkeys(("individual", "majority", "agreement"), "No answer counts")),
        (6, {"circular": True}, dict.fromkeys(("individual", "majority"), "own votes")),
        (6, {"gold": None}, dict.fromkeys(("individual", "majority"), "No item has gold")),
    ],
)
def test_each_number_has_its_value_or_the_reason(
    make: type[Make], people: int, more: dict[str, Any], reasons: dict[HumanUnit, str]
) -> None:
    """Those of the results that `baseline` and `agreement` print; in words, whatever there is."""
    data = build(make, people=people, **more)
    human, result = measure_human_scores(data, set(data.items["item_id"])), DataSetResult(data=data)
    for unit in human.rows:
        expected = reasons.get(unit.unit)
        assert expected is None or expected in unit.reason, unit
        assert unit.value is not None or unit.reason
        assert str(unit).startswith(f"{unit.title}: ")
    if result.performance is not None:
        assert human["individual"].value == result.performance["individual"].primary.value
        assert human["individual"].ci_low == result.performance["individual"].primary.ci_low
    if result.headline_agreement is not None:
        assert human["agreement"].value == result.headline_agreement.value
    assert str(human).endswith(".")
    assert human.to_plain()["individual"]["value"] == pytest.approx(human["individual"].value, abs=1e-6)


def test_items_that_models_are_not_asked_are_left_out_and_counted(make: type[Make]) -> None:
    """Retired ones, say: their answers are in no number. Simulated answers are marked."""
    data = replace(build(make, people=6), simulated=True)
    human = measure_human_scores(data, {f"i{number}" for number in range(6, 10)})
    assert (human.n_left_out, human["individual"].n_items, human["individual"].value) == (6, 4, 1.0)
    assert "SIMULATED" in str(human)
    assert human.to_plain()["simulated"] is True


def test_gold_of_adjudicators_scores_models_alone(make: type[Make], make_release: Any) -> None:
    """Where none was declared: only doubtful items were adjudicated, so that people's score would be biased by them."""
    data = build(make, people=6)
    items = data.items.copy()
    items.loc[items.index[0], ["gold", "gold_origin"]] = None
    decided = pd.DataFrame([{"item_id": "i0", "holds": True, "labels": '["так"]', "version": "1"}])
    source = make_release.source(replace(data, items=items, adjudications=decided), name="x")
    (task,), _ = build_tasks(source.tasks, options=BuildOptions(), canary="c")
    assert {doc["item_id"]: doc["gold_source"] for doc in task.docs}["i0"] == "adjudication"
    recordings, people = list_recordings([task])
    assert (task.human["individual"].n_items, people[task.name].n_items) == (9, 9)
    assert "i0" not in recordings["majority"][0][task.name]
