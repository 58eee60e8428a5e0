"""Designs of campaigns without right answers: who answers what, and how people and items vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from aggregation.schema import Codes, Floats

THIS, FRESH = "this panel", "a fresh panel"
Held = Mapping[tuple[str, str], tuple[float | None, float | None, float]]
"""Of one campaign the ends of each interval and what it is to cover, by the name of the interval and population."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
GROUPED = 0.5  # the share of items' variance that items of a group have in common


@dataclass(frozen=True, kw_only=True)
class OpinionDesign:
    """So many people answer so many items; each item has this many votes, by people drawn for it.

    `note` names what else is special: systems, ties, strengths, as the simulation of an interval reads it.
    """

    people: int
    items: int
    votes: int
    group_size: int = 1
    note: str = ""

    @property
    def name(self) -> str:
        """What the design is, in words."""
        size = f"{self.people} x {self.items}"
        if self.votes < self.people:
            size = f"{self.people} people, {self.items} x {self.votes}"
        groups = f"{self.items // self.group_size} groups" if self.group_size > 1 else ""
        return ", ".join(filter(None, (size, groups, self.note)))

    @property
    def groups(self) -> Codes:
        """The group of each item."""
        return np.arange(self.items) // self.group_size

    def assign(self, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """The item and the person of each vote, by item and person."""
        order = np.argsort(rng.random((self.items, self.people)), axis=1)[:, : self.votes]
        return np.repeat(np.arange(self.items), self.votes), np.sort(order, axis=1).ravel()

    def draw_items(self, rng: np.random.Generator, *, width: int = 1) -> Floats:
        """Standard normal effects of items (items × width), which those of a group share in part."""
        own = rng.standard_normal((self.items, width))
        if self.group_size == 1:
            return own
        shared = rng.standard_normal((self.items, width))[self.groups]
        return np.asarray(GROUPED**0.5 * shared + (1 - GROUPED) ** 0.5 * own)


def name_codes(codes: Codes) -> NDArray[np.object_]:
    """Names that are sorted as the codes are."""
    return np.array([f"{code:05d}" for code in codes], dtype=object)


def prefer(mean: Floats | float, sd: Floats | float, cut: float) -> Floats:
    """The expected points (1, ½, 0) of a normal latent preference that is a tie between -cut and cut."""
    return np.asarray(1 - (ndtr((cut - mean) / sd) + ndtr((-cut - mean) / sd)) / 2)
