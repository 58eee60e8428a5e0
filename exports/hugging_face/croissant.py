"""croissant.json of the folder: the data set as Croissant 1.1 describes it, with the fields on how people annotated."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from exports.benchmark_items import BenchmarkTask, BuildSource
from exports.hugging_face.card import find_licence
from exports.hugging_face.data_files import DataFile, FieldType

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
    "text": "sc:Text", "texts": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean"
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
        "description": f"{source.title}. Items with gold, and the answers of people. Canary: {canary}",
        "conformsTo": [CROISSANT, RAI],
        "inLanguage": source.language,
        "license": licence or _join_facts(source, "licence") or "not declared",
        "version": "1.0.0",
        "isLiveDataset": False,
        "distribution": [_build_file_object(file, contents[file.path]) for file in files],
        "recordSet": [_build_record_set(file) for file in files],
        **_build_annotation_fields(source, tasks),
    }


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
                "source": {"fileObject": {"@id": file.path}, "extract": {"column": column}},
                **({"isArray": True, "arrayShape": "-1"} if field_type == "texts" else {}),
            }
            for column, field_type in file.fields.items()
        ],
    }


def _build_annotation_fields(source: BuildSource, tasks: Sequence[BenchmarkTask]) -> dict[str, Any]:
    """The fields on annotation of Croissant RAI; what nobody declared is left out."""
    platforms = sorted({PLATFORMS.get(name, name) for task in tasks for name in task.source.platforms})
    overlaps = sorted({str(task.data.overlap) for task in tasks if task.data.overlap is not None})
    instructions = dict.fromkeys(task.source.instructions for task in tasks if task.source.instructions)
    fields = {
        "rai:dataCollection": _join_facts(source, "recruitment"),
        "rai:dataAnnotationProtocol": "\n\n".join(instructions),
        "rai:dataAnnotationPlatform": ", ".join(platforms),
        "rai:dataAnnotationAnalysis": "; ".join(map(_describe_gold, tasks)),
        "rai:annotationsPerItem": f"planned: {', '.join(overlaps)}" if overlaps else "",
        "rai:annotatorDemographics": _join_facts(source, "population"),
        "rai:machineAnnotationTools": _join_facts(source, "ai_use"),
        "rai:personalSensitiveInformation": "Annotators are keyed pseudonyms; no times of day are published.",
    }
    return {name: text for name, text in fields.items() if text}


def _describe_gold(task: BenchmarkTask) -> str:
    origins = ", ".join(sorted({str(doc["gold_source"]) for doc in task.scored_docs}))
    return f"{task.name}: gold from {origins}, {len(task.docs)} items"


def _join_facts(source: BuildSource, fact: str) -> str:
    return "; ".join(dict.fromkeys(source.list_declared(fact).values()))
