"""Every metric of boxes, texts and parts of a text equals an independent implementation, and published arithmetic."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from aggregation import schema, scoring
from aggregation.answer_types import score_answers
from aggregation.answer_types.boxes import list_box_metrics
from aggregation.answers import Answers
from aggregation.comparison.order_effects import find_position_preferences
from aggregation.scores.performance import Unit

BOXES = ("а", "б", "в", "г")
WORDS = ("Дніпро", "тече", "з", "півночі", "на", "південь", "п’ять", "разів", "«тихо»")


def build_answers(kind: Any, rows: Sequence[tuple[str, str, str]], gold: Mapping[str, str], **more: Any) -> Answers:
    """Votes of any type on items with gold."""
    frame = pd.DataFrame(list(rows), columns=list(schema.VOTE_COLUMNS), dtype=object)
    index = pd.Index(list(gold), dtype=object, name="item")
    items = pd.DataFrame({"group": list(gold), "gold": list(gold.values()), "n_options": 2}, index=index).astype(object)
    return Answers(kind=kind, votes=schema.check_votes(frame, items=items, classes=None), **more)


def write_boxes(ticked: Sequence[bool]) -> str:
    """Boxes as they are stored."""
    return json.dumps([box for box, is_ticked in zip(BOXES, ticked, strict=True) if is_ticked], ensure_ascii=False)


def read_scores(unit: Unit) -> dict[str, float | None]:
    """The metrics of a unit."""
    return {score.metric: score.value for score in unit.scores}


def load_harness(name: str) -> ModuleType:
    """A module of the lm-evaluation-harness' tasks, which are no packages."""
    tasks = importlib.util.find_spec("lm_eval.tasks")
    assert tasks is not None
    assert tasks.origin is not None
    spec = importlib.util.spec_from_file_location(f"harness_{name}", Path(tasks.origin).parent / name / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_box_metrics_equal_scikit_learn(seed: int) -> None:
    """Exact match, F1a (micro), F1m (by samples), F1 of mean precision and recall, F1 of each box: both units."""
    rng = np.random.default_rng(seed)
    gold = rng.random((40, 4)) < 0.4
    said = np.where(rng.random((3, 40, 4)) < 0.75, gold, ~gold)
    rows = [(f"i{n:02}", f"p{who}", write_boxes(said[who, n])) for who in range(3) for n in range(40)]
    given = build_answers("boxes", rows, {f"i{n:02}": write_boxes(row) for n, row in enumerate(gold)}, boxes=BOXES)
    made = score_answers(given)
    for unit, answered in (("individual", said.reshape(-1, 4)), ("majority", said.sum(axis=0) > 1)):
        right = np.tile(gold, (len(answered) // 40, 1))
        precision = metrics.precision_score(right, answered, average="samples", zero_division=1.0)
        recall = metrics.recall_score(right, answered, average="samples", zero_division=1.0)
        by_box = metrics.f1_score(right, answered, average=None)
        assert read_scores(made[unit]) == pytest.approx(
            {
                "exact_match": metrics.accuracy_score(right, answered),
                "f1a": metrics.f1_score(right, answered, average="micro"),
                "f1m": metrics.f1_score(right, answered, average="samples", zero_division=1.0),
                "f1m_of_averages": 2 * precision * recall / (precision + recall),
                **{f"f1 {box}": value for box, value in zip(BOXES, by_box, strict=True)},
            },
            abs=1e-9,
        )


def test_russian_superglues_f1m_comes_out_under_its_name() -> None:
    """Published: P .9637, R .7020, F1m .8123. Here 7,020 answers are right, 363 wrong, 2,617 tick nothing (P 1)."""
    right, wrong, nothing = '["а"]', '["б"]', "[]"
    said = [right] * 7020 + [wrong] * 363 + [nothing] * 2617
    rows = [(f"i{n:05}", "people", answer) for n, answer in enumerate(said)]
    given = build_answers("boxes", rows, {item: right for item, _, _ in rows}, boxes=BOXES)
    made = read_scores(score_answers(given)["individual"])
    assert round(made["f1m_of_averages"] or 0, 4) == 0.8123
    assert made["f1m"] == pytest.approx(0.702)
    columns = np.array([[0, 0, 0.9637, 0.7020, *[0] * 15, 1]])
    assert list_box_metrics(given)["f1m_of_averages"].compute(columns)[0] == pytest.approx(0.8123, abs=5e-5)


def test_nothing_right_has_an_f1_of_nought() -> None:
    """Precision and recall of 0 have no ratio, but a score."""
    given = build_answers("boxes", [("i", "p", '["а"]')], {"i": '["б"]'}, boxes=BOXES)
    assert read_scores(score_answers(given)["individual"])["f1m_of_averages"] == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_span_metrics_equal_scikit_learn(seed: int) -> None:
    """F1 of characters and of touched words: scikit-learn's over what each answer covers, averaged over answers."""
    rng = np.random.default_rng(seed)
    text = " ".join(["Дніпро", "тече", "з", "півночі", "на", "південь"])
    words = scoring.find_words(text)

    def draw() -> tuple[int, int]:
        start, end = sorted(rng.choice(len(text) + 1, 2, replace=False).tolist())
        return start, end

    def write(span: tuple[int, int]) -> str:
        return json.dumps([{"start": span[0], "end": span[1], "text": text[span[0] : span[1]]}], ensure_ascii=False)

    def cover(span: tuple[int, int], units: Sequence[tuple[int, int]]) -> list[bool]:
        return [start < span[1] and span[0] < end for start, end in units]

    gold, said = [draw() for _ in range(30)], [draw() for _ in range(30)]
    said[0] = gold[0]
    items = [f"i{n:02}" for n in range(30)]
    rows = [(item, "p", write(span)) for item, span in zip(items, said, strict=True)]
    texts = dict.fromkeys(items, text)
    given = build_answers("span", rows, dict(zip(items, map(write, gold), strict=True)), texts=texts)
    made = read_scores(score_answers(given)["individual"])
    characters = [(place, place + 1) for place in range(len(text))]
    pairs = list(zip(gold, said, strict=True))
    for name, units in (("f1", words), ("f1_char", characters)):
        each = [metrics.f1_score(cover(g, units), cover(s, units), zero_division=1.0) for g, s in pairs]
        assert made[name] == pytest.approx(float(np.mean(each)), abs=1e-9), name
    assert made["exact_match"] == pytest.approx(float(np.mean([g == s for g, s in pairs])))


def test_words_f1_equals_that_of_mlqa() -> None:
    """The harness' MLQA metric strips every Unicode punctuation mark, as `words` does, and counts words as SQuAD."""
    mlqa = load_harness("mlqa")
    rng = np.random.default_rng(8)
    rows, gold, expected, exact = [], {}, [], []
    for n in range(60):
        one, two = (" ".join(rng.choice(WORDS, rng.integers(1, 5))) for _ in range(2))
        two = one.upper() if n % 7 == 0 else two
        rows.append((f"i{n:02}", "p", two))
        gold[f"i{n:02}"] = one
        expected.append(mlqa.f1_score(two, one, "hi"))  # a language without articles, split at blanks
        exact.append(mlqa.exact_match_score(two, one, "hi"))
    made = read_scores(score_answers(build_answers("text", rows, gold, normalise="words"))["individual"])
    assert made["f1"] == pytest.approx(float(np.mean(expected)), abs=1e-9)
    assert made["exact_match"] == pytest.approx(float(np.mean(exact)))
    assert 0 < float(np.mean(exact)) < 1


@pytest.mark.parametrize(
    ("squad_case", "unicode_case", "gold", "answer"),
    [
        ("straight vs curly apostrophe (SQuAD norm)", "curly apostrophe, unicode norm", "п'ять", "п’ять"),
        ("guillemets (SQuAD norm)", "guillemets, unicode norm", "Лис", "«Лис»"),
    ],
)
def test_the_known_traps_of_exact_match(
    known: dict[str, Any], squad_case: str, unicode_case: str, gold: str, answer: str
) -> None:
    """SQuAD's normalisation (in the harness) calls them different, `words` equal, as Unicode's marks of punctuation."""
    squad, unicode = known["em_traps"][squad_case], known["em_traps"][unicode_case]
    assert load_harness("french_bench").exact([answer], [gold]) == squad == 0
    assert load_harness("mlqa").exact_match_score(answer, gold, "hi") == unicode == 1
    for normalise, expected in (("words", unicode), ("exact", squad)):
        given = build_answers("text", [("i", "p", answer)], {"i": gold}, normalise=normalise)
        assert read_scores(score_answers(given)["individual"])["exact_match"] == expected


def test_correction_metrics_equal_known_packages() -> None:
    """WER and CER by RapidFuzz' distances, chrF by sacreBLEU, averaged over answers."""
    fuzz = pytest.importorskip("rapidfuzz.distance", reason="in the development environment alone")
    bleu = pytest.importorskip("sacrebleu.metrics", reason="in the development environment alone")
    gold = {"i": "Він пішов додому пізно", "j": "Вона читає нову книжку", "k": "Ми тут"}
    rows = [("i", "p", "Він пішла до дому пізно"), ("j", "p", "Вона читає книжку"), ("k", "p", "Ми тут")]
    made = read_scores(score_answers(build_answers("edit", rows, gold, normalise="exact"))["individual"])
    pairs = [(gold[item], said) for item, _, said in rows]
    distance = fuzz.Levenshtein.distance
    assert made == pytest.approx(
        {
            "exact_match": 1 / 3,
            "wer": np.mean([distance(one.split(), two.split()) / len(one.split()) for one, two in pairs]),
            "cer": np.mean([distance(one, two) / len(one) for one, two in pairs]),
            "chrf": np.mean([bleu.CHRF().sentence_score(two, [one]).score / 100 for one, two in pairs]),
        },
        abs=1e-9,
    )


def test_the_tail_of_position_preference_is_poisson_binomial() -> None:
    """Against the product of all (1 - p + p z), multiplied out, for a person with other chances on each answer."""
    gold, k = [1, 2, 3, 1, 2, 3, 4, 1, 2, 4, 1, 5], [3, 3, 3, 4, 4, 4, 4, 2, 2, 5, 5, 5]
    place = [1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1]
    answers = pd.DataFrame({"annotator": "p", "place": place, "gold_place": gold, "n_options": k})
    accuracy = float(np.mean(np.array(gold) == np.array(place)))
    chances = [accuracy if g == 1 else (1 - accuracy) / (size - 1) for g, size in zip(gold, k, strict=True)]
    law = np.array([1.0])
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    tail = float(law[place.count(1) :].sum())
    row = find_position_preferences(answers).loc["p"]
    assert (row["side"], row["place"], row["n_chosen"]) == ("start", 1, 11)
    n_places = 2 * max(k)
    assert row["p_value"] == pytest.approx(min(1.0, n_places * tail))
