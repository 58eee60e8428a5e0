"""What the scores would be under other rules of quality: a picture of both units, and a table."""

from __future__ import annotations

from exports.inputs import DataSet
from exports.pages.translation import mark_text, translate
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable
from exports.sensitivity import SettingResult, build_setting_rows, draw_setting_panels, list_setting_heads

HOW = mark_text(
    "Each rule is applied afterwards to all answers, those that rules of the campaign left out among them: people need"
    " more than that share of their control items right, an answer must have taken so long. Where the numbers hardly"
    " move, the result does not hang on the rule that was chosen. The lines are intervals for these people on new"
    " items. `hromada sensitivity` tries other rules."
)


def build_sensitivity_chapter(state: ReleaseState) -> Chapter:
    """Panels and a table of each data set with control items or times; empty where no rule could change anything."""
    panels: list[str] = []
    tables = []
    for number, (data, results) in enumerate(state.rule_settings):
        panels += draw_setting_panels(data, results, prefix=f"rules-{number}-")
        tables.append(_build_table(data, results))
    return Chapter(
        id="sensitivity",
        title=translate("Sensitivity to the rules of quality"),
        how=translate(HOW),
        panels=tuple(panels),
        tables=tuple(tables),
    )


def _build_table(data: DataSet, results: tuple[SettingResult, ...]) -> ChapterTable:
    caption = translate("{name}: under other rules", name=data.name)
    return ChapterTable(caption, list_setting_heads(results), build_setting_rows(results))
