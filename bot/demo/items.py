"""The demo's own items: three small projects in Ukrainian, gold known by construction, no position favoured."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.demo.words import CATEGORIES, KIN

EACH = 20
OVERLAP = 5


@dataclass(frozen=True, kw_only=True)
class DemoItem:
    """An item: what is shown, the options (none where they are fixed), the right answer."""

    shown: str
    options: tuple[str, ...]
    gold: str


@dataclass(frozen=True, kw_only=True)
class DemoProject:
    """A project with its items, as an organiser would write it."""

    name: str
    title: str
    instructions: str
    fixed: tuple[str, ...]
    items: tuple[DemoItem, ...]

    @property
    def yaml(self) -> str:
        """The project file."""
        width = len(self.items[0].options)
        columns = ", ".join(f"option_{number}" for number in range(1, width + 1))
        fixed = f"\n  options: [{', '.join(self.fixed)}]" if self.fixed else ""
        own = "" if self.fixed else f"\n  options: [{columns}]"
        return f"""\
# Made by `hromada demo`: the items are ours, the people who answer them are simulated.
project: {self.name}
title: {self.title}
language: uk
instructions: {self.instructions}
question:
  type: choice
  text: {self.title}{fixed}
items:
  file: {self.name}.csv
  id: id
  show: text{own}
  gold: gold
  gold_origin: construction
overlap: {OVERLAP}
"""

    @property
    def csv(self) -> str:
        """The items file."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        width = len(self.items[0].options)
        rows.writerow(["id", "text", *(f"option_{number}" for number in range(1, width + 1)), "gold"])
        for number, item in enumerate(self.items, start=1):
            rows.writerow([f"{number:02}", item.shown, *item.options, item.gold])
        return out.getvalue()


def projects(*, seed: int) -> tuple[DemoProject, ...]:
    """The three projects; the same seed makes the same items."""
    rng = random.Random(seed)  # noqa: S311  # items, not secrets
    return (
        DemoProject(
            name="SIMULATED-longer-word",
            title="Яке слово довше?",
            instructions="Порахуйте літери в кожному слові й торкніться довшого.",
            fixed=(),
            items=tuple(_longer(rng)),
        ),
        DemoProject(
            name="SIMULATED-odd-one-out",
            title="Яке слово зайве?",
            instructions="Чотири слова з п’яти належать до однієї групи. Торкніться того, що не належить.",
            fixed=(),
            items=tuple(_odd_one_out(rng)),
        ),
        DemoProject(
            name="SIMULATED-same-category",
            title="Чи всі слова належать до названої групи?",
            instructions="Якщо бодай одне слово не належить до групи, торкніться «ні».",
            fixed=("так", "ні"),
            items=tuple(_same_category(rng)),
        ),
    )


def _longer(rng: random.Random) -> Iterator[DemoItem]:
    words = [word for group in CATEGORIES.values() for word in group]
    rng.shuffle(words)
    pairs = [(one, other) for one, other in zip(words[::2], words[1::2], strict=True) if len(one) != len(other)]
    for place, (one, other) in zip(_places(rng, 2), pairs[:EACH], strict=True):
        short, long = sorted((one, other), key=len)
        options = (long, short) if place == 0 else (short, long)
        yield DemoItem(shown=f"{options[0]} — {options[1]}", options=options, gold=long)


def _odd_one_out(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_places(rng, 5)):
        name = names[number % len(names)]
        odd = _stranger(rng, name)
        options = rng.sample(CATEGORIES[name], 4)
        options.insert(place, odd)
        yield DemoItem(shown=", ".join(options), options=tuple(options), gold=odd)


def _same_category(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_places(rng, 2)):
        name = names[number % len(names)]
        words = rng.sample(CATEGORIES[name], 4)
        if place == 1:
            words[rng.randrange(4)] = _stranger(rng, name)
        yield DemoItem(shown=f"{name}: {', '.join(words)}", options=(), gold="ні" if place else "так")


def _stranger(rng: random.Random, name: str) -> str:
    """A word that nobody would count among the named group."""
    kin = next((groups for groups in KIN if name in groups), {name})
    return rng.choice(CATEGORIES[rng.choice(sorted(CATEGORIES.keys() - kin))])


def _places(rng: random.Random, width: int) -> Sequence[int]:
    """Where the gold stands in each item: every place equally often, in random order."""
    places = [number % width for number in range(EACH)]
    rng.shuffle(places)
    return places
