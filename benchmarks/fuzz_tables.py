"""Damaged files of every kind of table and format: read whole, or refused with an error of our own, and nothing stored.

Each file is a sound one of items or votes that was cut, saved in another encoding, or in which bytes were changed; of
.xlsx also the XML inside. The project is loaded and its votes imported into one database, which is compared after
every file. Prints how many were read and refused; ends with 1 at the first file that does anything else.

python benchmarks/fuzz_tables.py [--files 20000] [--seed 1] [--json]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show
from _fuzzing import fuzz

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    begun = time.perf_counter()
    found = fuzz(arguments.files, arguments.seed, lambda line: print(line, file=sys.stderr))
    figures = [Figure(f"files {what}", number, "files") for what, number in found.items()]
    show(f"{arguments.files:,} damaged files", [*figures, Figure("time", time.perf_counter() - begun, "s")])
