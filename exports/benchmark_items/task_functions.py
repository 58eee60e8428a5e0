"""What the tasks of the lm-evaluation-harness call: data, answers read from what a model said, and scores by `scoring`.

A build copies this file as `tasks.py`, with `scoring.py` beside it; there it needs the standard library and the
harness's own `datasets` alone, and Pillow for pictures. People's answers are scored by the same functions, in the
replay and by `results`.

A `doc` is a row of the items' files (`exports.benchmark_items`). `results` is what the harness hands over: one text,
or pairs of a log-likelihood and whether it was the greedy one, of every option's name, then of every option's text. An
answer that cannot be read is None, as a skip is: nothing was said.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aggregation import scoring
from exports.benchmark_items import readers

Doc = dict[str, Any]
Grades = dict[str, Any]
Ends = tuple[int, int]
PICTURE_SIGN, IMAGE_PLACE = "[picture]", "<image>"
"""What is in the place of a picture: in the text that people read, and in a prompt, where the harness puts it."""
PICTURES = "data/pictures"
"""The folder of pictures beside this file."""


def load_data(*, data_files: dict[str, str], **_: object) -> Any:
    """The splits of a task as `datasets.DatasetDict`, from files beside this one, whatever the working directory is."""
    import datasets

    folder = Path(__file__).parent
    splits = {}
    for split, name in data_files.items():
        table = datasets.table.InMemoryTable.from_pylist(read_rows(folder / name))
        # with the hash in the file's name `datasets` computes none of its own, which takes longer than all the rest
        splits[split] = datasets.Dataset(table, fingerprint=Path(name).stem.rpartition("-")[2])
    return datasets.DatasetDict(splits)


def read_rows(file: Path) -> list[Doc]:
    """The rows of a JSON Lines file."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load_images(doc: Doc) -> list[Any]:
    """The pictures of an item, in the order of their places in the prompt; Pillow decodes one when it is used."""
    from PIL import Image

    return [Image.open(io.BytesIO(find_image(name).read_bytes())) for name in doc["images"]]


def find_image(name: str) -> Path:
    """The file of a picture: its name is the SHA-256 of its content."""
    return Path(__file__).parent / PICTURES / name


def build_prompt(doc: Doc) -> str:
    """What a model gets: the stimulus that people read, the question, its options, and how to answer.

    A question that the stimulus asks already, in the same words, is not asked again. Each picture has its place.
    """
    options = doc.get("options") or []
    if "marks" in doc:
        listed = [f"{mark}. {option}" for mark, option in zip(doc["marks"], options, strict=True)]
    elif "labels" in doc:
        listed = [f"- {option}" for option in options]
    else:
        listed = [f"{number}. {option}" for number, option in enumerate(options, start=1)]
    n_images, question = len(doc.get("images") or ()), doc["question"]
    stimulus = doc["stimulus"].replace(PICTURE_SIGN, IMAGE_PLACE, n_images)
    asked = {fold_text(part) for part in re.split(r"\n\s*\n", stimulus) if not n_images or part != IMAGE_PLACE}
    questions = [line for line in question.splitlines() if fold_text(line) not in asked]
    gap = "\n\n" if questions else "\n"
    return (f"{stimulus}{gap}" if stimulus else "") + "\n".join([*questions, *listed, doc["cue"]])


def fold_text(text: str) -> str:
    """The words of a text in lower case, by which two texts that say the same are equal."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def list_names(doc: Doc) -> list[str]:
    """How a model names each option: by its letter or number, or else by its own words."""
    return list(doc.get("marks") or doc["options"])


def list_names_and_texts(doc: Doc) -> list[str]:
    """All of which a model tells the likelihood: the names of the options, then their texts where they have marks."""
    return [*list_names(doc), *(doc["options"] if doc.get("marks") else ())]


def score_choice(doc: Doc, results: Sequence[Any]) -> Grades:
    """The accuracy of one choice, and of the other reading of the same results."""
    answer = read_label(doc, results)
    return grade_unscored(doc, answer) or {"accuracy": float(answer == doc["gold"]), **score_other(doc, results)}


def score_other(doc: Doc, results: Sequence[Any]) -> Grades:
    """The accuracy of the strict reading of a reply, or of likelihoods divided by the length of each option's text.

    The latter is the `acc_norm` of the harness: a model without knowledge finds short texts more likely than long ones.
    """
    if is_written(results):
        return {"accuracy_strict": float(read_label(doc, results, strict=True) == doc["gold"])}
    if len(results) < len(list_names_and_texts(doc)):
        return {}
    return {"accuracy_norm": float(read_label(doc, results, by_length=True) == doc["gold"])}


def score_class(doc: Doc, results: Sequence[Any]) -> Grades:
    """The accuracy of one choice among classes, and the pair of labels from which the other metrics are computed."""
    answer = read_label(doc, results)
    pair = [doc["gold"], answer]
    return grade_unscored(doc, answer) or {
        "accuracy": float(answer == doc["gold"]),
        **score_other(doc, results),
        "macro_f1": pair,
        "weighted_f1": pair,
        "mcc": pair,
    }


def score_boxes(doc: Doc, results: Sequence[Any]) -> Grades:
    """The grades of any number of boxes: exact match, F1, precision and recall; counts right, gold, answered."""
    answer = read_boxes(doc, results)
    if doc["gold"] is None:
        return grade_unscored(doc, answer)
    strict = read_boxes(doc, results, strict=True)
    gold, ticked = set(json.loads(doc["gold"])), set(answer or ())
    counts = [len(gold & ticked), len(gold), len(ticked)]
    f1 = 0.0 if answer is None else compute_f1(*counts)
    right, *totals = counts
    shares = [right / total if total else 1.0 for total in reversed(totals)]
    return {
        "exact_match": float(answer is not None and ticked == gold),
        "exact_match_strict": float(strict is not None and set(strict) == gold),
        "f1a": counts,
        "f1m": f1,
        "f1m_of_averages": [0.0, 0.0] if answer is None else shares,
    }


def score_fixed_boxes(doc: Doc, results: Sequence[Any]) -> Grades:
    """As `score_boxes`, and the same counts for each box, where all items have the same."""
    grades = score_boxes(doc, results)
    if doc["gold"] is None:
        return grades
    gold, ticked = set(json.loads(doc["gold"])), set(read_boxes(doc, results) or ())
    return grades | {
        name_box_metric(box): [int(box in gold and box in ticked), int(box in gold), int(box in ticked)]
        for box in doc["options"]
    }


def name_box_metric(box: str) -> str:
    """The metric of one box; the harness writes metrics with a comma after the name, so that it may hold none."""
    return f"f1 {box.replace(',', ' ')}"


def score_text(doc: Doc, results: Sequence[Any]) -> Grades:
    """The grades of a free text, each against the right answer with which it is best."""
    answer = read_text(doc, results)
    if doc["gold"] is None:
        return grade_unscored(doc, answer)
    right, said = normalise_answers(doc, answer or "")
    f1 = max(scoring.overlap_f1(one.split(), said.split()) for one in right)
    return grade_match(doc, results, said in right) | {"f1": 0.0 if answer is None else f1}


def grade_match(doc: Doc, results: Sequence[Any], is_right: bool) -> Grades:
    """Whether an answer is right, and whether it is so by the strict reading of the reply, which is the same text."""
    answers = {strict: read_text(doc, results, strict=strict) is not None for strict in (False, True)}
    return {
        "exact_match": float(is_right and answers[False]),
        "exact_match_strict": float(is_right and answers[True]),
    }


def score_edit(doc: Doc, results: Sequence[Any]) -> Grades:
    """The grades of a corrected text; for one that was not written the whole right text is missing."""
    answer = read_text(doc, results)
    if doc["gold"] is None:
        return grade_unscored(doc, answer)
    if answer is None:
        return {"exact_match": 0.0, "exact_match_strict": 0.0, "wer": 1.0, "cer": 1.0, "chrf": 0.0}
    right, said = normalise_answers(doc, answer)
    words, ngrams = scoring.split_words(said), scoring.count_ngrams(said)
    return grade_match(doc, results, said in right) | {
        "wer": min(scoring.error_rate(scoring.split_words(one), words) for one in right),
        "cer": min(scoring.error_rate(one, said) for one in right),
        "chrf": max(scoring.chrf(scoring.count_ngrams(one), ngrams) for one in right),
    }


def score_span(doc: Doc, results: Sequence[Any]) -> Grades:
    """The grades of marked parts of a text: the very same parts, F1 of the words that they touch, F1 of characters."""
    answer = read_spans(doc, results)
    if doc["gold"] is None:
        return grade_unscored(doc, answer)
    if answer is None:
        return {"exact_match": 0.0, "exact_match_strict": 0.0, "f1": 0.0, "f1_char": 0.0}
    strict = read_spans(doc, results, strict=True)
    gold, words = parse_ends(doc["gold"]), scoring.find_words(doc["text"])
    touched = [[list_touched(span, words) for span in spans] for spans in (gold, answer)]
    characters = [[set(range(*span)) for span in spans] for spans in (gold, answer)]
    return {
        "exact_match": float(sorted(gold) == sorted(answer)),
        "exact_match_strict": float(strict is not None and sorted(gold) == sorted(strict)),
        "f1": compute_unit_f1(*touched),
        "f1_char": compute_unit_f1(*characters),
    }


def grade_unscored(doc: Doc, answer: object) -> Grades:
    """The grades of an item whose gold is hidden: whether it was answered. Empty where there is gold."""
    return {"answered": float(answer is not None)} if doc["gold"] is None else {}


def is_written(results: Sequence[Any]) -> bool:
    """Whether results are a reply that a model wrote, and no likelihoods."""
    return isinstance(results[0], str)


def read_label(doc: Doc, results: Sequence[Any], *, strict: bool = False, by_length: bool = False) -> str | None:
    """The label of the option that a reply names, or whose name is the most likely; None where there is no such option.

    `by_length` takes the likelihoods of the options' texts, each divided by the number of its characters. In the replay
    of a skip every option is impossible.
    """
    options, labels = doc["options"], doc["labels"]
    if is_written(results):
        reading = readers.read_choice(results[0], marks=doc.get("marks") or (), texts=options, cue=doc["cue"])
        number = reading.strict if strict else reading.lenient
        return None if number is None else str(labels[number])
    likelihoods = [float(result[0]) for result in results]
    if by_length:
        pairs = zip(likelihoods[-len(options) :], options, strict=True)
        likelihoods = [likelihood / len(option) for likelihood, option in pairs]
    best = max(range(len(options)), key=likelihoods.__getitem__)
    return None if likelihoods[best] == -math.inf else str(labels[best])


def read_boxes(doc: Doc, results: Sequence[Any], *, strict: bool = False) -> list[str] | None:
    """The options whose numbers a reply lists, [] for 0; None for any other reply."""
    reading = readers.read_boxes_reply(str(results[0]), texts=doc["options"], cue=doc["cue"])
    ticked = reading.strict if strict else reading.lenient
    return None if ticked is None else [doc["options"][index] for index in ticked]


def read_text(doc: Doc, results: Sequence[Any], *, strict: bool = False) -> str | None:
    """The text of a reply, corrected where an item has one to correct; None for an empty one."""
    reply = str(results[0])
    if "text" in doc:
        reading = readers.read_edited(reply, text=doc["text"], cue=doc["cue"])
    else:
        reading = readers.read_typed(reply, rule=doc["normalise"], cue=doc["cue"])
    return reading.strict if strict else reading.lenient


def read_spans(doc: Doc, results: Sequence[Any], *, strict: bool = False) -> list[Ends] | None:
    """The parts of `text` that a reply quotes, one a line, or a JSON list of {start, end}; [] for the words of none."""
    reading = readers.read_quoted_parts(str(results[0]), text=doc["text"], no_answer=doc["no_answer"], cue=doc["cue"])
    return reading.strict if strict else reading.lenient


def parse_ends(stored: str) -> list[Ends]:
    """The ends of the spans of a stored answer."""
    return [(int(span["start"]), int(span["end"])) for span in json.loads(stored)]


def normalise_answers(doc: Doc, answer: str) -> tuple[list[str], str]:
    """All right answers to an item and an answer, each in the form in which they are compared."""
    rule = doc["normalise"]
    right = [scoring.normalise_answer(rule, one) for one in (doc["gold"], *(doc["accepted"] or ()))]
    return right, scoring.normalise_answer(rule, answer)


def list_touched(span: Ends, words: Sequence[Ends]) -> set[int]:
    """The numbers of the words that a span touches."""
    return {number for number, (start, end) in enumerate(words) if span[0] < end and start < span[1]}


def compute_unit_f1(gold: Sequence[set[int]], answered: Sequence[set[int]]) -> float:
    """F1 of the units (words or characters) of answered spans against those of gold spans."""
    in_gold: set[int] = set().union(*gold)
    right = sum(len(units & in_gold) for units in answered)
    return compute_f1(right, len(in_gold), sum(map(len, answered)))


def compute_f1(right: float, gold: float, answered: float) -> float:
    """2 right / (gold + answered); 1 where both are empty."""
    return 2 * right / (gold + answered) if gold + answered else 1.0


def count_pairs(pairs: Sequence[Sequence[Any]]) -> scoring.LabelCounts:
    """The counts of `scoring` for pairs of gold and answer; None is an answer that names no class."""
    gold, answers = [str(pair[0]) for pair in pairs], [pair[1] for pair in pairs]
    classes = sorted({*gold, *(answer for answer in answers if answer is not None)})
    return scoring.count_labels(gold, answers, classes=classes)


def compute_macro_f1(pairs: Sequence[Sequence[Any]]) -> float:
    """Macro-F1 of pairs of gold and answer."""
    return scoring.macro_f1(count_pairs(pairs))


def compute_weighted_f1(pairs: Sequence[Sequence[Any]]) -> float:
    """Weighted F1 of pairs of gold and answer."""
    return scoring.weighted_f1(count_pairs(pairs))


def compute_mcc(pairs: Sequence[Sequence[Any]]) -> float:
    """Matthews' correlation of pairs of gold and answer."""
    return scoring.mcc(count_pairs(pairs))


def compute_pooled_f1(counts: Sequence[Sequence[float]]) -> float:
    """F1 of the summed counts right, gold, answered; undefined (nan) where nothing is gold and nothing was ticked."""
    right, gold, answered = (sum(each[place] for each in counts) for place in range(3))
    return 2 * right / (gold + answered) if gold + answered else math.nan


def compute_f1_of_averages(shares: Sequence[Sequence[float]]) -> float:
    """F1 of the mean precision and the mean recall of answers, as Russian SuperGLUE's script has F1m."""
    precision, recall = (compute_mean([each[place] for each in shares]) for place in range(2))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def compute_mean(values: Sequence[float]) -> float:
    """The mean."""
    return sum(values) / len(values) if values else math.nan


AGGREGATIONS = {
    "macro_f1": compute_macro_f1,
    "weighted_f1": compute_weighted_f1,
    "mcc": compute_mcc,
    "f1a": compute_pooled_f1,
    "f1m_of_averages": compute_f1_of_averages,
}
"""How the grades of a metric become its value; the mean where a metric is not here, pooled F1 for a single box."""
