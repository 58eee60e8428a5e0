"""crowd-kit is loaded without nltk and without a warning, and nothing else in the process notices."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest

from aggregation.consensus.method_input import load_crowdkit_models


@pytest.fixture(autouse=True)
def _nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither crowd-kit nor nltk nor tqdm is imported yet; what was imported before the test comes back after it."""
    for name in [name for name in sys.modules if name.partition(".")[0] in {"crowdkit", "nltk", "tqdm"}]:
        monkeypatch.delitem(sys.modules, name)


def test_loading_imports_no_nltk_and_leaves_the_real_one_to_others() -> None:
    """The load does not import nltk. HRRASA's own score and a later import get the real one."""
    models = load_crowdkit_models()
    assert not any(name.partition(".")[0] == "nltk" for name in sys.modules)
    assert load_crowdkit_models() is models
    assert import_module("crowdkit.aggregation.embeddings.hrrasa").glue_similarity("a b c d", ["a", "b", "c", "d"]) == 1
    assert import_module("nltk").__version__


def test_an_nltk_that_is_imported_already_stays() -> None:
    """The real module is used, and stays in place."""
    nltk = import_module("nltk")
    assert load_crowdkit_models().MajorityVote
    assert sys.modules["nltk"] is nltk
    assert import_module("crowdkit.aggregation.embeddings.hrrasa").gleu is nltk.translate.gleu_score


def test_a_notebook_without_ipywidgets_is_not_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    """crowd-kit's bars of progress are never shown, so nobody has to install what tqdm would draw them with."""
    monkeypatch.setitem(sys.modules, "ipykernel.zmqshell", ModuleType("ipykernel.zmqshell"))
    ipython = SimpleNamespace(get_ipython=lambda: None)
    monkeypatch.setitem(sys.modules, "IPython", cast("ModuleType", ipython))
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        load_crowdkit_models()
    assert not [str(one.message) for one in shown if "IProgress" in str(one.message)]
