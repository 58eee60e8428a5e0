"""items.html: what was kept, the reasons why the rest was not, and the removed and undecided items themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exports.filtering.filtered_items import (
    CONFIDENCE_LEVEL,
    HUMAN_FAILURE,
    KEPT,
    NOT_JUDGED,
    REMOVED,
    UNDECIDED,
    FilteredDataSet,
    FilteredItem,
    Objection,
    RemovalReason,
    count_human_failure,
    describe_rule,
)
from exports.pages.display_text import capitalize_first, format_coefficient, format_count, format_percent, format_share
from exports.pages.localization import localize_number, show_finding, translate
from exports.pages.scaffold import (
    MAX_ENTRIES,
    DataSetSection,
    Headline,
    TableRow,
    format_interval_note,
    format_remainder,
    get_section_fields,
    list_excluded,
    render_page,
)
from exports.pages.svg import draw_bars


@dataclass(frozen=True, kw_only=True)
class DisplayedItem:
    """A removed or undecided item: its objections with their votes, the remarks, and what the item shows."""

    item_id: str
    status: str
    objections: tuple[str, ...]
    remarks: tuple[str, ...]
    content: str


@dataclass(frozen=True, kw_only=True)
class FilteringPageSection(DataSetSection):
    """One filtered data set on the page.

    `panel` is the SVG of its reasons for removal, `remainder` says how many items are not shown.
    """

    rule: str
    counts: str
    panel: str
    reasons: tuple[TableRow, ...]
    agreement: tuple[TableRow, ...]
    human_failure: str
    items: tuple[DisplayedItem, ...]
    remainder: str


def render_filtering(filtered: Sequence[FilteredDataSet]) -> str:
    """Render items.html as one HTML document that needs nothing from outside; simulated data is stamped."""
    return render_page(
        "filtering.html.j2",
        package="exports.filtering",
        name="items",
        title=translate("Filtered items"),
        sections=[_build_section(data_set) for data_set in filtered],
        confidence_level=CONFIDENCE_LEVEL,
    )


def _build_section(filtered: FilteredDataSet) -> FilteringPageSection:
    not_kept = [item for item in filtered.items if item.status in {REMOVED, UNDECIDED}]
    return FilteringPageSection(
        **get_section_fields(filtered.data),
        headlines=_list_headlines(filtered),
        rule=describe_rule(filtered),
        counts=translate("Answers left out: {reasons}.", reasons=list_excluded(filtered.data) or translate("none")),
        panel=_draw_panel(filtered),
        reasons=tuple(_build_reason_row(reason) for reason in filtered.reasons),
        agreement=tuple(_build_agreement_row(reason) for reason in filtered.reasons),
        human_failure=_describe_human_failure(filtered),
        items=tuple(_display_item(filtered, item) for item in not_kept[:MAX_ENTRIES]),
        remainder=format_remainder(len(not_kept), translate("items")),
    )


def _list_headlines(filtered: FilteredDataSet) -> tuple[Headline, ...]:
    kept, removed, judged = filtered.count_items(KEPT), filtered.count_items(REMOVED), filtered.n_judged
    others = [(status, filtered.count_items(status)) for status in (UNDECIDED, NOT_JUDGED)]
    return (
        Headline(
            translate("Kept"), translate("{part} of {whole}", part=kept, whole=judged), format_share(kept, judged)
        ),
        Headline(translate("Removed"), str(removed), format_share(removed, judged)),
        *(Headline(capitalize_first(translate(status)), str(count)) for status, count in others if count),
    )


def _draw_panel(filtered: FilteredDataSet) -> str:
    return draw_bars(
        [
            (_name_objection(reason.objection), reason.removed, f"{reason.removed}, {format_percent(reason.share)}")
            for reason in filtered.reasons
            if reason.removed
        ],
        title=translate("Removed, by reason"),
        subtitle=translate("of {items}", items=format_count(filtered.count_items(REMOVED), "removed item")),
        simulated=filtered.data.simulated,
    )


def _build_reason_row(reason: RemovalReason) -> TableRow:
    cells = (str(reason.removed), format_percent(reason.share), str(reason.named), str(reason.votes))
    return TableRow(head=_name_objection(reason.objection), cells=cells)


def _build_agreement_row(reason: RemovalReason) -> TableRow:
    values = [
        f"{format_coefficient(row.name, row.value)} {format_interval_note(row)}".rstrip() for row in reason.agreement
    ]
    missing = sorted({row.reason for row in reason.agreement if row.reason})
    cells = (*values, str(reason.agreement[0].n_items))
    return TableRow(head=_name_objection(reason.objection), cells=cells, notes=tuple(map(show_finding, missing)))


def _describe_human_failure(filtered: FilteredDataSet) -> str:
    counts = count_human_failure(filtered)
    answered, failed = counts["items_with_answers_and_gold"], counts["items_failed"]
    by_status = counts["items_failed_by_status"]
    if not answered:
        return translate("No item has gold and answers to the first question, so nobody is known to have failed.")
    sentence = translate(
        "On {failed} of {items} more than {share} of the people answered wrongly: {kept} kept, {removed} removed,"
        " {undecided} undecided.",
        failed=failed,
        items=format_count(answered, "item"),
        share=localize_number(f"{100 * filtered.rule.share:g} %"),
        kept=by_status[KEPT],
        removed=by_status[REMOVED],
        undecided=by_status[UNDECIDED],
    )
    if not filtered.rule.failure:
        return " ".join([translate("It was no reason."), sentence])
    alone = translate("{items} went for it alone.", items=format_count(counts["removed_for_it_alone"], "item"))
    return " ".join([translate("It was a reason."), sentence, alone])


def _display_item(filtered: FilteredDataSet, item: FilteredItem) -> DisplayedItem:
    voters = {HUMAN_FAILURE: item.n_answers}  # any annotator could raise the other objections
    return DisplayedItem(
        item_id=item.item_id,
        status=translate(item.status),
        objections=tuple(
            f"{_name_objection(objection)}: "
            + translate("{part} of {whole}", part=votes, whole=voters.get(objection.reason, item.n_annotators))
            for objection, votes in item.objections.items()
        ),
        remarks=item.remarks,
        content=filtered.responses.contents[item.item_id].shown,
    )


def _name_objection(objection: Objection) -> str:
    """The reason of an objection: a box, a text or an answer as people read it, or human failure."""
    return translate(HUMAN_FAILURE) if objection.reason == HUMAN_FAILURE else objection.reason
