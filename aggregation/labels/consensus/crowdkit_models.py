"""crowd-kit's models, loaded without nltk, and the version that is published beside their labels."""

from __future__ import annotations

import sys
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

UNUSED_MODULE = "nltk.translate.gleu_score"
"""The only module of nltk that `crowdkit.aggregation` imports: HRRASA, a method on texts, calls one function of it."""


def get_crowdkit_version() -> str:
    """Return crowd-kit's name and version, as they are published beside its labels."""
    return f"crowd-kit {metadata.version('crowd-kit')}"


def load_crowdkit_models() -> Any:
    """Return the module `crowdkit.aggregation`, in which each model is a class.

    nltk takes a second to import, hromada does not offer HRRASA, and runtime.lock leaves nltk out. So a lazy module
    takes nltk's place during this import. Other code in the process still gets the real nltk, HRRASA included.
    """
    lazy = _build_lazy_nltk() if "nltk" not in sys.modules and "crowdkit.aggregation" not in sys.modules else {}
    sys.modules.update(lazy)
    try:
        import crowdkit.aggregation  # slow, so not at the top

        return crowdkit.aggregation
    finally:
        for name in lazy:
            del sys.modules[name]


def _build_lazy_nltk() -> dict[str, ModuleType]:
    """Return a module for each part of the unused module's name; the last one imports the real module when used."""
    parts = UNUSED_MODULE.split(".")
    modules = {name: ModuleType(name) for name in (".".join(parts[:end]) for end in range(1, len(parts) + 1))}

    def get_attribute(name: str) -> Any:
        return getattr(import_module(UNUSED_MODULE), name)

    vars(modules[UNUSED_MODULE])["__getattr__"] = get_attribute
    return modules
