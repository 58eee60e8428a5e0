"""How long comparing people with models takes on large data.

    python benchmarks/performance.py [--json]

`--json` prints one object a line: figure, value, unit, goal, holds.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _comparison import measure_comparison
from _figures import end, tell


def main() -> int:
    """Print the figures; ends with 1 where a goal is missed."""
    end(tell("People beside models on large data", measure_comparison()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
