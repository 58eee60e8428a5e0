"""The metrics of labels and texts: equal to scikit-learn, sacreBLEU and RapidFuzz, and Ukrainian words kept whole."""

from __future__ import annotations

import csv
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation import scoring

ANSWERS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["x", "y", "z", None])), min_size=1, max_size=30)
ANNOUNCING = ("The", "answer", "«answer»", "is", "is:", ":", "Ответ:", "Ответ", "– 5,0", "лис.", "\n", "**", "-")
TEXTS = st.text(alphabet="абїґ' .", max_size=30)


@settings(deadline=None, max_examples=limit_examples(100))
@given(pairs=ANSWERS)
def test_label_metrics_equal_scikit_learn(pairs: list[tuple[str, str | None]]) -> None:
    """Refusals included, an answer without a class being one of its own there; what is undefined is not zero."""
    from sklearn import metrics

    gold, said = [pair[0] for pair in pairs], [pair[1] or "none" for pair in pairs]
    marks = scoring.count_labels(gold, [pair[1] for pair in pairs], classes="xyz")
    known: dict[str, Any] = {"labels": sorted({*gold, *said} - {"none"}), "zero_division": 0.0}
    assert scoring.accuracy(marks) == pytest.approx(metrics.accuracy_score(gold, said), abs=1e-9)
    every: dict[str, Any] = {"labels": list("xyz"), "zero_division": math.nan}
    by_class = metrics.f1_score(gold, said, average=None, **every)
    assert scoring.f1_by_class(marks) == pytest.approx(by_class, abs=1e-9, nan_ok=True)
    macro, weighted = (metrics.f1_score(gold, said, average=kind, **known) for kind in ("macro", "weighted"))
    assert scoring.macro_f1(marks) == pytest.approx(macro, abs=1e-9)
    assert scoring.weighted_f1(marks) == pytest.approx(weighted, abs=1e-9)
    defined = len(set(gold)) > 1 and len(set(said)) > 1
    mcc = float(metrics.matthews_corrcoef(gold, said)) if defined else math.nan
    assert scoring.mcc(marks) == pytest.approx(mcc, abs=1e-9, nan_ok=True)


@settings(deadline=None, max_examples=limit_examples(50))
@given(pairs=ANSWERS, tied=st.sets(st.sampled_from("xyz"), min_size=2))
def test_a_tie_is_the_mean_of_the_counts_of_its_labels(pairs: list[tuple[str, str | None]], tied: set[str]) -> None:
    """Counting the tie once as each of its labels and averaging gives the same, in the accuracy too."""
    gold, said = [*(pair[0] for pair in pairs), "x"], [pair[1] for pair in pairs]
    shared = scoring.count_labels(gold, [*said, sorted(tied)], classes="xyz")
    picks = [scoring.count_labels(gold, [*said, label], classes="xyz") for label in sorted(tied)]
    for name in ("right", "gold", "answered"):
        means = [sum(numbers) / len(picks) for numbers in zip(*(getattr(pick, name) for pick in picks), strict=True)]
        assert getattr(shared, name) == pytest.approx(means)
    accuracies = [scoring.accuracy(pick) for pick in picks]
    assert scoring.accuracy(shared) == pytest.approx(sum(accuracies) / len(picks))


def test_no_answer_has_no_score() -> None:
    """Nothing over nothing is undefined, not zero."""
    marks = scoring.count_labels([], [], classes="xy")
    assert [math.isnan(metric(marks)) for metric in scoring.METRICS.values()] == [True] * 4


@settings(deadline=None, max_examples=limit_examples(50))
@given(pairs=ANSWERS)
def test_twice_as_many_answers_have_the_same_scores(pairs: list[tuple[str, str | None]]) -> None:
    """Weights are counts: all marks doubled change nothing, and renaming the classes neither."""
    gold, said = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    names: dict[str | None, str | None] = {"x": "q", "y": "p", "z": "r", None: None}
    once = scoring.count_labels(gold, said, classes="xyz")
    twice = scoring.count_labels(gold * 2, said * 2, classes="xyz")
    new = scoring.count_labels([str(names[name]) for name in gold], [names[name] for name in said], classes="pqr")
    for metric in scoring.METRICS.values():
        assert metric(once) == pytest.approx(metric(twice), nan_ok=True) == pytest.approx(metric(new), nan_ok=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("П'ять, п’ять; обʼєкт!", ("П'ять", "п’ять", "обʼєкт")),
        ("«Будь-який» дім — за́мок", ("Будь-який", "дім", "за́мок")),
        ("сказав: 'так' (2,5 %)", ("сказав", "так", "2", "5")),
        ("любов'", ("любов",)),
        ("…", ()),
    ],
)
def test_ukrainian_words_stay_whole(text: str, words: tuple[str, ...]) -> None:
    """An apostrophe or hyphen within a word belongs to it, quotation marks and dashes do not."""
    assert scoring.split_words(text) == words
    assert tuple(text[start:end] for start, end in scoring.find_words(text)) == words


def test_every_apostrophe_becomes_the_same() -> None:
    """The rule `apostrophes` names one sign for all; `ukrainian` forgives case, stress and blanks too."""
    assert {scoring.NORMALISATIONS["apostrophes"](f"об{sign}єкт") for sign in scoring.APOSTROPHES} == {"об'єкт"}
    assert scoring.NORMALISATIONS["apostrophes"]("‘так’") == "‘так'"
    assert scoring.NORMALISATIONS["ukrainian"]("  За́мок  П’ЯТЬ ") == "замок п'ять"
    assert scoring.NORMALISATIONS["ukrainian"]("йї") == "йї"


@pytest.mark.parametrize(
    ("one", "two", "words", "exact", "number"),
    [
        ("п'ять", "п’ять", True, False, True),
        ("«Лис»", "лис", True, False, True),
        ("COVID-19", "covid19", True, False, True),
        ("слово - 6", "слово 6", True, False, True),
        ("слово  6", "слово 6", True, True, True),
        ("−6", "-6", True, False, True),
        ("–6", "- 6", True, False, True),
        ("−6", "6", False, False, False),
        ("(−6).", "-6", True, False, True),
        ("3,5", "3.5", True, False, True),
        ("3.5", "35", False, False, False),
        (".5", "5", False, False, False),
        ("-,5", "-0.5", False, False, True),
        ("3.50", "3.5", False, False, True),
        ("+6", "6", False, False, True),
        ("−0", "0", False, False, True),
        ("007", "7", False, False, True),
        ("10 963", "10\u00a0963", True, True, True),
        ("10 963", "10963", False, False, True),
        ("10'963", "10963", True, False, True),
        ("1,234", "1234", False, False, False),
        ("1,234,567", "1 234 567", False, False, True),
        ("1,234.5", "1.234,5", True, False, True),
        ("1,234.567", "1,234,567", True, False, False),
        ("12345678901234567890123456789012345", "12345678901234567890123456789012346", False, False, False),
        ("5-7", "57", False, False, False),
        ("1/2", "12", False, False, False),
        ("10:30", "1030", False, False, False),
        ("6 кг", "6", False, False, False),
        ("шість", "6", False, False, False),
        ("1e3", "1000", False, False, False),
        ("Відповідь: лис", "лис", True, False, True),
        ("Ответ – 3,50", "3.5", False, False, True),
        ("Так написано. Ответ: 6", "6", True, False, True),
        ("The answer is: the «answer» is лис.", "лис", True, False, True),
        ("Відповідь", "", False, False, False),
        ("Відповідь у тексті: лис", "лис", False, False, False),
        ("My answer: fox. It is red", "fox it is red", True, False, True),
    ],
)
def test_what_each_normalisation_calls_equal(one: str, two: str, words: bool, exact: bool, number: bool) -> None:
    """Sign and decimal mark count under every rule; `number` compares values, and other texts as words."""
    for name, equal in (("words", words), ("exact", exact), ("number", number)):
        rule = scoring.NORMALISATIONS[name]
        assert (rule(one) == rule(two)) == equal, (name, rule(one), rule(two))
        assert scoring.is_right_answer(name, one, ["…", two]) == equal


@settings(deadline=None, max_examples=limit_examples(300))
@given(text=st.text("09 .,-−–'()_+aЇ\u0301", max_size=9) | st.lists(st.sampled_from(ANNOUNCING)).map(" ".join))
def test_what_is_normalised_stays_as_it_is(text: str) -> None:
    """Normalising twice is normalising once, under every rule; a number has one form, and nothing else has it."""
    for rule in scoring.NORMALISATIONS.values():
        assert rule(rule(text)) == rule(text)
    form = scoring.NORMALISATIONS["number"](text)
    assert (re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", form) is not None) == scoring.is_number(text)


@settings(deadline=None, max_examples=limit_examples(200))
@given(value=st.decimals(-(10**9), 10**9, places=4), comma=st.booleans(), minus=st.sampled_from("-−–"))
def test_a_number_has_its_value_however_it_is_written(value: Decimal, comma: bool, minus: str) -> None:
    """With comma or point, with any minus, with zeros at the end."""
    written = f"{value:f}".replace(".", "," if comma else ".").replace("-", minus)
    assert Decimal(scoring.NORMALISATIONS["number"](written)) == value


def test_real_corrections_have_the_known_error_rates(shared: Path, known: dict[str, Any]) -> None:
    """Eleven corrected stories: mean WER and CER, edits and chrF."""
    pairs = []
    for name in ("generated_new_stories.csv", "few_shot_split.csv"):
        with (shared / "data" / "eval-ua-tion" / "stories" / name).open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["fixed_story"]]
        pairs += [(row["generated_story"], row["fixed_story"]) for row in rows]
    expected = known["text_correction"]
    assert len(pairs) == expected["pairs"]
    rates = [scoring.error_rate(one, two) for one, two in pairs]
    assert sum(rates) / len(rates) == pytest.approx(expected["cer_mean"], abs=5e-6)
    edits = [scoring.edit_distance(one.split(), two.split()) for one, two in pairs]
    assert edits == expected["word_edits"]
    rates = [scoring.error_rate(one.split(), two.split()) for one, two in pairs]
    assert sum(rates) / len(rates) == pytest.approx(expected["wer_mean"], abs=5e-6)
    chrf = [100 * scoring.chrf(scoring.count_ngrams(two), scoring.count_ngrams(one)) for one, two in pairs]
    assert chrf == pytest.approx(expected["chrf"], abs=0.006)


@settings(deadline=None, max_examples=limit_examples(150))
@given(one=TEXTS, two=TEXTS, three=TEXTS)
def test_distance_is_a_distance(one: str, two: str, three: str) -> None:
    """Symmetric, zero for equals alone, no longer than a way round, and RapidFuzz's."""
    between = scoring.edit_distance(one, two)
    assert between == scoring.edit_distance(two, one)
    assert (between == 0) == (one == two)
    assert between <= scoring.edit_distance(one, three) + scoring.edit_distance(three, two)
    assert between == _slow(one, two)


def _slow(one: str, two: str) -> int:
    row = list(range(len(two) + 1))
    for number, sign in enumerate(one, 1):
        before, row = row, [number]
        for place, other in enumerate(two):
            row.append(min(before[place] + (sign != other), before[place + 1] + 1, row[place] + 1))
    return row[-1]


def test_distance_equals_rapidfuzz(known: dict[str, Any]) -> None:
    """On long texts too, where the bit vectors are long."""
    fuzz = pytest.importorskip("rapidfuzz.distance", reason="in the development environment alone")
    one = " ".join(map(str, known["text_correction"]["chrf"])) * 9
    two = " ".join(map(str, known["text_correction"]["word_edits"])) * 17
    assert scoring.edit_distance(one, two) == fuzz.Levenshtein.distance(one, two)


@settings(deadline=None, max_examples=limit_examples(100))
@given(one=TEXTS, two=TEXTS)
def test_chrf_equals_sacrebleu(one: str, two: str) -> None:
    """With its defaults; two empty texts are equal here and 0 there."""
    metrics = pytest.importorskip("sacrebleu.metrics", reason="in the development environment alone")
    made = scoring.chrf(scoring.count_ngrams(one), scoring.count_ngrams(two))
    if "".join(one.split()) or "".join(two.split()):
        assert made == pytest.approx(metrics.CHRF().sentence_score(two, [one]).score / 100, abs=1e-9)
    else:
        assert made == 1


def test_an_empty_reference_has_an_error_rate() -> None:
    """Nothing is right against nothing, and anything is wrong."""
    assert (scoring.error_rate("", ""), scoring.error_rate("", "так"), scoring.error_rate("так", "")) == (0, 1, 1)
