## Campaigns

admin = Campaigns
admin-nothing = Nothing is loaded yet: `hromada load` on the command line.
admin-command = Campaigns, people, questions
admin-line = { $title } — { $status }, { $share }%
admin-announced = Messages to all: { $count ->
    [one] { $count } person has yet to get one
   *[other] { $count } people have yet to get one
}
button-announced = Messages to all: { $count }
stray-text = Nothing asks you for a text now. To write to people, choose here:
status-loaded = not started
status-running = running
status-paused = paused
status-closed = closed
progress = { $done } of { $needed } answers ({ $share }%)
progress-day = In the last 24 hours: { $count }. Here now: { $here }.
progress-end = At this pace it will be done { $when }.
people-count = { $count ->
    [one] { $count } person is taking part
   *[other] { $count } people are taking part
}
campaign-projects = Data sets
button-all = ‹ All campaigns
button-back = ‹ Back
button-people = People
button-inbox = To answer: { $count }
button-pause = Pause
button-resume = Go on
button-invite = Invite
button-export = Files
button-announce = Write to all
button-refresh = Refresh
paused-now = Paused: no items are assigned
resumed-now = Running again

## People

people = People
people-none = Nobody has joined yet.
person-line = { $name } · { $count } · { $when }
person-finished = Answered: { $count }, skipped: { $skipped }
person-pace = Half of the answers take under { $seconds } s.
person-last = Last here: { $when }
person-never = never
person-hand = Assigned: { $items }
person-batch = Label Studio: { $count }
person-hand-nothing = Assigned: nothing
person-status = Status: { $status }
standing-active = takes part
standing-suspended = suspended
standing-failed = failed the test
standing-paused = paused by a rule
standing-excluded = excluded
standing-withdrawn = has left
person-suspended = Suspended:
person-gone = Their data was erased at their request.
button-suspend = Suspend
button-unsuspend = End suspension
button-readmit = Let them go on
button-release = Take back: { $count }
release-why = Take back { $count ->
    [one] { $count } item
   *[other] { $count } items
} from { $name }? Others get them; this cannot be undone.
button-release-now = Take back now: { $count }
suspend-why = Why are you suspending { $name }? Write one sentence: it is kept on record. The bot does not show it, but they can read it if they ask for their data.
suspended-now = { $name } is suspended in all projects.
no-reason = Nobody is suspended: the reason has no words.
unsuspended-now = The suspension is over
readmitted-now = They can go on
released-now = Taken back: { $telegram } in Telegram, { $label } in Label Studio

## Questions and reports

inbox-nothing = Nothing is waiting for an answer.
inbox-place = { $kind } · { $left } waiting
kind-question = Question
kind-report = Report
inbox-item = { $project } · item { $item }
inbox-about-project = { $project }
inbox-from = From { $name }, { $when }
inbox-paused = The item is not being assigned.
inbox-answered = Reply sent. Is the item OK? If not, fix it: `hromada load FILE --fix { $item }`.
button-answer = Answer
button-answer-all = Answer to all
button-dismiss = The item is fine
button-next = Next ›
answer-type = Type the answer to { $name }. Only they will see it.
answer-all-type = Type the answer in the language of the project. It goes to { $name } and becomes part of the instructions: everybody reads them before they go on.
answer-sent = The answer is on its way to { $name }.
answer-all-preview = This will be added to the instructions of “{ $project }”. Everybody reads them before their next question:
button-add = Add
answer-all-done = Done: the instructions have a new version. The project file does not have it: also add it there.
dismissed-now = The item is back in use

## Invitations

invitations = Invitations to “{ $title }”
invitation-none = There are none yet: anybody who finds the bot can take part. After the first link is made, nobody can join without one.
invitation-of-programme = There are none for this data set alone. Invitations to the whole programme also work here.
invitation-line = { $link } — used { $used }{ $until }
invitation-until = , until { $date }
invitation-ended = , ended { $date }
invitation-new = Make a new link? Anyone who has it can join “{ $title }”, for { $days } days.
invitation-first = After the first link is made, nobody can join without one.
invitation-one = Invitation to “{ $title }”
invitation-explained = People who have joined stay, whatever happens to the link. A link that has ended can be made to last again.
button-new-link = New link
button-make-link = Make the link
button-end-link = End it now
button-link-days = { $count ->
    [one] Until tomorrow
   *[other] For { $count } days from now
}

## A message to all

announce-type = Type the message. You will see it before it is sent.
announce-preview = { $count ->
    [one] { $count } person gets this, between 10 and 20 o’clock where they are.
   *[other] { $count } people get this, each between 10 and 20 o’clock where they are.
}
announce-at-once = It goes out now where it is day, elsewhere from 10:00 where people are.
announce-from = It goes out from { $when }: to each person from 10:00 where they are.
announce-nobody = Nobody would get it: nobody takes part yet whom the bot can write to.
button-send = Send
button-dont = Do not send
announced-now = { $count ->
    [one] It goes to { $count } person.
   *[other] It goes to { $count } people, about 29 per second.
}
dropped-now = Not sent.
announced = Messages to all that people have yet to get
announced-nothing = Nobody has yet to get a message to all.
announced-to-all = to all
announced-line = { $to }: { $count ->
    [one] { $count } person has yet to get it
   *[other] { $count } people have yet to get it
}, { $reached } have it.
button-cancel = Cancel this message
button-cancel-number = Cancel { $number }
cancel-why = Cancel this message? { $count ->
    [one] { $count } person will not get it
   *[other] { $count } people will not get it
}; { $reached } have it already and keep it:
button-cancel-now = Cancel it for { $count }
cancelled-now = Cancelled: { $count ->
    [one] { $count } person does not get it
   *[other] { $count } people do not get it
}, { $reached } have it.
too-long-text = That is too long: at most { $most } characters.
unknown-command = There is no command { $command }. Please write it again with a command that exists: /help lists them.
empty-text = Please write it in words: there is no text to send.

## Files

export-asked = The files of “{ $project }” are being prepared; they will come here.
export-blind = People are still answering “{ $project }”: nobody sees the scores of a baseline before it is closed. Close it with `hromada close { $name }`, then ask for the files.
export-waiting = They are already being prepared
export-caption = { $project }: open report.html
export-failed = The files of “{ $project }” could not be prepared: { $reason }
export-too-large = The files of “{ $project }” are too large for Telegram ({ $size } MB): make them with `hromada export { $project }`.
export-too-slow = it took too long; make them with `hromada export`
export-given-up = the bot stopped several times while preparing them; make them with `hromada export`

## Alerts to organisers

alert-half = “{ $title }”: half of the answers are in ({ $count }).
alert-end = “{ $title }”: all answers are in ({ $count }). Close it with `hromada close { $project }`.
alert-stall = “{ $title }”: no answer since { $when }.
alert-decision = { $count ->
    [one] { $count } decision is waiting for you.
   *[other] { $count } decisions are waiting for you.
}
alert-backlog = The bot is behind: something has waited since { $when } ({ $count } in all).
alert-gap = Nothing has come from Telegram since { $when }: nobody gets a reply. { $why }
gap-unknown = The bot’s log says why.
gap-no-answer = Telegram does not answer; check the network of the bot.
gap-unreachable = Telegram cannot be reached; check the network of the bot.
gap-errors = Telegram answers with errors; the bot goes on by itself once that is over.
gap-told-to-wait = Telegram asks the bot to wait until { $until }; it goes on by itself then.
gap-other-program = Another program takes this bot’s updates with its token: end it, or get a new token from @BotFather.
gap-other-address = Telegram calls another address, which another program has set: end that program, or this bot.
gap-undelivered = Telegram cannot bring updates to the bot’s address; check HROMADA_WEBHOOK_URL and the proxy.
alert-gap-over = Nothing came from Telegram from { $when } to { $until }. Taps from that time may be lost; the questions are waiting for people.
button-open = Open
digest = Since yesterday:
digest-line = { $title }: { $day } in 24 hours, { $done } of { $needed }{ $end }
digest-end = , done { $when }
digest-paused = { $title }: paused, { $done } of { $needed }

## What needs organisers

needs = What needs you
needs-none = Nothing needs you now.
needs-more = { $count ->
    [one] { $count } more: `hromada status`
   *[other] { $count } more: `hromada status`
}
needs-since = { $what } · since { $when }
bot-works = The bot is working.
bot-is-off = The bot is not working.
need-bot = The bot is not working: nobody gets a reply
need-bot-never = No bot has worked here yet: nobody gets a reply
need-disk = The disk is almost full: { $free } MB free, { $needed } MB needed
need-silence = Nothing comes from Telegram. { $why }
need-backlog = { $count ->
    [one] { $count } update or message is waiting for the bot
   *[other] { $count } updates or messages are waiting for the bot
}
need-parked = { $count ->
    [one] { $count } delivery is parked
   *[other] { $count } deliveries are parked
}
need-stall = No answer for a day or longer
need-question = { $count ->
    [one] { $count } question from annotators
   *[other] { $count } questions from annotators
}
need-report = { $count ->
    [one] { $count } report
   *[other] { $count } reports
}
need-paused = { $count ->
    [one] { $count } annotator paused by a rule: { $names }
   *[other] { $count } annotators paused by a rule: { $names }
}
need-dispute = { $count ->
    [one] { $count } disputed item
   *[other] { $count } disputed items
}
need-dispute-ties = { $count ->
    [one] { $count } disputed item, a tie
   *[other] { $count } disputed items, { $ties } of them ties
}
need-gold-review = { $count ->
    [one] { $count } item of the gold review
   *[other] { $count } items of the gold review
}
need-review = { $count ->
    [one] { $count } answer to review
   *[other] { $count } answers to review
}
need-late = { $count ->
    [one] { $count } annotator is late with { $items } in Label Studio: { $names }
   *[other] { $count } annotators are late with { $items } in Label Studio: { $names }
}
need-late-items = { $count ->
    [one] { $count } item
   *[other] { $count } items
}
need-set-aside = { $count ->
    [one] { $count } annotation set aside in Label Studio
   *[other] { $count } annotations set aside in Label Studio
}
need-copies = { $count ->
    [one] { $count } copy of erased data to delete in Label Studio
   *[other] { $count } copies of erased data to delete in Label Studio
}
need-broadcast = { $count ->
    [one] A message to { $count } person goes out { $until }
   *[other] A message to { $count } people goes out { $until }
}
need-backup = The last backup is too old: { $file }
need-backup-none = There is no backup yet
need-end = { $count ->
    [one] All answers are in ({ $count })
   *[other] All answers are in ({ $count })
}

## Times

just-now = just now
minutes-ago = { $count } min ago
hours-ago = { $count } h ago
