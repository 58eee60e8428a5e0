"""Cards for organisers about campaigns and people: all campaigns, one of them, its people, one person.

Everything in a card is what a command shows too, and nothing tells how well anybody answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from annotation.vocabulary import UNSAID_TIME_ZONE, ParticipationStatus, ProjectStatus
from annotation.workflow.monitoring.needs import Need, NeedKind
from annotation.workflow.monitoring.progress import compute_share
from annotation.workflow.notices.waiting_announcements import WaitingAnnouncement
from annotation.workflow.organisers import people
from annotation.workflow.organisers.campaigns import CampaignChoice, ProjectOverview
from annotation.workflow.organisers.people import AnnotatorDetails, ListedAnnotator
from bot.conversation import message_layout, need_texts, time_zones
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts, get_organiser_texts, get_texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

OrganiserCard = tuple[RenderedMessage, ...]
"""What an organiser is shown: mostly one message, several where it is too long for one."""
PAGE = 8
"""How many campaigns stand on one card."""
MAX_TITLE_UNITS = 60
"""How much of a title stands in a line, in UTF-16 units."""
MAX_NEED_TITLE_UNITS = 30
"""How much of a title stands before something that needs the organisers: the lines below it have more."""
MAX_LABEL_UNITS = 40
"""How long the label of a button with a title is, in UTF-16 units."""
MOST_NEEDS = 10
"""How many things that need the organisers are on one card."""
MOST_ALIKE = 2
"""In how many projects a thing to do has a button of its own; of more, the cards of the campaigns have it."""
NEED_ACTS = {
    NeedKind.STALL: "announce",
    NeedKind.QUESTION: "inbox",
    NeedKind.REPORT: "inbox",
    NeedKind.PAUSED: "people",
    NeedKind.LATE: "people",
    NeedKind.BROADCAST: "announced",
}
"""What an organiser can do in the chat about each kind of need."""
ACT_LABELS = {"announce": "button-announce", "people": "button-people"}
READMITTED = {ParticipationStatus.PAUSED, ParticipationStatus.EXCLUDED}
"""Standings from which an organiser can let a person go on."""
STATUS_TEXTS = {
    ProjectStatus.LOADED: "status-loaded",
    ProjectStatus.RUNNING: "status-running",
    ProjectStatus.PAUSED: "status-paused",
    ProjectStatus.CLOSED: "status-closed",
}


@dataclass(frozen=True, kw_only=True)
class OrganiserWords:
    """How one organiser is spoken to: texts, the time zone, and what time it is.

    `shared` are the texts for annotators in the language of the texts for organisers.
    """

    shared: Texts
    zone: str
    now: datetime

    def __call__(self, text_id: str, **arguments: str | int) -> str:
        """A text for organisers."""
        return self.texts(text_id, **arguments)

    def format_moment(self, moment: datetime) -> str:
        """A day and a time with the organiser's zone, like 24.11, 18:05 (Kyiv)."""
        return f"{self._format_local(moment)} ({time_zones.format_zone(self.zone, self.shared)})"

    def format_moments(self, moments: Sequence[datetime | None]) -> list[str]:
        """Moments on one card, empty for None: the first that is told names the zone of all."""
        first = next((moment for moment in moments if moment is not None), None)
        told = ["" if moment is None else self._format_local(moment) for moment in moments]
        if first is not None:
            told[moments.index(first)] = self.format_moment(first)
        return told

    def name_zone_once(self) -> Callable[[datetime], str]:
        """A writer of moments, of which the first that is written names the zone of all."""
        named: list[datetime] = []

        def format_next(moment: datetime) -> str:
            is_first = not named
            named.append(moment)
            return self.format_moment(moment) if is_first else self._format_local(moment)

        return format_next

    def _format_local(self, moment: datetime) -> str:
        return f"{moment.astimezone(ZoneInfo(self.zone)):%d.%m, %H:%M}"

    def format_ages(self, moments: Sequence[datetime | None]) -> list[str]:
        """How long ago each was, if within a day; otherwise when it was, as `format_moments` says it."""
        is_old = [moment is not None and self.now - moment >= timedelta(days=1) for moment in moments]
        old = self.format_moments([moment if old else None for moment, old in zip(moments, is_old, strict=True)])
        return [told or self.format_ago(moment) for moment, told in zip(moments, old, strict=True)]

    def format_ago(self, moment: datetime | None) -> str:
        """How long ago something was within a day; otherwise when it was."""
        if moment is None:
            return self("person-never")
        minutes = max(0, (self.now - moment) // timedelta(minutes=1))
        if not minutes:
            return self("just-now")
        if minutes < 60:
            return self("minutes-ago", count=minutes)
        return self("hours-ago", count=minutes // 60) if minutes < 24 * 60 else self.format_moment(moment)

    @property
    def texts(self) -> Texts:
        """The texts for organisers."""
        return get_organiser_texts(self.shared.language)

    def render_card(self, *blocks: TextBlock | str, buttons: ButtonRows = (), protect: bool = True) -> OrganiserCard:
        """These paragraphs in as many messages as they need, with the buttons under the last."""
        built = [message_layout.mark_commands(block) if isinstance(block, str) else block for block in blocks]
        return message_layout.render_messages(built, self.shared, buttons=buttons, protect=protect)


def make_words(translate: Texts, *, zone: str | None, default_zone: str, now: datetime) -> OrganiserWords:
    """How an organiser is spoken to whose time zone is this one: in one language, for which there are all texts."""
    own_zone = default_zone if zone in {None, UNSAID_TIME_ZONE} else zone or default_zone
    return OrganiserWords(shared=get_texts(get_organiser_texts(translate.language).language), zone=own_zone, now=now)


def build_act_button(label: str, act: str, row_id: int = 0, *numbers: int, typed: Sequence[str] = ()) -> InlineButton:
    """A button for an organiser: its word says what it does."""
    return message_layout.build_button(label, ButtonAction.ORGANISE, row_id, *numbers, word=act, typed=typed)


def shorten_title(title: str) -> str:
    """A title that fits a line."""
    return message_layout.shorten_text(" ".join(title.split()), MAX_TITLE_UNITS)


def render_campaigns(
    campaigns: Sequence[tuple[CampaignChoice, Sequence[ProjectOverview]]],
    words: OrganiserWords,
    *,
    needs: Sequence[Need],
    announced: Sequence[WaitingAnnouncement],
    page: int,
    total: int,
) -> OrganiserCard:
    """What needs the organisers, and a page of all campaigns, each with a button; a button for messages to all."""
    lead = render_needs(needs, words, words.name_zone_once())
    if not campaigns:
        return words.render_card(*lead, words("admin-nothing"))
    lines = []
    buttons = []
    for number, (campaign, summaries) in enumerate(campaigns, page * PAGE + 1):
        done = sum(summary.progress.done for summary in summaries)
        needed = sum(summary.progress.needed for summary in summaries)
        status = words(STATUS_TEXTS[campaign.status])
        share = compute_share(done, needed)
        line = words("admin-line", title=shorten_title(campaign.title), status=status, share=share)
        lines.append(f"{number}) {line}")
        buttons.append(build_act_button(str(number), "campaign", campaign.id, campaign.kind))
    announce = build_act_button(words("button-announce"), "announce")
    is_told = any(need.kind is NeedKind.BROADCAST for need in needs)
    waits = [words("admin-announced", count=sum(one.waiting for one in announced))] if announced and not is_told else []
    sent = [build_act_button(words("button-announced", count=len(announced)), "announced")] if announced else []
    turn = _build_page_buttons("campaigns", page=page, last=(total - 1) // PAGE)
    return words.render_card(
        message_layout.make_bold_block(words("admin")),
        *lead,
        "\n".join(lines),
        *waits,
        buttons=(
            *build_need_buttons(needs, words),
            *((one,) for one in sent),
            *message_layout.arrange_buttons(buttons),
            *turn,
            (announce,),
        ),
    )


def render_needs(
    needs: Sequence[Need], words: OrganiserWords, format_moment: Callable[[datetime], str]
) -> tuple[TextBlock | str, ...]:
    """What needs the organisers, a line each; a line without a button has its command."""
    if not needs:
        return (words("needs-none"),)
    lines = [_describe_need(need, words, format_moment) for need in needs[:MOST_NEEDS]]
    lines += [words("needs-more", count=len(needs) - MOST_NEEDS)] if len(needs) > MOST_NEEDS else []
    return message_layout.make_bold_block(words("needs")), "\n".join(lines)


def _describe_need(
    need: Need, words: OrganiserWords, format_moment: Callable[[datetime], str], *, is_named: bool = True
) -> str:
    """A need as a line, with the title of its project if `is_named`, and its command if there is no button for it."""
    command = "" if need.kind in NEED_ACTS else f" · `{need_texts.get_command(need)}`"
    what = need_texts.describe_need(need, words.texts, format_moment=format_moment, with_since=True)
    title = "" if need.title is None else message_layout.shorten_text(need.title, MAX_NEED_TITLE_UNITS)
    return " ".join(("•", *((f"{title}:",) if title and is_named else ()), f"{what}{command}"))


def build_need_buttons(needs: Sequence[Need], words: OrganiserWords) -> ButtonRows:
    """The buttons that deal with what needs the organisers, the most urgent first: one for all messages, and one for
    each thing to do in a project. `render_campaigns` adds that for messages to all.
    """
    messages = [need for need in needs if NEED_ACTS.get(need.kind) == "inbox"]
    in_projects = {need.project_id for need in messages}
    number, queue = sum(need.count for need in messages), (next(iter(in_projects)) if len(in_projects) == 1 else 0) or 0
    acts = dict.fromkeys(
        (NEED_ACTS[need.kind], need.project_id or 0, need.title or "")
        for need in needs[:MOST_NEEDS]
        if need.kind in NEED_ACTS and need.kind is not NeedKind.BROADCAST
    )
    uses = Counter(act for act, *_ in acts)
    is_ambiguous = len({need.project_id for need in needs if need.project_id is not None}) > 1
    buttons: dict[str, InlineButton] = {}
    for act, project_id, title in acts:
        if act == "inbox":
            buttons.setdefault(act, build_act_button(words("button-inbox", count=number), act, queue))
            continue
        if uses[act] > MOST_ALIKE:
            continue
        label = words(ACT_LABELS[act])
        label = message_layout.shorten_text(f"{label} · {title}", MAX_LABEL_UNITS) if is_ambiguous else label
        buttons[f"{act} {project_id}"] = build_act_button(label, act, project_id, 0)
    return tuple((button,) for button in buttons.values())


def _build_page_buttons(act: str, row_id: int = 0, *numbers: int, page: int, last: int) -> ButtonRows:
    """A row with buttons to the pages before and after this one, as far as there are any; pages count from 0."""
    turn = []
    if page:
        turn.append(build_act_button("‹", act, row_id, *numbers, page - 1))
    if page < last:
        turn.append(build_act_button("›", act, row_id, *numbers, page + 1))
    return (tuple(turn),) if turn else ()


def render_campaign(
    campaign: CampaignChoice, summaries: Sequence[ProjectOverview], words: OrganiserWords
) -> OrganiserCard:
    """A project, or a programme with a line and a button for each of its data sets."""
    title = shorten_title(campaign.title)
    head = f"{title} · {campaign.name} · {words(STATUS_TEXTS[campaign.status])}"
    numbers = (campaign.kind,)
    second = [build_act_button(words("button-invite"), "invite", campaign.id, *numbers)]
    if campaign.status is ProjectStatus.RUNNING:
        second.insert(0, build_act_button(words("button-pause"), "pause", campaign.id, *numbers))
    elif campaign.status is ProjectStatus.PAUSED:
        second.insert(0, build_act_button(words("button-resume"), "resume", campaign.id, *numbers))
    announce = build_act_button(words("button-announce"), "announce", campaign.id, *numbers)
    ways = (
        build_act_button(words("button-refresh"), "campaign", campaign.id, *numbers),
        build_act_button(words("button-all"), "campaigns"),
    )
    if len(summaries) != 1 or campaign.kind:
        chosen = [
            build_act_button(str(number), "campaign", summary.project.id or 0, 0)
            for number, summary in enumerate(summaries, 1)
        ]
        lines = [f"{number}) {_format_line(summary, words)}" for number, summary in enumerate(summaries, 1)]
        blocks = [words("campaign-projects"), "\n".join(lines)]
        rows = message_layout.arrange_buttons(chosen)
    else:
        (summary,) = summaries
        blocks = _describe_project(summary, words)
        waiting = sum(need.count for need in summary.needs if NEED_ACTS.get(need.kind) == "inbox")
        rows = (
            (
                build_act_button(words("button-people"), "people", campaign.id, 0),
                build_act_button(words("button-inbox", count=waiting), "inbox", campaign.id),
            ),
            (build_act_button(words("button-export"), "export", campaign.id),),
        )
    return words.render_card(
        TextBlock(head, ((0, len(title)),)), *blocks, buttons=(*rows, tuple(second), (announce,), ways)
    )


def _describe_project(summary: ProjectOverview, words: OrganiserWords) -> list[str]:
    measured = summary.progress
    share = compute_share(measured.done, measured.needed)
    lines = [
        words("progress", done=measured.done, needed=measured.needed, share=share),
        words("progress-day", count=measured.last_day, here=measured.people_now),
    ]
    format_moment = words.name_zone_once()
    end = measured.estimate_end(summary.project.status, now=words.now)
    if end is not None:
        lines.append(words("progress-end", when=format_moment(end)))
    people_line = words("people-count", count=summary.people)
    needed = [_describe_need(need, words, format_moment, is_named=False) for need in summary.needs]
    return ["\n".join(lines), f"{people_line}.", *(["\n".join([words("needs"), *needed])] if needed else [])]


def _format_line(summary: ProjectOverview, words: OrganiserWords) -> str:
    """A data set of a programme: its title, status and share of answers."""
    share = compute_share(summary.progress.done, summary.progress.needed)
    status = words(STATUS_TEXTS[summary.project.status])
    return words("admin-line", title=shorten_title(summary.project.title), status=status, share=share)


def render_people(
    listed: Sequence[ListedAnnotator], words: OrganiserWords, *, project_id: int, title: str, page: int, total: int
) -> OrganiserCard:
    """A page of a project's people, each with a button."""
    ages = words.format_ages([person.last_at for person in listed])
    lines = [
        f"{number}) "
        + words("person-line", name=person.pseudonym, count=person.finished, when=when)
        + (f" · {_name_standing(person, words)}" if person.is_suspended or person.status.value != "active" else "")
        for number, (person, when) in enumerate(zip(listed, ages, strict=True), page * people.PAGE + 1)
    ]
    buttons = [
        build_act_button(str(number), "person", person.annotator_id, project_id)
        for number, person in enumerate(listed, page * people.PAGE + 1)
    ]
    turn = _build_page_buttons("people", project_id, page=page, last=(total - 1) // people.PAGE)
    back = build_act_button(words("button-back"), "campaign", project_id, 0)
    return words.render_card(
        message_layout.make_bold_block(f"{words('people')} · {shorten_title(title)} · {total}"),
        "\n".join(lines) or words("people-none"),
        buttons=(*message_layout.arrange_buttons(buttons), *turn, (back,)),
    )


def render_person(details: AnnotatorDetails, words: OrganiserWords, *, project_id: int) -> OrganiserCard:
    """A person in a project, with what can be done."""
    listed = details.listed
    held = [*details.in_hand, *([words("person-batch", count=details.in_batch)] if details.in_batch else [])]
    lines = [
        words("person-status", status=_name_standing(listed, words)),
        words("person-finished", count=listed.finished, skipped=details.skipped),
        words("person-last", when=words.format_ago(listed.last_at)),
        words("person-hand", items=", ".join(held)) if held else words("person-hand-nothing"),
    ]
    if details.median_seconds is not None:
        lines.insert(2, words("person-pace", seconds=max(1, round(details.median_seconds))))
    if details.suspended_reason is not None:
        lines.append(" ".join((words("person-suspended"), details.suspended_reason)))
    acts = []
    if details.is_gone:
        lines = [words("person-gone")]
    else:
        act = "unsuspend" if listed.is_suspended else "suspend"
        if listed.status in READMITTED and not listed.is_suspended:
            acts.append(build_act_button(words("button-readmit"), "readmit", listed.annotator_id, project_id))
        acts.append(build_act_button(words(f"button-{act}"), act, listed.annotator_id, project_id))
        if held:
            counts = (len(details.in_hand), details.in_batch)
            label = words("button-release", count=sum(counts))
            acts.append(build_act_button(label, "release", listed.annotator_id, project_id, *counts))
    back = build_act_button(words("button-back"), "people", project_id, 0)
    return words.render_card(
        message_layout.make_bold_block(listed.pseudonym), "\n".join(lines), buttons=(*((act,) for act in acts), (back,))
    )


def render_release_question(
    details: AnnotatorDetails, words: OrganiserWords, *, project_id: int, counts: tuple[int, int]
) -> OrganiserCard:
    """Whether to take back what an annotator has: so many items in Telegram and in Label Studio."""
    address = (details.listed.annotator_id, project_id)
    number = sum(counts)
    release = build_act_button(words("button-release-now", count=number), "release-now", *address, *counts)
    back = build_act_button(words("button-back"), "person", *address)
    asked = words("release-why", count=number, name=details.listed.pseudonym)
    return words.render_card(asked, buttons=((release,), (back,)))


def _name_standing(listed: ListedAnnotator, words: OrganiserWords) -> str:
    return words("standing-suspended" if listed.is_suspended else f"standing-{listed.status.value}")
