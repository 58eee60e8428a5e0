"""What `hromada votes` keeps of an estimation that was interrupted, beside what it writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aggregation.relations.em import Estimates

NAME = "checkpoint.npz"
_ARRAYS = ("priors", "errors", "skills")


def identify_votes(files: Sequence[Path], facts: Mapping[str, object]) -> str:
    """What must be the same for a checkpoint to hold: the files with size and time, and what is asked of them."""
    states = [(str(path.absolute()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return json.dumps([states, sorted(facts.items())], default=str)


def keep_estimates(folder: Path, estimates: Estimates, *, identity: str) -> None:
    """Write the estimates in the place of those that were kept before."""
    import numpy as np

    numbers = {one.name: getattr(estimates, one.name) for one in fields(estimates) if one.name not in _ARRAYS}
    arrays: dict[str, Any] = {name: getattr(estimates, name) for name in _ARRAYS}
    partial = folder / f"{NAME}.partial"
    with partial.open("wb") as file:
        np.savez(file, identity=np.array(identity), numbers=np.array(json.dumps(numbers)), **arrays)
    partial.replace(folder / NAME)


def read_estimates(folder: Path, *, identity: str) -> Estimates | None:
    """The estimates that were kept of the same votes; None where there are none, or of other votes."""
    import numpy as np

    from aggregation.relations.em import Estimates

    try:
        with np.load(folder / NAME, allow_pickle=False) as kept:
            if str(kept["identity"]) != identity:
                return None
            return Estimates(**json.loads(str(kept["numbers"])), **{name: kept[name] for name in _ARRAYS})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget_estimates(folder: Path) -> None:
    """Delete what was kept."""
    (folder / NAME).unlink(missing_ok=True)
