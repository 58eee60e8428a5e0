"""What a notebook imports from `aggregation`: other people's frames, results to look at, and what is refused."""

from __future__ import annotations

import doctest
import importlib
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import ibis
import pandas as pd
import pytest

from aggregation import compare_scores, find_consensus, measure_agreement, score_answers
from aggregation.errors import HromadaError, Refused
from aggregation.spelling import build_key

ROWS = [
    (task, worker, "abc"[(task + ((task * task + 3 * worker * task + worker) % 5 == 0)) % 3])
    for task in range(12)
    for worker in range(6)
]
VOTES = pd.DataFrame(ROWS, columns=["task", "worker", "label"])
TRUTH = pd.Series({task: "abc"[task % 3] for task in range(12)}, name="true_label")
CODES = {"a": 10, "b": 9, "c": 8}
MODULES = ("answer_scores", "found_labels", "measured_agreement", "score_differences")
COMPOSED = unicodedata.normalize("NFC", "й")
DECOMPOSED = unicodedata.normalize("NFD", "й")


def mix_forms(votes: pd.DataFrame) -> pd.DataFrame:
    """The label a in both of Unicode's forms, b with a blank after it."""
    is_odd = votes["worker"] % 2 == 1
    plain = votes["label"].replace({"a": COMPOSED, "b": "b "})
    return votes.assign(label=plain.where(is_odd, plain.replace(COMPOSED, DECOMPOSED)))


@pytest.fixture
def draw() -> Iterator[Callable[[Any], Any]]:
    """Draw a result, without a screen, and close the picture afterwards."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    backend = mpl.get_backend()
    plt.switch_backend("agg")
    yield lambda result: result.plot()
    plt.close("all")
    plt.switch_backend(backend)


HELD: list[tuple[Any, pd.DataFrame, Callable[[pd.DataFrame], Any]]] = [
    *((method, VOTES, duckdb.from_df) for method in ("majority", "dawid_skene", "one_coin")),
    ("majority", VOTES.assign(label=VOTES["label"].map(CODES)), duckdb.from_df),
    ("majority", VOTES.assign(label=VOTES["label"] == "a"), duckdb.from_df),
    ("dawid_skene", mix_forms(VOTES), lambda votes: ibis.duckdb.connect().create_table("held", votes)),
]


@pytest.mark.parametrize(("method", "votes", "hold"), HELD)
def test_a_frame_and_a_relation_have_the_same_labels(
    method: Any, votes: pd.DataFrame, hold: Callable[[pd.DataFrame], Any]
) -> None:
    """A relation of DuckDB and a table of Ibis; numbers and truth values stay what they are."""
    of_frame, on_engine = find_consensus(votes, method=method), find_consensus(hold(votes), method=method)
    assert (on_engine.iterations, on_engine.converged) == (of_frame.iterations, of_frame.converged)
    one, two = of_frame.to_frame(), on_engine.to_frame()
    assert {str(name).casefold() for name in one} == {str(name).casefold() for name in two}
    assert one["item_id"].tolist() == two["item_id"].tolist()
    assert one["label"].tolist() == two["label"].tolist() or votes["label"].dtype == object
    texts = [[build_key(str(label)) for label in frame["label"]] for frame in (one, two)]
    assert texts[0] == texts[1]
    assert one["confidence"].to_numpy(dtype=float) == pytest.approx(two["confidence"].to_numpy(dtype=float))
    assert "confidence" in on_engine._repr_html_()


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_a_frame_and_a_relation_have_the_same_agreement(level: Any) -> None:
    """Of numbers, whose order needs no list: 8 < 9 < 10, which texts have otherwise."""
    votes = VOTES.assign(label=VOTES["label"].map(CODES))
    of_frame = measure_agreement(votes, level=level)
    for row in measure_agreement(duckdb.from_df(votes), level=level).table.rows:
        same = of_frame[row.name]
        for end in ("value", "low", "high", "new_people_low", "new_people_high"):
            assert getattr(row, end) == pytest.approx(getattr(same, end), abs=1e-9)
    assert measure_agreement(duckdb.from_df(votes), level=level).headline.name == of_frame.headline.name


FRAMES: dict[str, tuple[pd.DataFrame, Any]] = {
    "our names": (VOTES.rename(columns={"task": "item", "worker": "annotator", "label": "answer"}), TRUTH),
    "columns of others": (VOTES.assign(text="x", answer="a long text", item=0, time=1.5), TRUTH),
    "categories": (VOTES.astype({"task": "category", "worker": "category", "label": "category"}), TRUTH),
    "Arrow": (VOTES.astype({"task": "int64[pyarrow]", "label": "string[pyarrow]"}), TRUTH),
    "whole numbers": (VOTES.assign(label=VOTES["label"].map(CODES)), TRUTH.map(CODES)),
    "gold as floats": (
        VOTES.assign(label=VOTES["label"].map(CODES), gold=VOTES["task"].map(TRUTH.map(CODES).astype(float))),
        None,
    ),
    "both forms of Unicode": (mix_forms(VOTES), TRUTH.replace({"a": DECOMPOSED})),
    "an index": (VOTES.set_index(["task", "worker"]), TRUTH),
    "other rows first": (VOTES.sample(frac=1, random_state=1), TRUTH),
    "texts of the same items": (VOTES.assign(task=VOTES["task"].astype(str)), TRUTH.to_dict()),
    "the first of repeated votes": (pd.concat([VOTES, VOTES.head(9).assign(label=VOTES["label"].iloc[0])]), TRUTH),
}


@pytest.mark.parametrize("name", FRAMES)
def test_other_frames_have_the_same_numbers(name: str) -> None:
    """What a frame looks like changes no number."""
    votes, truth = FRAMES[name]
    plain = measure_agreement(VOTES)
    for row in measure_agreement(votes).table.rows:
        assert (row.value, row.low, row.new_people_high) == pytest.approx(
            (plain[row.name].value, plain[row.name].low, plain[row.name].new_people_high)
        ), row.name
    expected, scores = score_answers(VOTES, gold=TRUTH), score_answers(votes, gold=truth)
    for unit in expected.units:
        ours = scores[unit.unit].primary
        assert (ours.value, ours.ci_low, ours.item_only_high) == pytest.approx(
            (unit.primary.value, unit.primary.ci_low, unit.primary.item_only_high)
        ), unit.unit
    found = find_consensus(votes).to_frame()
    assert found["confidence"].to_list() == pytest.approx(find_consensus(VOTES).to_frame()["confidence"].to_list())


def test_labels_and_items_come_back_as_they_were() -> None:
    """Integers are equal to integers, and a result can be joined to the votes; an open tie is None."""
    votes = pd.concat([VOTES, pd.DataFrame([(12, 0, "a"), (12, 1, "b")], columns=VOTES.columns)])
    found = find_consensus(votes.assign(label=votes["label"].map(CODES)), method="majority").to_frame()
    joined = votes.merge(found, left_on="task", right_on="item_id")
    assert len(joined) == len(votes)
    assert (found["label"].iloc[:12] == TRUTH.map(CODES)).all()
    assert found["label"].iloc[12] is None
    assert found["tied"].iloc[12] == (9, 10)


@pytest.mark.parametrize("repeats", ["first", "last", "all"])
def test_repeated_votes_count_as_asked(repeats: Any) -> None:
    """And it is noted how many are left out; an engine, which has no first row, refuses them."""
    votes = pd.concat([VOTES, VOTES.head(1).assign(label="c")])
    measured = measure_agreement(votes, repeats=repeats)
    kept = {"first": VOTES, "last": votes.iloc[1:], "all": votes}[repeats]
    assert measured.headline.value == measure_agreement(kept, repeats="all").headline.value
    assert bool(measured.notes) == (repeats != "all")
    if repeats == "all":
        assert measure_agreement(duckdb.from_df(votes), repeats="all").headline.value == pytest.approx(
            measured.headline.value
        )
    else:
        with pytest.raises(HromadaError, match="1 of 73 votes repeat a pair of 'task' and 'worker'"):
            measure_agreement(duckdb.from_df(votes), repeats=repeats)


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        (VOTES[VOTES["worker"] == 0], "No item has two votes"),
        (VOTES.head(1), "No item has two votes"),
        (VOTES.assign(label="a"), "All compared votes are equal"),
        (VOTES[VOTES["worker"] < 2].assign(label=lambda rows: rows["worker"].map({0: "a", 1: "b"})), "No interval"),
    ],
)
def test_a_number_that_is_missing_has_a_reason(votes: pd.DataFrame, reason: str) -> None:
    """One annotator, one vote, all equal, all tied: in the frame, in the terminal and in the notebook."""
    measured = measure_agreement(votes)
    assert reason in measured.headline.reason
    assert reason in repr(measured)
    assert reason in measured._repr_html_()
    assert measured.to_frame()["these_people_low"].dtype == float
    scores = score_answers(votes, gold=TRUTH)
    assert scores["majority"].primary.value is not None
    assert len(compare_scores(votes, {"m": TRUTH}, gold=TRUTH).differences) == 8
    assert len(find_consensus(votes).to_frame()) == votes["task"].nunique()


def test_labels_that_nobody_chose_count_as_options() -> None:
    """Declared by a list or by the categories of a column; it is noted."""
    more = measure_agreement(VOTES, labels=[*"abcd"])
    of_categories = measure_agreement(VOTES.assign(label=pd.Categorical(VOTES["label"], categories=[*"abcd"])))
    assert more["gwet_ac1"].value == of_categories["gwet_ac1"].value != measure_agreement(VOTES)["gwet_ac1"].value
    assert more.notes == of_categories.notes == ("Nobody chose d. AC1, AC2 and guessing count it as an option.",)


def test_groups_of_items_are_resampled_together() -> None:
    """The interval of clustered items is another one, the value is not."""
    plain, grouped = measure_agreement(VOTES), measure_agreement(VOTES.assign(of=VOTES["task"] // 2), group="of")
    assert plain["gwet_ac1"].value == grouped["gwet_ac1"].value
    assert plain["gwet_ac1"].low != grouped["gwet_ac1"].low
    assert "6 groups of items" in grouped["gwet_ac1"].how


@pytest.mark.parametrize(
    ("votes", "options", "told"),
    [
        (VOTES.drop(columns="worker"), {}, "no column 'annotator', nor 'worker'"),
        (VOTES.assign(label=None), {}, "The column 'label' has 72 empty cells, first in row 0."),
        (
            VOTES.assign(label=VOTES["label"].where(VOTES["task"] + VOTES["worker"] > 0)),
            {},
            "'label' has an empty cell",
        ),
        (VOTES.assign(worker=" "), {}, "The column 'worker' has 72 empty cells"),
        (VOTES.head(0), {}, "There are no votes."),
        ([1, 2], {}, "Votes cannot be a list."),
        (VOTES.set_index(["task", "worker"])["label"], {}, "Votes cannot be a Series."),
        (VOTES.set_index("task").rename_axis(None), {}, "no column 'item', nor 'task'"),
        (
            VOTES.assign(label=pd.Series([["a"]] * len(VOTES), dtype=object)),
            {},
            "The column 'label' has a list in a cell.",
        ),
        (pd.concat([VOTES, VOTES[["label"]]], axis=1), {}, "two columns 'label'"),
        (VOTES.assign(item=0, annotator=0, answer="a"), {}, "The votes have both 'item' and 'task'."),
        (VOTES, {"labels": ["a", "b"]}, "The column 'label' has 'c', which is not among the labels."),
        (VOTES, {"labels": "abc"}, "The labels are not a list of labels."),
        (VOTES, {"labels": ["a", "b", "c", "a "]}, "Two of the labels are equal"),
        (VOTES, {"repeats": "none"}, "There are no repeats 'none'."),
    ],
)
def test_what_is_refused(votes: Any, options: dict[str, Any], told: str) -> None:
    """By every function, with the name of the column."""
    for function in (measure_agreement, find_consensus, lambda votes, **more: score_answers(votes, gold=TRUTH, **more)):
        with pytest.raises(HromadaError, match=told):
            function(votes, **options)


@pytest.mark.parametrize(
    ("votes", "options", "told"),
    [
        (VOTES, {"level": "ordinal"}, "The labels in the column 'label' have no order."),
        (VOTES, {"level": "interval", "labels": [*"abc"]}, "the column 'label': The label 'a' is not a number"),
        (VOTES, {"level": "cardinal", "labels": [*"abc"]}, "There is no level 'cardinal'."),
        (VOTES, {"group": "story"}, "The votes have no column 'story'."),
        (VOTES, {"group": "worker"}, "The item '0' has two groups in the column 'worker'."),
        (duckdb.from_df(VOTES), {"level": "ordinal"}, "The labels in the column 'label' have no order."),
        (duckdb.from_df(VOTES), {"level": "ratio"}, "An engine measures agreement at the nominal or ordinal level"),
        (duckdb.from_df(VOTES.assign(label=VOTES["label"].where(VOTES["task"] > 0))), {}, "in the column 'label'"),
    ],
)
def test_agreement_that_is_refused(votes: Any, options: dict[str, Any], told: str) -> None:
    """An order that nobody gave is not guessed."""
    with pytest.raises(HromadaError, match=told):
        measure_agreement(votes, **options)


@pytest.mark.parametrize(
    ("votes", "gold", "told"),
    [
        (VOTES, None, "The votes have no column 'gold'."),
        (VOTES.assign(gold=None), None, "There is no label in the column 'gold'."),
        (VOTES.assign(gold=VOTES["label"]), None, "The item '0' has two labels in the column 'gold'."),
        (VOTES, TRUTH.str.upper(), "The column 'label' has a, b, c, and gold has A, B, C."),
        (
            VOTES,
            TRUTH.rename("t{}".format),
            "Gold has the items t0, t1, t2 and 9 more, and the column 'task' has 0, 1, 2",
        ),
        (
            VOTES.assign(label=VOTES["label"].astype("category")),
            TRUTH.replace("a", "d"),
            "Gold has 'd', which is not among",
        ),
        (VOTES, [*TRUTH], "Gold cannot be a list."),
    ],
)
def test_gold_that_is_refused(votes: pd.DataFrame, gold: Any, told: str) -> None:
    """With the names of the columns that do not fit."""
    with pytest.raises(HromadaError, match=told):
        score_answers(votes, gold=gold)


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ([1], "Models cannot be a list."),
        ({"m": [1]}, "The answers of 'm' cannot be a list."),
        ({"m": pd.Series(["a", "b"], index=[1, 1])}, "'m' has two answers to one item."),
        ({"m": {99: "a"}}, "m answered none of the items"),
        ({}, "nothing to compare people with"),
    ],
)
def test_models_that_are_refused(models: Any, told: str) -> None:
    """With the name of the model."""
    with pytest.raises(HromadaError, match=told):
        compare_scores(VOTES, models, gold=TRUTH)


def test_answers_of_models_come_in_any_shape() -> None:
    """A frame with a column per model, or a Series or a dictionary for each; what is missing or no label is noted."""
    said = TRUTH.where(TRUTH.index % 4 > 0, "a")
    table = pd.DataFrame({"m": said}).rename_axis("task")
    shapes: list[Any] = [table, table.reset_index(), {"m": said}, {"m": said.to_dict()}]
    first, *others = [compare_scores(VOTES, models, gold=TRUTH).to_frame() for models in shapes]
    for other in others:
        pd.testing.assert_frame_equal(first, other)
    said = said.drop(1).replace("b", "B")
    compared = compare_scores(VOTES, {"m": said}, gold=TRUTH)
    assert compared.notes[0] == "m: 1 item left out, without an answer of the model."
    assert compared.notes[1].startswith("m: ")
    assert compared.differences[0].n_items == 11
    assert compared.differences[0].value == pytest.approx((said == TRUTH.drop(1)).mean())


def test_every_interval_names_its_population(draw: Callable[[Any], Any]) -> None:
    """In frames, tables and pictures."""
    results: list[Any] = [
        measure_agreement(VOTES),
        score_answers(VOTES, gold=TRUTH),
        compare_scores(VOTES, {"m": TRUTH}, gold=TRUTH),
    ]
    for result in results:
        ends = {f"{who}_people_{end}" for who in ("these", "new") for end in ("low", "high")}
        assert ends <= {*result.to_frame().columns}
        assert not {"low", "high", "ci_low", "item_only_low"} & {*result.to_frame().columns}
        for shown in (repr(result), result._repr_html_()):
            assert "95 %, these people and new items" in shown
            assert "95 %, new people and new items" in shown
        axes = draw(result)
        assert [text.get_text() for text in axes.get_legend().get_texts()] == [
            "95 %, new people and new items",
            "95 %, these people and new items",
        ]


def test_labels_are_drawn_with_open_ties(draw: Callable[[Any], Any]) -> None:
    """A bar per label, and one for ties; on the axes that are given."""
    votes = pd.concat([VOTES, pd.DataFrame([(12, 0, "a"), (12, 1, "b")], columns=VOTES.columns)])
    found = find_consensus(votes, method="majority")
    axes = draw(found)
    assert {label.get_text() for label in axes.get_yticklabels()} == {"a", "b", "c", "open tie"}
    assert measure_agreement(votes).plot(ax=axes) is axes


def test_engines_refuse_groups() -> None:
    """As what does not fit, with what does."""
    with pytest.raises(Refused, match="pandas frame"):
        measure_agreement(duckdb.from_df(VOTES), group="worker")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    """Each public function has one."""
    module = importlib.import_module(f"aggregation.library.{name}")
    found = doctest.testmod(module)
    assert found.failed == 0
    assert found.attempted >= 4
