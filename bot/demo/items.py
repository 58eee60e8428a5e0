"""The items of the demo: three small projects in Ukrainian, with gold at every position equally often."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ITEMS_PER_PROJECT = 20
OVERLAP = 5
CONSENT_FILE = "SIMULATED-consent.txt"
CONSENT = """\
Це демонстрація: відповідають скрипти, а не люди.

Відповіді збережуть під псевдонімом і опублікують. Перестати можна будь-коли, /withdraw забере відповіді.
"""

_WORDS = {
    "дерева": "дуб береза сосна липа клен верба ялина тополя вільха каштан",
    "птахи": "горобець синиця лелека ластівка ворона голуб дятел сова журавель зозуля",
    "овочі": "морква буряк капуста огірок гарбуз редиска цибуля часник помідор кабачок",
    "меблі": "стіл стілець шафа ліжко диван крісло полиця комод лавка тумба",
    "одяг": "сорочка спідниця куртка светр сукня пальто штани жилет футболка піжама",
    "транспорт": "автобус трамвай потяг літак човен велосипед тролейбус корабель пором вантажівка",
    "фрукти": "яблуко груша слива абрикос персик банан апельсин лимон виноград айва",
    "звірі": "вовк лисиця ведмідь заєць олень борсук білка видра кабан лось",
    "професії": "лікар учитель кухар пекар столяр пілот актор художник слюсар водій",
    "інструменти": "молоток пилка викрутка сокира рубанок долото дриль кліщі лопата граблі",
}
CATEGORIES: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in _WORDS.items()}
RELATED_CATEGORIES = (frozenset({"дерева", "фрукти", "овочі"}), frozenset({"птахи", "звірі"}))
"""Categories that can share members: a pear is a tree too, a pumpkin a fruit, and every bird an animal."""


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
        shuffle = "" if self.fixed else "\n  shuffle: true"
        own = "" if self.fixed else f"\n  options: [{columns}]"
        return f"""\
# Made by `hromada demo`: the items are ours, the people who answer them are simulated.
project: {self.name}
title: {self.title}
language: uk
instructions: {self.instructions}
question:
  type: choice
  text: {self.title}{fixed}{shuffle}
consent: {{file: {CONSENT_FILE}, version: "1"}}
items:
  file: {self.name}.csv
  id: id
  show: text{own}
  gold: gold
  gold_origin: construction
overlap: {OVERLAP}
declared:
  recruitment: nobody was recruited, the answers are simulated
  pay: nobody was paid, the answers are simulated
  ethics: not sought, no people took part
  population: no people, scripted annotators of different skill
  ai_use: not applicable, every answer is made by a script
  stimulus_differences: not applicable, no model was run
  licence: the items are ours and free to use
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


def build_projects(*, seed: int) -> tuple[DemoProject, ...]:
    """The three projects; the same seed makes the same items."""
    rng = random.Random(seed)  # noqa: S311  # items, not secrets
    return (
        DemoProject(
            name="SIMULATED-longer-word",
            title="Яке слово довше?",
            instructions="Порахуйте літери в кожному слові й торкніться довшого.",
            fixed=(),
            items=tuple(_build_longer_word_items(rng)),
        ),
        DemoProject(
            name="SIMULATED-odd-one-out",
            title="Яке слово зайве?",
            instructions="Чотири слова з п’яти належать до однієї групи. Торкніться того, що не належить.",
            fixed=(),
            items=tuple(_build_odd_one_out_items(rng)),
        ),
        DemoProject(
            name="SIMULATED-same-category",
            title="Чи всі слова належать до названої групи?",
            instructions="Якщо бодай одне слово не належить до групи, торкніться «ні».",
            fixed=("так", "ні"),
            items=tuple(_build_same_category_items(rng)),
        ),
    )


def _build_longer_word_items(rng: random.Random) -> Iterator[DemoItem]:
    words = [word for group in CATEGORIES.values() for word in group]
    rng.shuffle(words)
    pairs = [(one, other) for one, other in zip(words[::2], words[1::2], strict=True) if len(one) != len(other)]
    for place, (one, other) in zip(_pick_gold_places(rng, 2), pairs[:ITEMS_PER_PROJECT], strict=True):
        short, long = sorted((one, other), key=len)
        options = (long, short) if place == 0 else (short, long)
        yield DemoItem(shown=f"{options[0]} — {options[1]}", options=options, gold=long)


def _build_odd_one_out_items(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_pick_gold_places(rng, 5)):
        name = names[number % len(names)]
        odd = _pick_outside_word(rng, name)
        options = rng.sample(CATEGORIES[name], 4)
        options.insert(place, odd)
        yield DemoItem(shown=", ".join(options), options=tuple(options), gold=odd)


def _build_same_category_items(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_pick_gold_places(rng, 2)):
        name = names[number % len(names)]
        words = rng.sample(CATEGORIES[name], 4)
        if place == 1:
            words[rng.randrange(4)] = _pick_outside_word(rng, name)
        yield DemoItem(shown=f"{name}: {', '.join(words)}", options=(), gold="ні" if place else "так")


def _pick_outside_word(rng: random.Random, name: str) -> str:
    """A word that clearly does not belong to the category."""
    related = next((groups for groups in RELATED_CATEGORIES if name in groups), {name})
    return rng.choice(CATEGORIES[rng.choice(sorted(CATEGORIES.keys() - related))])


def _pick_gold_places(rng: random.Random, width: int) -> Sequence[int]:
    """The position of the gold in each item: every position equally often, in random order."""
    places = [number % width for number in range(ITEMS_PER_PROJECT)]
    rng.shuffle(places)
    return places
