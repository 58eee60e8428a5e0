"""The order in which an annotator sees the options of an item: at random, balanced, or the other way round."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence


def order_options(count: int, *, shuffle: bool, seed: int, key: Sequence[str], last: int = 0) -> list[int]:
    """Return the positions of `count` options in the order in which one annotator sees them.

    The order depends on the seed and on `key`: project, question, item and annotator. The `last` options (an
    abstention, a tie) keep their positions. Without `shuffle` the order does not change.
    """
    order = list(range(count - last))
    if shuffle:
        _build_generator(seed, key).shuffle(order)
    return [*order, *range(count - last, count)]


def balance_options(count: int, *, turn: int, seed: int, key: Sequence[str], last: int = 0) -> list[int]:
    """Return the positions of `count` options in an order by which one annotator sees each of them first equally often.

    `turn` counts the items of the annotator from 0; `key` is the project, the question and the annotator. Each option
    is first in two of every 2·n consecutive items, at random; the others follow at random, but for the `last` ones.
    """
    shuffled = count - last
    block, place = divmod(turn, 2 * shuffled)
    leading = [*range(shuffled)] * 2
    _build_generator(seed, (*key, "block", str(block))).shuffle(leading)
    others = [option for option in range(shuffled) if option != leading[place]]
    _build_generator(seed, (*key, "turn", str(turn))).shuffle(others)
    return [leading[place], *others, *range(shuffled, count)]


def reverse_options(order: Sequence[int], *, last: int) -> list[int]:
    """Return an order of options the other way round, but for the `last` ones."""
    shuffled = len(order) - last
    return [*reversed(order[:shuffled]), *order[shuffled:]]


def _build_generator(seed: int, key: Sequence[str]) -> random.Random:
    digest = hashlib.sha256("\x1f".join([str(seed), *key]).encode()).digest()
    return random.Random(int.from_bytes(digest))  # noqa: S311  # an order, not a secret
