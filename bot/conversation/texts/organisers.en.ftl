## Campaigns

admin = Campaigns
admin-nothing = Nothing is loaded yet: `hromada load` on the command line.
admin-command = Campaigns, people, questions
admin-line = { $title } — { $status }, { $share } %
admin-waiting = Waiting for an answer: { $count }
status-loaded = not started
status-running = running
status-paused = paused
status-closed = closed
progress = { $done } of { $needed } answers ({ $share } %)
progress-day = In the last 24 hours: { $count }. Here now: { $here }.
progress-end = At this pace done { $when }.
people-count = { $count ->
    [one] { $count } person takes part
   *[other] { $count } people take part
}
waiting-counts = Waiting: { $questions ->
    [one] { $questions } question
   *[other] { $questions } questions
}, { $reports ->
    [one] { $reports } report
   *[other] { $reports } reports
}.
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
paused-now = Paused: nothing is handed out
resumed-now = It goes on

## People

people = People
people-none = Nobody takes part yet.
person-line = { $name } · { $count } · { $when }
person-finished = Answered: { $count }, skipped: { $skipped }
person-pace = Half of the answers take under { $seconds } s.
person-last = Last here: { $when }
person-never = never
person-hand = In hand: { $items }
person-batch = Label Studio: { $count }
person-hand-nothing = In hand: nothing
person-status = Standing: { $status }
standing-active = takes part
standing-suspended = suspended
standing-failed = did not pass
standing-paused = paused by a rule
standing-excluded = excluded
standing-withdrawn = has left
person-suspended = Suspended:
person-gone = Has been forgotten.
button-suspend = Suspend
button-unsuspend = End suspension
button-release = Take back: { $count }
suspend-why = Why are you suspending { $name }? One sentence: it is kept on record. The bot does not show it, but they read it where they ask for their data.
suspended-now = { $name } is suspended in all projects.
unsuspended-now = The suspension is over
released-now = Taken back: { $telegram } in Telegram, { $label } in Label Studio

## Questions and reports

inbox-nothing = Nothing waits for an answer.
inbox-place = { $kind } · { $left } waiting
kind-question = Question
kind-report = Report
inbox-item = { $project } · item { $item }
inbox-about-project = { $project }
inbox-from = From { $name }, { $when }
inbox-paused = The item is not handed out.
inbox-answered = They have got a reply. Is the item well? Or mend it with `hromada load FILE --fix { $item }`.
button-answer = Answer
button-answer-all = Answer to all
button-dismiss = The item is well
button-next = Next ›
answer-type = Type the answer to { $name }. It goes to them alone.
answer-all-type = Type the answer in the language of the project. It goes to { $name }, and is added to the instructions: everybody reads them again before they go on.
answer-sent = The answer is on its way to { $name }.
answer-all-preview = This is added to the instructions of “{ $project }”. Everybody reads them again before their next question:
button-add = Add it
answer-all-done = Done: a new version of the instructions. In the file of the project it is not: add it there, too.
dismissed-now = The item is handed out again

## Invitations

invitations = Invitations to “{ $title }”
invitation-none = There is none yet: anybody who finds the bot may take part. From the first link on, one is needed.
invitation-of-programme = There is none to this data set alone. Those to its whole programme let people in here, too.
invitation-line = { $link } — used { $used }{ $until }
invitation-until = , until { $date }
button-new-link = New link

## A message to all

announce-type = Type the message. You will see it before it is sent.
announce-preview = { $count ->
    [one] { $count } person gets this, between 10 and 20 o’clock where they are:
   *[other] { $count } people get this, each between 10 and 20 o’clock where they are:
}
announce-nobody = Nobody would get it: nobody takes part yet to whom the bot can write.
button-send = Send
button-dont = Do not send
announced-now = { $count ->
    [one] It goes to { $count } person.
   *[other] It goes to { $count } people. About 29 a second leave.
}
dropped-now = Not sent.
too-long-text = That is too long: at most { $most } characters.
unknown-command = I have no command { $command }. Please write it again with a command that I have: /help lists them.
empty-text = Please write it in words: there is no text to send.

## Files

export-asked = The files of “{ $project }” are being made; they come here.
export-blind = “{ $project }” is a baseline that people still answer: nobody sees its scores before it is closed. Close it with `hromada close { $name }`, then ask for the files.
export-waiting = They are being made already
export-caption = { $project }: open report.html
export-failed = The files of “{ $project }” could not be made: { $reason }
export-too-large = The files of “{ $project }” are too large for Telegram ({ $size } MB): make them with `hromada export { $project }`.
export-too-slow = it took too long; make them with `hromada export`
export-given-up = the bot ended over it several times; make them with `hromada export`

## What organisers are told

alert-half = “{ $title }”: half of the answers are there ({ $count }).
alert-end = “{ $title }”: all answers are there ({ $count }). Close it with `hromada close`.
alert-stall = “{ $title }”: no answer since { $when }.
alert-decision = { $count ->
    [one] { $count } decision waits for you.
   *[other] { $count } decisions wait for you.
}
alert-backlog = The bot is behind: something has waited since { $when } ({ $count } in all).
alert-gap = Since { $when } nothing has come from Telegram: nobody is answered. The log of the bot says why.
alert-gap-over = From { $when } to { $until } nothing came from Telegram. What people tapped in that time may be lost; their questions wait for them.
button-open = Open
digest = Since yesterday:
digest-line = { $title }: { $day } in 24 hours, { $done } of { $needed }{ $end }
digest-end = , done { $when }
digest-paused = { $title }: paused, { $done } of { $needed }
digest-decisions = Decisions that wait: { $count }

## Times

just-now = just now
minutes-ago = { $count } min ago
hours-ago = { $count } h ago
