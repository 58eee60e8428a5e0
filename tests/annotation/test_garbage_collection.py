"""The search for unused cycles is put off during a load, and goes on after it."""

from __future__ import annotations

import gc

import pytest

from annotation.loading import drafts


def test_collection_rests_during_a_call_and_goes_on_after_a_failure() -> None:
    """Whatever the call does, Python collects again as before; a call inside another changes nothing."""
    seen = []

    @drafts.pause_garbage_collection()
    def failing(*, deeper: bool) -> None:
        seen.append(gc.isenabled())
        if deeper:
            with pytest.raises(ZeroDivisionError):
                failing(deeper=False)
            seen.append(gc.isenabled())
        raise ZeroDivisionError

    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        failing(deeper=True)
    assert seen == [False, False, False]
    assert gc.isenabled()
