"""Orders of compared texts: balanced for each annotator, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.campaigns.questions.question_base import build_generator


def balance_options(count: int, *, turn: int, seed: int, key: Sequence[str], last: int = 0) -> list[int]:
    """Return the positions of `count` options in an order by which one annotator sees each of them first equally often.

    `turn` counts the items of the annotator from 0; `key` is the project, the question and the annotator. Each option
    is first in two of every 2·n consecutive items, at random; the others follow at random, but for the `last` ones.
    """
    shuffled = count - last
    block, place = divmod(turn, 2 * shuffled)
    leading = [*range(shuffled)] * 2
    build_generator(seed, (*key, "block", str(block))).shuffle(leading)
    others = [option for option in range(shuffled) if option != leading[place]]
    build_generator(seed, (*key, "turn", str(turn))).shuffle(others)
    return [leading[place], *others, *range(shuffled, count)]


def reverse_options(order: Sequence[int], *, last: int) -> list[int]:
    """Return an order of options the other way round, but for the `last` ones."""
    shuffled = len(order) - last
    return [*reversed(order[:shuffled]), *order[shuffled:]]
