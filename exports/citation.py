"""How a benchmark is cited: CITATION.cff and BibTeX, with its people's numbers as its card has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from exports.benchmark_items import BenchmarkTask, BuildSource

FILE = "CITATION.cff"
SPDX = MappingProxyType({"odc-by": "ODC-By-1.0", "odbl": "ODbL-1.0", "pddl": "PDDL-1.0", "apache-2.0": "Apache-2.0"})
"""The licences whose id in SPDX is not their id on the Hub in capitals."""


def list_authors(source: BuildSource) -> tuple[str, ...]:
    """The declared authors of all projects, each once; those who organise the benchmark where none are declared."""
    declared = source.list_declared("authors").values()
    names = (name.strip() for text in declared for name in str(text).split(";"))
    return tuple(dict.fromkeys(filter(None, names))) or (f"The organisers of {source.name}",)


def describe_people(tasks: Sequence[BenchmarkTask]) -> str:
    """People's numbers of all tasks, a sentence each."""
    return " ".join(f"{task.name}: {task.human}" for task in tasks)


def format_title(source: BuildSource) -> str:
    """The title on one line, marked if no person answered."""
    return f"{'SIMULATED: ' if source.simulated else ''}{' '.join(source.title.split())}"


def build_bibtex(source: BuildSource) -> str:
    """The entry for a paper; it has a year if the projects are closed."""
    key = re.sub(r"[^A-Za-z0-9]+", "-", source.name).strip("-") or "benchmark"
    fields = {
        "title": format_title(source),
        "author": " and ".join(f"{{{_escape(name)}}}" for name in list_authors(source)),
        "year": (source.closed or "")[:4],
        "note": f"Benchmark with {'simulated answers' if source.simulated else 'answers of people'},"
        f" built by hromada {source.version}",
    }
    lines = [
        f"  {name} = {{{value if name == 'author' else _escape(value)}}}" for name, value in fields.items() if value
    ]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def _escape(text: str) -> str:
    """A text as BibTeX prints it: braces are left out, and LaTeX's other marks are escaped."""
    return re.sub(r"([&%$#_])", r"\\\1", re.sub(r"[{}\\~^]", "", text))


def build_cff(source: BuildSource, tasks: Sequence[BenchmarkTask], *, licence: str | None) -> str:
    """The content of CITATION.cff (Citation File Format 1.2.0); `licence` is the id that the Hub knows, if any."""
    return "".join(f"{line}\n" for line in _list_lines(source, tasks, licence))


def _list_lines(source: BuildSource, tasks: Sequence[BenchmarkTask], licence: str | None) -> Iterator[str]:
    yield "cff-version: 1.2.0"
    yield f"message: {_quote('Cite this data set, and take scores of people with their interval.')}"
    yield "type: dataset"
    yield f"title: {_quote(format_title(source))}"
    yield "authors:"
    yield from (f"  - name: {_quote(name)}" for name in list_authors(source))
    if source.closed:
        yield f"date-released: {_quote(source.closed)}"
    if licence is not None:
        yield f"license: {SPDX.get(licence, licence.upper())}"
    yield "keywords: [benchmark, human-baseline, hromada]"
    yield f"abstract: {_quote(describe_people(tasks))}"


def _quote(text: str) -> str:
    """A text as JSON, which is YAML too."""
    return json.dumps(text, ensure_ascii=False)
