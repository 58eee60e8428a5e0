"""Damages files of every kind of table and format, and tries what the loading of a project makes of them."""

from __future__ import annotations

import io
import json
import random
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from _tables import Row, write_table

from annotation.errors import HromadaError
from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HEAD = 'project: p\ntitle: p\nlanguage: uk\nquestion: {type: choice, text: "?", options: [так, ні]}\n'
FROM_VOTES = HEAD + "items: from votes\nvotes: {file: FILE, MORE}\n"
OF_ITEMS = HEAD + "items: {file: FILE, id: id, show: text, gold: gold}\noverlap: 3\n"
ITEMS: Sequence[Row] = [{"id": f"i{n}", "text": f"Речення, {n}", "gold": "так" if n % 2 else "ні"} for n in range(4)]
VOTES: Sequence[Row] = [
    {"item": f"i{n}", "who": who, "says": "так" if n % 2 else "ні"} for n in range(4) for who in ("Оля", "Ян")
]
WIDE: Sequence[Row] = [{"item": f"i{n}", "Оля": "так", "Ян": None if n == 2 else "ні"} for n in range(4)]
FORM: Sequence[Row] = [
    {"Час": f"0{n + 1}.03.2026 10:00:00", "Хто": f"w{n}", **{f"Так? [{item}]": "ні" for item in "абв"}}
    for n in range(3)
]
TASKS = [
    {
        "id": n,
        "data": {"text": f"слово {n}"},
        "annotations": [
            {
                "id": 10 * n + who, "completed_by": who, "was_cancelled": False,
                "result": [{"from_name": "says", "to_name": "text", "type": "choices", "value": {"choices": ["так"]}}],
            }
            for who in (1, 2)
        ],
    }
    for n in (1, 2)
]  # fmt: skip
LONG = "item: item, annotator: who, answer: says"
ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".json", ".parquet")
JUNK = (b'"', b"'", b"\0", b"\xff", b"{", b"]", b",", b"\t", b"\n", b"\r", b";", b"<", b"&", b"\\u0000", b"NaN", b"")
ENCODINGS = ("cp1251", "utf-16", "utf-16-le", "utf-32", "koi8-u", "cp866", "utf-8-sig")


def list_sources(folder: Path) -> list[tuple[str, str, bytes]]:
    """The sound files: the ending, the project file, and the bytes."""
    shapes = [
        (OF_ITEMS, ITEMS), (FROM_VOTES.replace("MORE", LONG), VOTES),
        (FROM_VOTES.replace("MORE", f"{LONG}, where: {{says: not empty}}"), VOTES),
        (FROM_VOTES.replace("MORE", "item: item, annotators: rest"), WIDE),
        (FROM_VOTES.replace("MORE", 'annotator: Хто, time: Час, wide: "Так? [{item}]"'), FORM),
    ]  # fmt: skip
    found = [
        (ending, project, write_table(folder / f"source{ending}", rows).read_bytes())
        for project, rows in shapes
        for ending in ENDINGS
    ]
    export = json.dumps(TASKS, ensure_ascii=False).encode()
    found.append((".json", FROM_VOTES.replace("MORE", "format: label-studio, answer: says, show: text"), export))
    return found


def damage(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """The file, damaged in one way."""
    if ending == ".xlsx" and rng.random() < 0.7:
        return damage_parts(raw, rng)
    match rng.randrange(4):
        case 0:
            return raw[: rng.randrange(len(raw))]
        case 1 if ending in {".csv", ".tsv", ".json", ".jsonl"}:
            return raw.decode().encode(rng.choice(ENCODINGS), "replace")
        case _:
            return change_bytes(raw, rng)


def change_bytes(raw: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, lost, put in, or repeated."""
    changed = raw
    for _ in range(rng.choice((1, 1, 2, 5))):
        place, length = rng.randrange(len(changed) + 1), rng.randrange(13)
        filling = rng.choice((*JUNK, bytes([rng.randrange(256)]), changed[place : place + length] * 2))
        changed = changed[:place] + filling + changed[place + length :]
    return changed


def damage_parts(raw: bytes, rng: random.Random) -> bytes:
    """The workbook with one of its parts damaged before it was packed, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as sound, zipfile.ZipFile(out, "w") as broken:
        names = sound.namelist()
        chosen = rng.choice([name for name in names if "sheet" in name] if rng.random() < 0.6 else names)
        for name in names:
            if name != chosen:
                broken.writestr(name, sound.read(name))
            elif rng.random() < 0.95:
                broken.writestr(name, change_bytes(sound.read(name), rng))
    return out.getvalue()


def count_rows(db: database.Database) -> dict[str, int]:
    """The number of rows of every table."""
    with db.transaction() as session:
        connection = session.connection()
        names = sa.inspect(connection).get_table_names()
        return {name: connection.execute(sa.text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in names}


def load(db: database.Database, file: Path, key: bytes) -> None:
    """Load the project, import its votes, and take both back."""
    with db.transaction() as session:
        projects.load_project_file(session, file, now=NOW)
        project = queries.get_project(session, "p")
        if project.definition.get("votes"):
            vote_file = vote_import.read_vote_file(session, project)
            vote_import.store_votes(session, project, vote_file, key=key, now=NOW)
        session.rollback()


def fuzz(files: int, seed: int, report: Callable[[str], None] = lambda _: None) -> Mapping[str, int]:
    """Try that many damaged files; how many were read and refused. Any other error goes through."""
    rng, counts = random.Random(seed), Counter[str]()  # noqa: S311
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = list_sources(folder)
        with database.open_database(f"sqlite:///{folder / 'fuzz.db'}") as db:
            with db.transaction() as session:
                key = pseudonyms.ensure_key(session, file=folder / "k.key", now=NOW)
            before = count_rows(db)
            for number in range(files):
                ending, project, raw = sources[number % len(sources)]
                path = folder / f"damaged{ending}"
                path.write_bytes(damage(raw, ending, rng) if number >= len(sources) else raw)
                (folder / "p.yaml").write_text(project.replace("FILE", path.name), "utf-8")
                counts[try_file(db, folder / "p.yaml", key)] += 1
                if number < len(sources) and counts["refused"]:
                    raise SystemExit(f"The sound file {ending} is refused.")
                if number % 500 == 0:
                    report(f"{number} files")
                if count_rows(db) != before:
                    raise SystemExit(f"File {number} of seed {seed} left rows in the database.")
    return counts


def try_file(db: database.Database, file: Path, key: bytes) -> str:
    """Whether the file was read or refused; a refusal has a place and a remedy."""
    try:
        load(db, file, key)
    except HromadaError as refusal:
        if refusal.where is None or not str(refusal):
            raise SystemExit(f"A refusal has no place: {refusal}") from refusal
        return "refused"
    return "read"
