"""Answers of a model that was asked about compared texts in several orders: one answer an item, and what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from aggregation import spelling
from aggregation.errors import HromadaError, Where
from aggregation.judges.side_bias import SwapCounts
from aggregation.sides import SIDES, TIE
from exports.inputs import DataSet


class AnswersByOrder:
    """The answers read so far that have an order, by item and order."""

    def __init__(self, data: DataSet) -> None:
        self._sides = tuple(label for label in data.classes or () if label in SIDES)
        self._compares_texts = data.answer_type.compares_texts
        self._answers: dict[str, dict[tuple[str, ...], str | None]] = {}

    def read_order(self, written: object, item: str, where: Where) -> tuple[str, ...] | None:
        """The sides in the order shown, None where a row does not have it; raises HromadaError for anything else."""
        if written is None:
            return None
        where = replace(where, field="order")
        if not self._compares_texts:
            raise HromadaError("This question does not compare texts.", remedy="Leave the order out.", where=where)
        order = tuple(map(str, written)) if isinstance(written, list) else ()
        if sorted(order) != sorted(self._sides):
            raise HromadaError(
                f"{written!r} is not an order of the texts.",
                remedy=f"Name each once, as shown: {json.dumps(self._sides[::-1])}.",
                where=where,
            )
        if order in self._answers.get(item, {}):
            raise HromadaError(
                f"{spelling.quote_word(item)} is answered twice in this order.",
                remedy="Keep one answer to each order of an item.",
                where=where,
            )
        return order

    def __contains__(self, item: str) -> bool:
        """Whether an answer to the item had an order."""
        return item in self._answers

    def add(self, item: str, order: tuple[str, ...], answer: str | None) -> str | None:
        """The answer of the item with this one: a tie if answers differ, None if one of them cannot be read."""
        own = self._answers.setdefault(item, {})
        own[order] = answer
        if None in own.values() or len(set(own.values())) == 1:
            return None if None in own.values() else answer
        return TIE

    def average(self, item: str, new: Mapping[str, float], earlier: Mapping[str, float] | None) -> dict[str, float]:
        """The mean of the distributions of an item over its orders."""
        n = len(self._answers.get(item, {}))
        return {label: (chance + n * (earlier or {}).get(label, 0.0)) / (n + 1) for label, chance in new.items()}

    def count_swaps(self) -> SwapCounts:
        """The items that were answered in several orders, and on how many the answers are equal."""
        counts = SwapCounts()
        for own in self._answers.values():
            answers = [answer for answer in own.values() if answer is not None]
            if len(own) > 1 and len(answers) == len(own):
                counts = counts.add(answers, list(own))
        return counts
