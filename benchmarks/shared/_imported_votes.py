"""Campaigns of imported votes at size: texts of some 250 characters in groups of five, with gold, and their votes."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sysconfig
import time
from datetime import UTC, datetime
from pathlib import Path

from annotation.store import database, pseudonyms, queries
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

PROJECT_NAME = "building"
WORDS = ("хата", "дорога", "річка", "поле", "вікно", "трава", "книга", "місто", "небо", "зоря", "вечір", "ранок")
CLASSES = WORDS[:4]
HEAD = f"""
project: {PROJECT_NAME}
title: Building
language: uk
instructions: Оберіть слово.
declared: {{recruitment: crowd, pay: none, ethics: exempt, population: adults, ai_use: unknown,
  stimulus_differences: none, licence: CC-BY-4.0}}
votes: {{format: csv, file: votes.csv, item: id, annotator: who, answer: says}}
"""
OWN_OPTIONS = """
question: {type: choice, text: "Яке слово зайве?"}
items: {file: items.jsonl, id: id, show: text, options: options, gold: gold, gold_origin: expert, group: story}
"""
FIXED_CLASSES = f"""
question: {{type: choice, text: "Яке слово зайве?", options: [{", ".join(CLASSES)}]}}
items: {{file: items.jsonl, id: id, show: text, gold: gold, gold_origin: expert, group: story}}
"""


def write_campaign(folder: Path, *, items: int, people: int, votes: int, own_options: bool = True) -> Path:
    """Write a project with its items and votes, of four options of each item's own or of four classes; its file."""
    rng = random.Random(1)  # noqa: S311
    with (
        (folder / "items.jsonl").open("w", encoding="utf-8") as out,
        (folder / "votes.csv").open("w", encoding="utf-8", newline="") as answers,
    ):
        cells = csv.writer(answers)
        cells.writerow(["id", "who", "says"])
        for number in range(items):
            options = rng.sample(WORDS if own_options else CLASSES, 4)
            text = f"Речення номер {number}: {' '.join(rng.choices(WORDS, k=40))}."
            gold = rng.choice(options)
            row = {"id": f"i{number}", "story": f"s{number // 5}", "text": text, "options": options, "gold": gold}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            for person in rng.sample(range(people), votes):
                cells.writerow([row["id"], f"p{person}", gold if rng.random() < 0.8 else rng.choice(options)])
    file = folder / "project.yaml"
    file.write_text(HEAD + (OWN_OPTIONS if own_options else FIXED_CLASSES), "utf-8")
    return file


def fill_database(folder: Path, *, items: int, people: int, votes: int, own_options: bool = True) -> None:
    """A database with the campaign and its votes."""
    file = write_campaign(folder, items=items, people=people, votes=votes, own_options=own_options)
    now = datetime.now(UTC)
    with database.open_database(f"sqlite:///{folder / 'hromada.db'}") as db, db.transaction() as session:
        projects.load_project_file(session, file, now=now)
        key = pseudonyms.ensure_key(session, file=folder / "hromada.key", now=now)
        project = queries.get_project(session, PROJECT_NAME)
        vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=now)


def run_command(folder: Path, *words: str) -> tuple[float, float]:
    """Seconds of a command in a process of its own, its start included, and the most memory in MB it ever had."""
    command = [f"{sysconfig.get_path('scripts')}/hromada", *words]
    env = {"PATH": os.environ["PATH"], "HROMADA_DATABASE_URL": f"sqlite:///{folder / 'hromada.db'}"}
    begun = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - begun, usage.ru_maxrss / 1024
