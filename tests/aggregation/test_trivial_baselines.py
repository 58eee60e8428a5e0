"""Answers without understanding, worked by hand, on published items, and on people who choose by place."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aggregation.comparison.order_effects import find_position_preferences
from aggregation.errors import HromadaError
from aggregation.scores.trivial_baselines import OptionItem, TrivialBaseline, score_trivial_baselines

DATA = Path(os.environ.get("HROMADA_SHARED") or "not-set") / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the published data sets are not here")


def score(items: list[OptionItem], classes: tuple[str, ...] | None = None) -> dict[str, TrivialBaseline]:
    """The baselines by name."""
    return {one.name: one for one in score_trivial_baselines(items, classes=classes)}


def own(gold: str, *options: str, text: str = "") -> OptionItem:
    """An item with options of its own."""
    return OptionItem(gold=gold, labels=options, options=options, text=text)


def test_items_with_options_of_their_own_by_hand() -> None:
    """Four items with 2, 3, 4 and 2 options; gold stands at 2, 3, 1, 2 from the start, and at the end thrice."""
    items = [
        own("кішка", "пес", "кішка", text="Кішка спить. Пес і кішка."),
        own("вовк", "лис", "лисиця", "вовк", text="Вовк ішов. Лис."),
        own("а", "а", "бб", "вв", "г", text="нічого"),
        own("два", "один", "два", text="один один два"),
    ]
    found = score(items)
    assert {name: round(one.scores["accuracy"], 6) for name, one in found.items() if one.scores} == {
        "random": round((1 / 2 + 1 / 3 + 1 / 4 + 1 / 2) / 4, 6),
        "position": 2 / 4,  # the second
        "position_from_end": 3 / 4,  # the last
        "longest_option": 1 / 4,  # кішка; then лисиця, one of бб and вв, and один are wrong
        "shortest_option": (0 + 0 + 1 / 2 + 1) / 4,  # пес, лис, one of а and г, два
        "most_mentioned_option": (1 + 1 / 2 + 1 / 4 + 0) / 4,  # кішка; one of лис and вовк; one of four; один
    }
    assert (found["position"].answer, found["position_from_end"].answer) == ("2", "1")
    assert found["majority_class"].reason == "The options differ from item to item, and share no classes."
    assert [found[name].n_torn for name in ("random", "longest_option", "most_mentioned_option")] == [4, 1, 2]


def test_classes_by_hand() -> None:
    """Three gold yes and one no: always yes 3/4; by the classes' shares (3/4)² + (1/4)²; at random 1/2."""
    items = [OptionItem(gold=gold, labels=("yes", "no"), options=("yes", "no")) for gold in ("yes", "yes", "yes", "no")]
    found = score(items, ("yes", "no"))
    assert (found["majority_class"].answer, found["majority_class"].scores["accuracy"]) == ("yes", 0.75)
    assert found["majority_class"].scores["macro_f1"] == pytest.approx((6 / 7 + 0) / 2)
    assert np.isnan(found["majority_class"].scores["mcc"])
    assert found["random_by_class"].scores["accuracy"] == pytest.approx(10 / 16)
    assert found["random_by_class"].scores["macro_f1"] == pytest.approx((3 / 4 + 1 / 4) / 2)
    assert found["random_by_class"].scores["mcc"] == pytest.approx(0)
    assert found["random"].scores["accuracy"] == 0.5
    assert found["random"].scores["macro_f1"] == pytest.approx((2 * 1.5 / 5 + 2 * 0.5 / 3) / 2)
    assert found["position"].reason == "The options are the same for every item, so this is a class."
    assert found["most_mentioned_option"].reason == "No item shows a text in which an option occurs."


def test_classes_that_are_equally_frequent_are_taken_by_lot() -> None:
    """Two classes with half of gold each: half of the answers are right, whichever is taken."""
    items = [OptionItem(gold=gold, labels=("a", "b"), options=("a", "b")) for gold in ("a", "b")]
    found = score(items, ("a", "b"))["majority_class"]
    assert (found.answer, found.n_torn, found.scores["accuracy"]) == ("a or b", 2, 0.5)


def test_mentions_are_runs_of_words() -> None:
    """Whole words, whatever their case; a lemmatiser finds other forms; punctuation is no word."""
    text = "Лис Микита і лис. Лисиця бачила Лиса Микиту, лис-Микита спав."
    for more, fewer in (("лис", "Лис Микита"), ("лис", "лисиця"), ("лисиця", "вовк"), ("Лис Микита", "…")):
        found = score([own(more, fewer, more, text=text)])["most_mentioned_option"]
        assert (found.scores["accuracy"], found.n_torn) == (1, 0)
    torn = [own("лисиця", "Лис Микита", "лисиця", text=text), own("вовк", "вовк", "…", text=text)]
    assert score(torn)["most_mentioned_option"].n_torn == 2
    items = [own("лис", "Микита", "лис", text="Микита, Микита, лис, Лиса, Лисиця")]
    by_stem = score_trivial_baselines(items, classes=None, normalise=lambda word: word.casefold()[:3])
    assert {one.name: one for one in by_stem}["most_mentioned_option"].scores["accuracy"] == 1


def test_nothing_to_score_is_refused() -> None:
    """Items without gold are not given."""
    with pytest.raises(HromadaError, match="No item has gold"):
        score_trivial_baselines([], classes=None)


@needs_data
def test_parus_by_its_positions() -> None:
    """Of 500 published items gold is each sentence 250 times: chance, class and place score .5 all three."""
    with (DATA / "rsg-humanbenchmark/PARus/gold_PARus.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = [
        OptionItem(gold=row["gold"], labels=("0", "1"), options=(row["sent1"], row["sent2"]), text=row["premise"])
        for row in rows
    ]
    found = score(items, ("0", "1"))
    assert len(items) == 500
    assert found["random"].scores["accuracy"] == 0.5
    assert (found["majority_class"].answer, found["majority_class"].scores["accuracy"]) == ("0 or 1", 0.5)
    assert (found["position"].answer, found["position"].scores["accuracy"]) == ("1", 0.5)
    assert found["random_by_class"].scores["accuracy"] == 0.5
    longest = [len(row["sent2"]) - len(row["sent1"]) for row in rows]
    right = [
        0.5 if not more else float((more > 0) == (row["gold"] == "1")) for more, row in zip(longest, rows, strict=True)
    ]
    assert found["longest_option"].scores["accuracy"] == pytest.approx(sum(right) / 500)
    assert found["longest_option"].scores["accuracy"] + found["shortest_option"].scores["accuracy"] == pytest.approx(1)


@needs_data
def test_the_odd_word_of_eval_ua_tion_is_always_the_last() -> None:
    """All 200 items of the odd word out of five have it last (a known defect of the file): the place scores 1."""
    instances = json.loads((DATA / "eval-ua-tion/lmes/WhichWordWrongCatTask.json").read_text("utf-8"))["instances"]
    items = [own(one["correctAnswer"], *one["additionalMetadata"]["all_options"]) for one in instances]
    found = score(items)
    assert (len(items), found["position_from_end"].answer, found["position_from_end"].scores["accuracy"]) == (
        200,
        "1",
        1,
    )
    assert found["random"].scores["accuracy"] == pytest.approx(0.2)


def answer(
    rng: np.random.Generator,
    name: str,
    *,
    n: int,
    skill: float,
    k: tuple[int, ...],
    lazy: float = 0.0,
    lazy_place: int = 0,
    gold_last: bool = False,
    without_gold: bool = False,
) -> pd.DataFrame:
    """Answers of one person; with the chance `lazy` they take the `lazy_place` (0: the last) without reading."""
    n_options = rng.choice(k, size=n)
    gold = n_options if gold_last else rng.integers(1, n_options + 1)
    other = rng.integers(1, n_options)
    other += other >= gold
    place = np.where(rng.random(n) < skill, gold, other)
    place = np.where(rng.random(n) < lazy, lazy_place or n_options, place)
    known = np.full(n, np.nan) if without_gold else gold
    return pd.DataFrame({"annotator": name, "place": place, "gold_place": known, "n_options": n_options})


@pytest.mark.parametrize("k", [(2,), (4,), (3, 5), (2, 3, 6)])
def test_planted_people_are_found_and_others_are_not(k: tuple[int, ...]) -> None:
    """Always the last, mostly the first, and always without gold: found; skilled, weak and guessing people are not."""
    rng = np.random.default_rng(20)
    people = {
        "always last": answer(rng, "always last", n=40, skill=0.9, k=k, lazy=1),
        "mostly first": answer(rng, "mostly first", n=120, skill=0.9, k=k, lazy=0.7, lazy_place=1),
        "last, no gold": answer(rng, "last, no gold", n=40, skill=0.9, k=k, lazy=1, without_gold=True),
        "skilled": answer(rng, "skilled", n=200, skill=0.97, k=k),
        "weak": answer(rng, "weak", n=200, skill=0.65, k=k),
        "guesser": answer(rng, "guesser", n=200, skill=1 / float(np.mean(k)), k=k),
        "few": answer(rng, "few", n=9, skill=0.9, k=k, lazy=1),
    }
    found = find_position_preferences(pd.concat(people.values(), ignore_index=True))
    assert set(found.index) == set(people) - {"few"}
    assert set(found.index[found["is_found"]]) == {"always last", "mostly first", "last, no gold"}
    rows = found.to_dict("index")
    last = ("end", 1) if len(k) > 1 else ("start", k[0])
    row = rows["always last"]
    assert (row["side"], row["place"], row["n"], row["n_chosen"], row["preference"]) == (*last, 40, 40, 1.0)
    assert (rows["mostly first"]["side"], rows["mostly first"]["place"]) == ("start", 1)
    assert 0.55 < rows["mostly first"]["preference"] < 0.85


def test_gold_that_is_always_last_makes_nobody_suspect() -> None:
    """Right answers there are no preference; and who always takes the last cannot be told from who is always right."""
    rng = np.random.default_rng(7)
    people = [answer(rng, f"p{skill}", n=100, skill=skill, k=(5,), gold_last=True) for skill in (0.6, 0.9, 1.0)]
    found = find_position_preferences(pd.concat(people, ignore_index=True))
    assert not found["is_found"].any()
    assert found["p_value"]["p1.0"] == 1.0


@pytest.mark.slow
def test_honest_panels_are_rarely_suspected() -> None:
    """Of 300 panels of six honest people with other skills, at most 1 in 50 has anybody found (nominally 1 %)."""
    rng = np.random.default_rng(3)
    n_suspected = 0
    for _ in range(300):
        people = [answer(rng, f"p{n}", n=60, skill=rng.uniform(0.4, 0.98), k=(3,)) for n in range(6)]
        n_suspected += bool(find_position_preferences(pd.concat(people, ignore_index=True))["is_found"].any())
    assert n_suspected <= 6


def test_the_statistic_by_hand() -> None:
    """Ten binary answers, always the second, gold second on five: a = 1/2, so 2⁻¹⁰ there, times two places."""
    answers = pd.DataFrame({"annotator": "p", "place": 2, "gold_place": [1, 2] * 5, "n_options": 2})
    found = find_position_preferences(answers)
    columns = ["side", "place", "n", "n_chosen", "n_expected", "preference", "is_found"]
    assert found[columns].to_numpy().tolist() == [["start", 2, 10, 10, 5.0, 1.0, True]]
    assert found["p_value"]["p"] == pytest.approx(2 * 2**-10)
    assert find_position_preferences(answers.iloc[:9]).empty
