"""Times as Google Forms and Excel write them: read in every language, refused where the day cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.loading import judgements
from annotation.loading.judgements.vote_times import parse_time

TIMES = [
    ("2026-03-01 14:30:05", True, "2026-03-01T14:30:05"),
    ("2026-03-01T14:30:05.123Z", True, "2026-03-01T14:30:05"),
    ("2026-03-01T14:30:05+02:00", True, "2026-03-01T14:30:05"),
    ("2026/03/01 10:00:00 пп EET", True, "2026-03-01T22:00:00"),
    ("2026/03/01 12:05:00 дп EET", True, "2026-03-01T00:05:00"),
    ("2026/03/01 2:30:05 PM GMT+2", True, "2026-03-01T14:30:05"),
    ("2026/03/01 12:30:05 AM MEZ", True, "2026-03-01T00:30:05"),
    ("01.03.2026 14:30:05", True, "2026-03-01T14:30:05"),
    ("01.03.2026, 14:30", True, "2026-03-01T14:30:00"),
    ("1. 3. 2026 14:30", True, "2026-03-01T14:30:00"),
    ("01.03.26 14:30", False, "2026-03-01T14:30:00"),
    ("3/1/2026 14:30:05", False, "2026-03-01T14:30:05"),
    ("01/03/2026 14:30:05", True, "2026-03-01T14:30:05"),
    ("3/1/2026 2:30:05 p.m.", False, "2026-03-01T14:30:05"),
    ("2026-03-01", True, "2026-03-01T00:00:00"),
    ("2026. 3. 1 오후 2:30:05", True, "2026-03-01T14:30:05"),
    ("2026/03/01 下午2:30:05", True, "2026-03-01T14:30:05"),
    ("46082.604224537", True, "2026-03-01T14:30:05"),
    ("46082", True, "2026-03-01T00:00:00"),
    ("31/02/2026 10:00", True, None),
    ("12", True, None),
    ("soon", True, None),
    ("2026-03-01 soon", True, None),
]


@pytest.mark.parametrize(("text", "day_first", "time"), TIMES)
def test_a_time_is_read_as_people_read_it(text: str, day_first: bool, time: str | None) -> None:
    """The hour of 24, the year of four digits; no time for what is none."""
    found = parse_time(text, day_first=day_first)
    assert (None if found is None else found.isoformat(timespec="seconds")) == time


def read(folder: Path, *times: str) -> list[str]:
    """The annotators in the order of their votes."""
    rows = "".join(f'i,w{number},так,"{time}"\n' for number, time in enumerate(times))
    (folder / "v.csv").write_text(f"item,who,says,when\n{rows}", "utf-8")
    section = VotesSection.model_validate({"item": "item", "annotator": "who", "answer": "says", "time": "when"})
    return [vote.annotator for vote in judgements.read_raw_votes(folder / "v.csv", section)]


def test_votes_are_in_the_order_of_their_times(tmp_path: Path) -> None:
    """One day above 12 tells how all are written; votes without a time come first."""
    assert read(tmp_path, "3/13/2026 9:00", "", "3/2/2026 9:00", "3/2/2026 8:00 PM") == ["w1", "w2", "w3", "w0"]
    assert read(tmp_path, "13/03/2026 9:00", "04/05/2026 9:00", "05/04/2026 9:00") == ["w0", "w2", "w1"]
    with pytest.raises(BadInput, match=r"v\.csv:2, when: Is the day or the month first in '3/2/2026'\? No row tells\."):
        read(tmp_path, "3/2/2026", "4/5/2026")
    with pytest.raises(BadInput, match=r"v\.csv:3, when: 'soon' is not a time\. Write it like 2026-03-01 14:30:00"):
        read(tmp_path, "2026-03-01", "soon")
