"""README.md of the folder: the data card, with the YAML that the Hub reads and what the organisers declared."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from exports.benchmark_items import HUMAN_RESPONSES, BenchmarkTask, BuildSource
from exports.benchmark_items.answer_spaces.answer_space import FieldType
from exports.benchmark_items.forms import VISION_MODEL, name_generation
from exports.citation import build_bibtex, describe_people, format_title, list_authors
from exports.hugging_face.data_files import DTYPES, DataFile
from exports.human_scores import DECIMALS

CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "arrayShape": "cr:arrayShape", "citeAs": "cr:citeAs",
    "column": "cr:column", "conformsTo": "dct:conformsTo", "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/", "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract", "field": "cr:field",
    "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty", "fileSet": "cr:fileSet", "format": "cr:format",
    "includes": "cr:includes", "isArray": "cr:isArray", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
    "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/", "recordSet": "cr:recordSet", "references": "cr:references",
    "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "sc": "https://schema.org/",
    "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip
"""The context that Croissant 1.1 prescribes."""
CROISSANT, RAI = "http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"
TYPES: Mapping[FieldType, str] = {
    "text": "sc:Text", "texts": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean",
    "picture": "sc:ImageObject",
}  # fmt: skip
PLATFORMS = {"telegram": "hromada's Telegram bot", "label_studio": "Label Studio", "import": "imported votes"}


def build_croissant(
    source: BuildSource,
    tasks: Sequence[BenchmarkTask],
    files: Sequence[DataFile],
    contents: Mapping[str, bytes],
    *,
    canary: str,
) -> dict[str, Any]:
    """Build the content of croissant.json; `contents` are the data files by path."""
    licence = find_licence(source)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": source.name,
        "description": f"{format_title(source)}. Items with gold, and the answers of people. Canary: {canary}",
        "conformsTo": [CROISSANT, RAI],
        "inLanguage": source.language,
        "license": licence or _join_facts(source, "licence") or "not declared",
        "version": "1.0.0",
        "isLiveDataset": False,
        "citeAs": build_bibtex(source),
        "creator": [{"@type": "sc:Organization", "name": name} for name in list_authors(source)],
        **_build_dates(source),
        "distribution": [_build_file_object(file, contents[file.path]) for file in files],
        "recordSet": [_build_record_set(file) for file in files],
        **_build_annotation_fields(source, tasks),
    }


def _build_dates(source: BuildSource) -> dict[str, str]:
    """When people answered, and when the last project was closed, where that is known."""
    first, last = source.collected or (None, None)
    dates = {"dateCreated": first, "dateModified": last, "datePublished": source.closed}
    return {name: day for name, day in dates.items() if day is not None}


def _build_file_object(file: DataFile, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{len(content)} B",
        "encodingFormat": "application/x-parquet",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _build_record_set(file: DataFile) -> dict[str, Any]:
    name = f"{file.configuration}-{file.split}"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "dataType": TYPES[field_type],
                "source": {
                    "fileObject": {"@id": file.path},
                    "extract": {"column": column},
                    **({"transform": {"jsonPath": "bytes"}} if field_type == "picture" else {}),
                },
                **({"isArray": True, "arrayShape": "-1"} if field_type == "texts" else {}),
            }
            for column, field_type in file.fields.items()
        ],
    }


def _build_annotation_fields(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> dict[str, Any]:
    """The fields on annotation of Croissant RAI; what nobody declared is left out."""
    platforms = sorted({PLATFORMS.get(name, name) for task in tasks for name in task.source.platforms})
    overlaps = sorted({words for task in tasks if (words := task.data.planned_words)})
    instructions = dict.fromkeys(task.source.instructions for task in tasks if task.source.instructions)
    fields = {
        "rai:dataCollection": _join_facts(source, "recruitment"),
        "rai:dataAnnotationProtocol": "\n\n".join(instructions),
        "rai:dataAnnotationPlatform": ", ".join(platforms),
        "rai:dataAnnotationAnalysis": f"{'; '.join(map(_describe_gold, tasks))}. People: {describe_people(tasks)}",
        "rai:annotationsPerItem": f"planned: {', '.join(overlaps)}" if overlaps else "",
        "rai:annotatorDemographics": _join_facts(source, "population"),
        "rai:machineAnnotationTools": _join_facts(source, "ai_use"),
        "rai:personalSensitiveInformation": "Annotators are keyed pseudonyms; no times of day are published.",
    }
    return {name: text for name, text in fields.items() if text}


def _describe_gold(task: BenchmarkTask) -> str:
    origins = ", ".join(sorted({str(doc["gold_source"]) for doc in task.scored_docs}))
    one_vote = "" if task.data.sample is None else f", {task.data.count_one_vote_items()} items rest on one vote"
    return f"{task.name}: gold from {origins}, {len(task.docs)} items{one_vote}"


def _join_facts(source: BuildSource, fact: str) -> str:
    return "; ".join(dict.fromkeys(source.list_declared(fact).values()))


LICENCES = (
    "cc0-1.0", "cc-by-4.0", "cc-by-3.0", "cc-by-sa-4.0", "cc-by-sa-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0",
    "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0", "odc-by", "odbl", "pddl", "apache-2.0", "mit",
)  # fmt: skip
"""The licences that the Hub knows by these ids; any other is `other`, in the declared words."""
CREATORS = MappingProxyType(
    {
        "votes": "crowdsourced",
        "expert": "expert-generated",
        "adjudication": "expert-generated",
        "construction": "machine-generated",
        "declared": "found",
    }
)
"""Who made the gold, by its origin, in the words of the Hub."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
DEFAULT_SIZE = "n>1M"
PICTURE_CATEGORY = "visual-question-answering"
"""What the Hub calls tasks with pictures."""
_INTRODUCTION = (
    "Built by hromada {}. Models are asked what people were asked: `stimulus` is the text that people read; a model"
    " gets it with `question`, `options` and `cue` below. `gold` is the right answer as people's answers are stored,"
    " `answer` the same in the model's words. Scores are those of `scoring.py`, of people and models alike.\n"
)
_PEOPLE = (
    "A single answer is one person's, a skip is wrong. A majority with a tie counts its share. The ceiling is the share"
    " of items whose gold a review found right. The same numbers are in `manifest.json`, in the metadata of the tasks"
    " and in `CITATION.cff`; `hromada results` shows models beside them.\n"
)
_EVALUATE = "lm_eval run --model {model} \\\n  --tasks {tasks} --include_path lm_eval --output_path runs --log_samples"
_CHAT = "local-chat-completions --apply_chat_template --model_args model=MODEL,base_url=URL"
_SEEN = (
    "The items of {} show pictures, so the model must have vision. `image` (or `image_1`, `image_2` …) is a picture as"
    " people were shown it; in a prompt, `<image>` is the place of each.\n"
)
_USES = """\
## Load

In the folder of the build (on the Hub, with the name of the data set there in place of `hugging_face`):

```python
from datasets import load_dataset
items = load_dataset("hugging_face", "{task}", split="test")
```

## Evaluate

{closed}
```sh
{commands}
hromada results . runs
```

## Cite

```bibtex
{citation}
```
"""
FACTS = ("recruitment", "pay", "ethics", "population", "ai_use", "stimulus_differences", "licence")
NOT_DECLARED = "*not declared*"


def build_card(
    source: BuildSource,
    tasks: Sequence[BenchmarkTask],
    files: Sequence[DataFile],
    *,
    canary: str,
    left_out: Mapping[str, str],
) -> str:
    """Build the card; `left_out` are the data sets of which no task could be made, with the reasons."""
    parts = [
        f"---\n{''.join(_list_keys(source, tasks, files))}---\n",
        f"# {_escape(source.title)}\n",
        *(["**SIMULATED: no person answered any of this.**\n"] if source.simulated else []),
        _INTRODUCTION.format(source.version),
        "## Tasks\n",
        "\n".join(_list_tasks(tasks)) + "\n",
        *_list_people(tasks),
        *(
            ["## Left out\n", "\n".join(f"- `{name}`: {reason}" for name, reason in left_out.items()) + "\n"]
            * bool(left_out)
        ),
        *_list_one_vote_labels(tasks),
        *_list_answers(files),
        "## Declared by the organisers\n",
        "\n".join(_list_facts(source)) + "\n",
        *_list_instructions(tasks),
        *_list_uses(source, tasks),
        "## Canary\n",
        f"This data is for evaluation and must not be in training data. Canary string: `{canary}`\n",
    ]
    return "\n".join(parts)


def find_licence(source: BuildSource) -> str | None:
    """The id of the declared licence, where all projects declare the same known one; None for any other."""
    words = {_match_licence(text) for text in source.list_declared("licence").values()}
    projects = {task.data.name for task in source.tasks if "/" not in task.data.name}
    return next(iter(words)) if len(words) == 1 and len(source.list_declared("licence")) == len(projects) else None


def _match_licence(text: str) -> str | None:
    written = re.sub(r"[\s_]+", "-", text.strip().lower())
    named = [licence for licence in LICENCES if re.match(rf"{re.escape(licence)}(?![\w.])(?!-(?:sa|nc|nd))", written)]
    return named[0] if named else None


def _list_keys(source: BuildSource, tasks: Sequence[BenchmarkTask], files: Sequence[DataFile]) -> Iterator[str]:
    """The keys that the Hub reads, as YAML."""
    licence = find_licence(source)
    yield f"pretty_name: {_quote(format_title(source))}\n"
    yield f"language: [{source.language}]\n"
    yield f"license: {licence or 'other'}\n"
    if licence is None:
        yield "license_name: declared\n"
    yield f"annotations_creators: [{', '.join(_list_creators(source, tasks))}]\n"
    categories = sorted({PICTURE_CATEGORY if task.source.shows_pictures else task.space.category for task in tasks})
    yield f"task_categories: [{', '.join(categories)}]\n"
    n_items = sum(len(task.docs) for task in tasks)
    yield f"size_categories: [{_quote(next((name for limit, name in SIZES if n_items < limit), DEFAULT_SIZE))}]\n"
    yield "tags: [benchmark, human-baseline, hromada]\n"
    yield "configs:\n"
    for configuration in dict.fromkeys(file.configuration for file in files):
        yield f"- config_name: {_quote(configuration)}\n  data_files:\n"
        for file in files:
            if file.configuration == configuration:
                yield f"  - split: {file.split}\n    path: {_quote(file.path)}\n"
    with_pictures = {file.configuration: file for file in files if "picture" in file.fields.values()}
    if with_pictures:
        yield "dataset_info:\n"
    for configuration, file in with_pictures.items():
        yield f"- config_name: {_quote(configuration)}\n  features:\n"
        for name, field_type in file.fields.items():
            yield f"  - name: {name}\n    {'list' if field_type == 'texts' else 'dtype'}: {DTYPES[field_type]}\n"


def _list_creators(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> list[str]:
    """Who made the gold and the answers."""
    if source.simulated:
        return ["machine-generated"]
    made = {CREATORS[str(doc["gold_source"])] for task in tasks for doc in task.scored_docs}
    has_answers = any(not task.data.responses.empty for task in tasks)
    return sorted(made | ({"crowdsourced"} if has_answers else set()))


def _list_tasks(tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    yield "| task | question | test items | groups | few-shot items | gold | metrics |"
    yield "|---|---|---|---|---|---|---|"
    for task in tasks:
        origins = sorted({str(doc["gold_source"]) for doc in task.scored_docs})
        gold = "hidden" if task.source.hidden else ", ".join(origins)
        groups = len({doc["group"] for doc in task.docs})
        cells = (task.name, _escape(task.source.text), len(task.docs), groups, len(task.few_shot), gold)
        yield f"| {' | '.join(map(str, cells))} | {', '.join(task.metrics).replace('|', ' ')} |"


def _list_people(tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    """How well people do: the numbers of the manifest, with their intervals."""
    yield "## People\n"
    rows = ["| task | people | metric | value | 95% CI, new people | 95% CI, these people | items | people | answers |"]
    rows.append("|---|---|---|---|---|---|---|---|---|")
    notes: dict[str, list[str]] = {}
    for task in tasks:
        for row in task.human.rows:
            ends = ((row.ci_low, row.ci_high), (row.item_only_low, row.item_only_high))
            intervals = ("–" if None in pair else " – ".join(map(_format_number, pair)) for pair in ends)
            counts = (row.n_items, row.n_annotators, row.n_answers)
            shown = ("–" if number is None else str(number) for number in counts)
            metric = row.metric.replace("_", " ") or "–"
            cells = (task.name, row.title, metric, _format_number(row.value), *intervals, *shown)
            rows.append(f"| {' | '.join(cells)} |")
            if row.reason:
                notes.setdefault(row.reason, []).append(f"{task.name}, {row.title.lower()}")
        if task.human.n_left_out:
            told = f"without {task.human.n_left_out} items that people answered and models are not asked"
            notes.setdefault(told, []).append(task.name)
    yield "\n".join(rows) + "\n"
    yield _PEOPLE
    if notes:
        yield "\n".join(f"- {', '.join(names)}: {reason}" for reason, names in notes.items()) + "\n"


def _format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.{DECIMALS}f}"


def _list_uses(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    """How the data set is loaded, how a model is evaluated, and how it is cited."""
    seen = [task for task in tasks if task.source.shows_pictures]
    read = [task for task in tasks if not task.source.shows_pictures]
    has_two = any(len(task.forms) > 1 for task in tasks)
    models = {True: "hf --model_args pretrained=MODEL"} if read else {}
    if has_two:
        models[False] = _CHAT
    commands = [
        _EVALUATE.format(model=model, tasks=_name_tasks(source, read, first=first, is_whole=not seen))
        for first, model in models.items()
    ]
    if seen:
        most = max(len(doc["images"]) for task in seen for doc in task.docs)
        names = _name_tasks(source, seen, first=True, is_whole=not read)
        commands += [
            _EVALUATE.format(model=model, tasks=names) for model in (VISION_MODEL, f"{_CHAT},max_images={most}")
        ]
    yield _USES.format(
        task=tasks[0].name,
        closed="A chat model takes the tasks by generation, in which it writes its answer.\n" * has_two
        + _SEEN.format(", ".join(f"`{task.name}`" for task in seen)) * bool(seen),
        commands="\n".join(commands),
        citation=build_bibtex(source),
    )


def _name_tasks(source: BuildSource, tasks: Sequence[BenchmarkTask], *, first: bool, is_whole: bool) -> str:
    """What the harness is to run: every question in its first form, or every one by generation.

    A programme is run by its name if these are all its tasks (`is_whole`): no model takes a group in which some have
    pictures.
    """
    if source.is_group and is_whole:
        return source.name if first else name_generation(source.name)
    return ",".join(task.forms[0 if first else -1].task for task in tasks)


def _list_one_vote_labels(tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    """How many labels of a task rest on one vote, where only a sample of its items got several."""
    sampled = [(task, sample) for task in tasks if (sample := task.data.sample) is not None]
    if sampled:
        yield "## Votes per item\n"
        yield (
            "\n".join(
                f"- {task.name}: {task.data.count_one_vote_items()} of {len(task.data.items)} items have one vote."
                f" Agreement was {sample.words}."
                for task, sample in sampled
            )
            + "\n"
        )


def _list_answers(files: Sequence[DataFile]) -> Iterator[str]:
    for file in files:
        if file.configuration == HUMAN_RESPONSES:
            yield "## People's answers\n"
            yield (
                f"The configuration `{HUMAN_RESPONSES}` has {file.rows} answers, one a row, by pseudonym and without"
                " times of day; `excluded_kind` is empty where an answer counts, `answer` is in the model's words.\n"
            )


def _list_facts(source: BuildSource) -> Iterator[str]:
    for fact in FACTS:
        declared = source.list_declared(fact)
        texts = set(declared.values())
        if not declared:
            yield f"- {fact}: {NOT_DECLARED}"
        elif len(texts) == 1:
            yield f"- {fact}: {_escape(texts.pop())}"
        else:
            yield from (f"- {fact} ({project}): {_escape(text)}" for project, text in declared.items())


def _list_instructions(tasks: Sequence[BenchmarkTask]) -> Iterator[str]:
    texts = {task.data.name: task.source.instructions for task in tasks if task.source.instructions}
    shown = dict.fromkeys(texts.values())
    if shown:
        yield "## What annotators were shown first\n"
        shows = {task.name: task.source.model_instructions == task.source.instructions for task in tasks}
        if not any(shows.values()):
            yield "Models are not shown these instructions, unless somebody adds them as a system prompt.\n"
        elif not all(shows.values()):
            named = ", ".join(f"`{name}`" for name, is_shown in shows.items() if is_shown)
            yield f"Models are shown these instructions before the items of {named} alone.\n"
        else:
            yield "Models are shown these instructions before everything else.\n"
        yield from map(_quote_lines, shown)
    own = dict.fromkeys(
        task.source.model_instructions
        for task in tasks
        if task.source.model_instructions not in ("", task.source.instructions)
    )
    if own:
        yield "## What models read first\n"
        yield from map(_quote_lines, own)


def _quote_lines(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.strip().splitlines()) + "\n"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _escape(text: str) -> str:
    """A text on one line, which opens no cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
