"""The simulated designs of two labels, and what the coverage of intervals is held against."""

from __future__ import annotations

from _panels import Design, find_level

from aggregation.scores.performance import SPAMMERS

THIS_PANEL, FRESH_PANEL, FEW_PEOPLE = (0.92, 0.98), (0.90, 0.99), (0.88, 0.99)
UNEQUAL_PANEL = (0.84, 0.92)  # a fresh panel where a few people gave most answers, as `ci_method` says of such files
MOST_OF_FEW = 20
MANY_PEOPLE = 20  # from this many on a fresh panel is held against FRESH_PANEL, below against FEW_PEOPLE
FEW_ITEMS = (0.93, 1.0)  # of 20 items two or three differ: the difference takes few values, of which most are covered
RTE_LOADS = (0.985, 0.95, 0.875, 0.675, 0.525, 0.35, 0.225, 0.175, 0.125, 0.1, 0.1, 0.1)  # of the busiest in rte
RTE = Design(name="164 people, 800 x 10 (rte)", people=164, items=800, votes=10, level=1.5, people_sd=2.5)
UNEQUAL = Design(
    name="164 people, 800 x 10, loads of rte",
    people=164,
    items=800,
    votes=10,
    level=1.6,
    people_sd=0.8,
    loads=RTE_LOADS,
)

LABELS = (
    Design(name="5 x 20", people=5, items=20, votes=5, level=3.0, people_sd=0.5, items_sd=1.5),
    Design(name="5 x 100", people=5, items=100, votes=5, level=2.6, people_sd=0.5, items_sd=1.5),
    Design(name="5 x 100, very different", people=5, items=100, votes=5, level=1.8, people_sd=1.5),
    Design(name="8 x 100", people=8, items=100, votes=8, level=3.0, people_sd=0.5, items_sd=1.5),
    Design(name="9 x 100, 10 groups", people=9, items=100, votes=9, level=1.8, group_size=10, group_sd=1.0),
    Design(name="30 people, 100 x 5", people=30, items=100, votes=5, level=1.5, people_sd=1.0),
    Design(name="30 people, 200 x 5, 40 groups", people=30, items=200, votes=5, level=1.5, group_size=5, group_sd=1.0),
    Design(name="30 people, 400 x 5, rare label", people=30, items=400, votes=5, level=2.0, second=0.15),
    Design(name="111 people, 500 x 3 (PARus)", people=111, items=500, votes=3, level=3.3, people_sd=0.7),
    Design(name="111 people, 2000 x 3", people=111, items=2000, votes=3, level=3.3, people_sd=0.7),
    Design(name="10 people, 30 x 10", people=10, items=30, votes=10, level=2.2, people_sd=0.8),
    Design(name="10 people, 30 answers each", people=10, items=100, votes=3, level=2.2, people_sd=0.8),
    RTE,
    UNEQUAL,
)

CEILING_PANEL, CEILING_FRESH, CEILING_FEW = (0.92, 1.0), (0.90, 1.0), (0.88, 1.0)


def build_ceiling(accuracy: float, *, people: int, items: int) -> Design:
    """Nearly perfect people by the accuracy of single answers: up to five answer everything, of 20 three each."""
    return Design(
        name=f"{accuracy:g} right, {people} people, {items} items",
        people=people,
        items=items,
        votes=people if people <= 5 else 3,
        level=find_level(accuracy, people_sd=0.5, items_sd=1.0),
    )


CEILING = tuple(
    build_ceiling(accuracy, people=people, items=items)
    for accuracy in (0.97, 0.99, 0.998, 1.0)
    for items in (50, 200, 1000)
    for people in (3, 5, 20)
)
NEARLY_RIGHT = {design.name for design in CEILING} | {"5 x 20", "8 x 100", "10 people, 30 x 10"}
"""Designs whose majorities have few items wrong: then intervals are wider than they need be (`few_errors`)."""
MIXED_PANEL = (0.92, 1.0)
MIXED = tuple(
    design
    for people, votes in ((10, 10), (20, 5))
    for design in (
        Design(
            name=f"{people} equal people, 100 x {votes}",
            people=people,
            items=100,
            votes=votes,
            people_sd=0.0,
            bias_sd=0.0,
        ),
        Design(
            name=f"{people} experts or novices, 100 x {votes}",
            people=people,
            items=100,
            votes=votes,
            people_sd=0.3,
            novices=0.5,
            novice_gap=1.5,
        ),
        Design(
            name=f"{people} people, a tenth spammers, 100 x {votes}",
            people=people,
            items=100,
            votes=votes,
            spammers=SPAMMERS,
        ),
    )
)
"""People whose skills do not vary like a normal distribution, and people who do not differ."""


def choose_goal(name: str, people: int) -> tuple[float, float]:
    """What the coverage of a fresh panel is held against, for a design of that name with so many people."""
    if name == UNEQUAL.name:
        return UNEQUAL_PANEL
    if name in NEARLY_RIGHT:
        return CEILING_FRESH if people >= MANY_PEOPLE else CEILING_FEW
    if name in {design.name for design in MIXED if design.spammers}:
        return 1 - (1 - SPAMMERS) ** people, FRESH_PANEL[1]  # it misses if no spammer is among the people, as files say
    return FRESH_PANEL if people >= MANY_PEOPLE else FEW_PEOPLE


def choose_paired_goals(
    design: Design, unit: str, *, metric: str = "accuracy", is_paired: bool = True
) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the coverage of a difference from a model is held against: for this panel, and for a fresh one.

    As for scores, but for two designs: of 20 items too much is covered, and with unequal loads a model's part of the
    variance makes up for some of what people's lacks. Other metrics than accuracy, and differences from a published
    score, may cover up to 1.
    """
    this, fresh = THIS_PANEL, choose_goal(design.name, design.people)
    if unit == "majority" and design.items <= MOST_OF_FEW:
        this = fresh = FEW_ITEMS
    elif design.name == UNEQUAL.name:
        fresh = UNEQUAL_PANEL[0], FRESH_PANEL[1]
    if metric != "accuracy" or not is_paired:
        this, fresh = (this[0], 1.0), (fresh[0], 1.0)
    return this, fresh
