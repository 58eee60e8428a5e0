"""crowd-kit is loaded without nltk, and nothing else in the process notices."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADS = "import sys; from aggregation.labels.consensus.crowdkit_models import load_crowdkit_models as load; "


def run(code: str) -> str:
    """What a new process prints that can call `load`."""
    ran = subprocess.run([sys.executable, "-c", LOADS + code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.process
def test_loading_imports_no_nltk_and_leaves_the_real_one_to_others() -> None:
    """The load does not import nltk. A later import gets the real one, and HRRASA's own score works."""
    code = """load()
print("nltk" in sys.modules)
from crowdkit.aggregation.embeddings import hrrasa
print(hrrasa.glue_similarity("a b c d", "a b c d".split()) > 0.99, "nltk" in sys.modules)
import nltk
print(bool(nltk.__version__))
"""
    assert run(code).split() == ["False", "True", "True", "True"]


@pytest.mark.process
def test_an_nltk_that_is_imported_already_stays() -> None:
    """The real module is used, and stays in place."""
    assert run("import nltk; load(); print(sys.modules['nltk'] is nltk)") == "True"
