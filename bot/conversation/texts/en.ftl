## Joining

which-language = Which language do you prefer?
language-name = English
language-noted = From now on we speak English.
welcome = Welcome! Here people answer the very questions that language models are asked. One tap is one answer, and you can stop whenever you like.
invitation-unknown = There is no such invitation. Please check that you copied the whole link, or ask the organisers for a new one.
invitation-expired = This invitation has expired. Please ask the organisers for a new one.
invitation-used-up = Everybody this invitation was meant for has used it. Please ask the organisers for a new one.
invitation-closed = This project is over already. Thank you for offering to help!
stranger = You need an invitation to come in. Please ask the organisers for a link and open it.
nothing-open = No project is open right now. Look in again later: /start
menu = Choose a project:
left-many = plenty of questions left
consent = Your consent
agree = I agree
decline = I do not agree
agreed = Thank you! Your consent (version { $version }) is saved. To take it back: /withdraw
declined = All right. Without consent we ask nothing. If you change your mind, send /start. To erase all we know about you: /forget
consent-withdrawn = Your consent is taken back: we ask nothing more. The answers you have given stay. So that they do not count either: /withdraw; to erase everything: /forget. If you change your mind, send /start.
type-text = Type your answer as a message.
type-number = Type a number, like 34.
rather-not-say = I’d rather not say
answer-here = Your answer
noted = Noted
profile-noted = Noted: { $value }. You can correct it here: /mydata
choose-from-list = There is no such answer. Please tap one of the buttons.
not-a-number = { $bounds ->
    [both] Type a number from { $least } to { $most }.
    [least] Type a number, { $least } or more.
    [most] Type a number, { $most } or less.
   *[none] That does not look like a number. Type it in digits, like 34.
}
too-long = That is too long. { $most ->
    [one] { $most } character is enough.
   *[other] { $most } characters are enough.
}
which-zone = Where are you now? There is a daily limit here, so I need to know when your day begins. You can also type it: a city, or your local time, like 14:30.
which-zone-by-day = Where are you now? Then I write by day only. You can also type it: a city, or your local time, like 14:30.
zone-other = Another city
zone-unsaid = I’d rather not say
zone-type = Type your city, or what time it is there, like 14:30.
zone-hint = Leeds or 14:30
zone-unknown = I do not know that city or time.
zone-noted = Time zone: { $zone }
warning = Before you begin
warning-leave = If this is not for you, decline: nothing will happen.
decline-warning = Rather not
warning-declined = All right, you will not see them. If you change your mind, send /start.
go-on = Go on
begin = Begin
examples-good = Good
examples-bad = Not good

## A question on the screen

part = Part { $number } of { $of }
gap = GAP
stage-training = training
stage-qualification = test
page = page { $page }, question { $place }
left = { $left ->
    [one] { $left } question left
   *[other] { $left } questions left
}
page-over = Page { $page } is done. A good moment for a rest: /pause
type-a-number = There are too many options for buttons: send the number of your answer.
done = Done
none-of-them = None of these
leave-open = No answer
skip = Skip
report = Problem
ask = Ask
task = The task
pause = Pause
keep = Leave it as it was
back = ‹ Back
undo = Change
in-my-words = In my own words

## Comparing texts

side-better-neuter = { $letter } is better
side-better-masculine = { $letter } is better
side-better-feminine = { $letter } is better
side-please = It is not clear which one you mean. Type one of these: { $answers }. Or tap a button.
way-up = ↑ Tap the quote above this line to go back to the beginning.

## Parts of a text

span-sentence = Which sentence? Tap its number, or type the words yourself.
span-first = Which word does it begin with?
span-last = Which word does it end with? It begins with “{ $first }”.
span-match = These words are in the text more than once. Which place?
span-confirm = Is this it? Then save. Or add or drop a word at either end.
span-empty = There are no words to mark here.
span-kept = Marked so far: { $parts }
span-part = “{ $part }”
span-save = Save
span-add = One more part
span-change = Choose again
span-remove = Remove this one
span-start-back = ← + word
span-end-on = + word →
span-start-on = − first
span-end-back = − last
span-not-found = Those words are not in the text. Copy them from it, or tap a number.
span-overlaps = Those words are marked already. Choose others.
span-moved = The screen has changed meanwhile. Tap again.

## The second look: the right answer on the screen

second-pass = now with the right answer
second-first = Your answer: { $answer }
second-gold = The right one: { $answer }
second-right = You were right: { $answer }
second-none = All is well

## An answer in one’s own words

text-preview = Your answer:
text-number = It counts as the number { $number }.
text-save = Save
text-fix = Fix
text-type-again = Edit your message with the answer, or send the answer again.
text-too-long = That is { $length } characters; there is room for { $most }. Please send a shorter answer.
text-in-parts = The rest of your long text came too late, so it was not taken as an answer. Please send the whole text again, shorter, in a single message.
text-too-short = That is too short: please write at least { $least ->
    [one] { $least } character
   *[other] { $least } characters
} and send it again.
text-no-number = The answer here is a number. Write it in digits, with no other words: 34 or 3.5, for example.

## Correcting a text

correction-paragraph = Paragraph { $number } of { $total }
correction-hint = Tap the text to copy it, correct it and send it. If nothing is wrong, tap “No changes”.
correction-hint-again = Tap the text to copy it, change it and send it again.
correction-accept = No changes
correction-keep = Leave it so
correction-reset = Back to the original
correction-back = ‹ Paragraph { $number }
correction-latest = Paragraph { $number }, your correction:
correction-same = Paragraph { $number }: no changes.
correction-doubt = Almost everything is different here. Replace the paragraph with this text?
correction-replace = Yes, replace it
correction-reject = No
correction-nothing = You have seen the whole text and changed nothing.
correction-summary = { $total ->
    [1] You have seen the whole text and corrected it.
   *[other] You have seen the whole text and corrected { $count ->
        [one] { $count } paragraph
       *[other] { $count } paragraphs
    } of { $total }: { $list }.
}
correction-again = To go back to a paragraph, tap its number.
correction-choose = You have seen the whole text. To change a paragraph, tap its number.
correction-too-long = That is too long for one paragraph. Please send a shorter one, in a single message.
correction-must-change = Something has to be corrected here. Tap the number of a paragraph; if nothing is wrong, skip the item.
correction-edited = This text is saved already. To change it, tap “Change” below it.
correction-unchanged = no changes
correction-done = corrected
correction-count = { $count ->
    [one] { $count } paragraph corrected
   *[other] { $count } paragraphs corrected
}

## Too long for a phone

long-item = This item is long: it takes { $messages } messages. At a computer it is easier in Label Studio, where a batch of yours waits: { $address }
long-move = I’ll do it in Label Studio
long-moved = All right. This item is moved to Label Studio and will be in your batch once that is filled up.

## After a tap

saved = Saved
saved-already = This is saved already
answered-already = You have already answered: “{ $answer }”. You can change it above.
stale = That is no longer asked. Here is where you are.
not-taken = That answer does not fit here. Here is where you are.
tap-please = Tap a button, or type what it says.
choose-shown = There is no such answer here. Tap a button, or type what it says.
only-read = The last message asked nothing, so this was not saved. Here is where you are.
only-above = The last question was about something else, so nothing was saved. Here is where you are.
sent-too-early = You sent this before the question appeared, so it was not taken as an answer. Please answer what you see now.
reply-unknown = That message asks nothing that can be answered. Nothing was stored. /start shows what comes next.
reply-several = This task has several questions: to change an answer, tap “Change” below it. /start shows the current question.
answer-changed = Your answer is changed.
choose-at-least = Tick { $least } or more
choose-at-most = Tick { $most } at most
answer-or-skip = Give an answer, or tap “Skip”
undo-open = Choose another answer
undo-closed = This answer can no longer be changed: you have seen a related question since, or this stage or the project is over.
kept = Left as it was
extra = Thank you! This question was closed in the meantime, so your answer is kept apart.
right = Right!
wrong = No, the right answer is: { $gold }
for-comparison = The expected answer: { $gold }

## Skip, report, ask

skip-why = Why skip it?
skip-unsure = I do not know the answer
skip-unclear = I do not understand it
skip-unpleasant = It is unpleasant to me
skip-broken = Something is wrong with it
skip-type = Why are you skipping this question? Type a few words.
skipped = Skipped
skipped-mark = ⏭ { $number } · skipped
report-why = What is wrong?
report-two-right = Several answers are right
report-none-right = No answer is right
report-unknowable = The text does not say
report-bad-language = Mistakes in the language
report-same-options = Options are the same
report-type = What is wrong with this question? Type a few words.
reported = Thank you, the organisers will see it. You can answer all the same.
ask-type = Type your question to the organisers in one message.
asked = Your question is passed on. The answer will come here.
ask-too-long = The question is empty or too long. Type between one word and { $most } characters.
ask-enough = At most { $most } questions a day are passed on, so this one was not. Please send it tomorrow.
answered = The organisers have answered

## Answers that organisers reviewed

review-rejected = “{ $project }”: one of your answers was not accepted
review-reason = Why: { $reason }
review-what-follows = Somebody else will get this question; you can go on as before. You do not agree? Write: /ask
review-paid = The answer is paid all the same.
review-unpaid = Answers that are not accepted are not paid.
review-taken-back = “{ $project }”: the decision on your answer was taken back
review-counts-again = It counts again. Sorry for the confusion.

## Why there is no question now

all-done = { $answers ->
    [0] There are no questions for you yet.
    [one] That is all for now. You have given { $answers } answer, thank you!
   *[other] That is all for now. You have given { $answers } answers, thank you!
}
all-closed = { $answers ->
    [one] Everything is over. You have given { $answers } answer, thank you! A new project opens with a link from the organisers.
   *[other] Everything is over. You have given { $answers } answers, thank you! A new project opens with a link from the organisers.
}
not-admitted = Sorry, “{ $project }” is looking for other people. Thank you for offering to help!
not-running = “{ $project }” is stopped at the moment. Your answers are saved.
suspended = The organisers have suspended your participation. If that is a mistake, write to them: /ask
paused-by-rule = “{ $project }” has paused your participation. The organisers will look at your answers; you can ask them: /ask
excluded = You no longer take part in “{ $project }”. To ask why: /ask
failed = There are no more attempts in “{ $project }”. Thank you for your time!
cool-down = Your next attempt in “{ $project }” opens { $until }.
withdrawn = You have left “{ $project }”. Thank you for your time!
quota = In “{ $project }” you have done everything that we had for you. Your answers: { $answers }. Thank you!
cap = You have done all that one person can do here. Your answers: { $answers }. Thank you!
cap-until = That is enough for now, thank you! The next questions come { $until }.
searching = Looking for a question for you, one moment please.
paused = Paused. Everything is saved; to go on, send /start.
resume = To go on: /start
sitting-over = One quick thing about last time:
sitting-ends = One last quick thing:
in-minutes = in { $minutes } min
in-hours = in { $hours } h
month-name = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
moment = on { $day } { $month } at { $time }
date = { $day } { $month } { $year }

## Your rights

mydata = All that we store about you, to the last line.
mydata-heading = What we know about you
mydata-telegram = Your Telegram number, without your name. Language: { $language }
mydata-project = “{ $project }”: you joined on { $date }, answered: { $answers }, skipped: { $skipped }
mydata-consent = Consent (version { $version }): { $date }
mydata-consent-withdrawn = Consent (version { $version }): taken back on { $date }
mydata-questions = Questions to the organisers: { $count }
mydata-reminders = Reminders: on. To change that: /reminders
mydata-news = You want word when there are questions for you. To change that: /reminders
mydata-profile = What you told about yourself (the buttons correct it):
mydata-rights = All of it in detail is in the file above. Leave a project: /withdraw; erase everything: /forget
mydata-again = You got the file a short while ago. You can ask for another one in { $minutes } min.
withdraw-which = Which project would you like to leave?
withdraw-nothing = You take part in no project.
withdraw-sure = Leave “{ $project }”? None of your answers there will count any more. There is no way back.
withdraw-yes = Yes, leave
withdrawn-now = { $answers ->
    [one] You have left “{ $project }”; { $answers } answer no longer counts.
   *[other] You have left “{ $project }”; { $answers } answers no longer count.
}
stay = No, I’ll stay
stays = All right, everything stays as it was.
forget-sure = Forget you in all projects? Your answers, your messages and what is known of you will be erased. This cannot be undone. Only a mark without your name or number stays: if you return, a suspension, a failed or left project still holds. What is published already is beyond our reach.
forget-yes = Yes, forget me
forgotten = Done: you are forgotten. Thank you for everything. Only you can clear this chat. To come back: /start

## What the bot does not do

only-private = I work in private chats only: open my profile and press “Start”.
only-text = I read text only.
edited = I do not read edited messages. To mend an answer, tap “Change” below it.
unknown-command = There is no such command. All of them: /help
flooded = Too many messages in a minute, so some were not read. Please wait a minute, then go on.
help = What I can do:

## When something goes wrong

trouble = Something broke on our side, sorry. Every answer marked ✓ is saved. Send /start to go on. Code for the organisers: { $code }
busy = Your answer cannot be saved right now. Please try again in a minute: send /start.

## The menu of commands

command-start = Go on where you stopped
command-projects = Choose a project
command-task = Show the task again
command-ask = Ask the organisers
command-pause = Stop for today
command-reminders = When the bot writes first
command-language = Change the language
command-mydata = See and correct your data
command-withdraw = Leave a project
command-forget = Erase all about me
command-help = All commands

## About the bot

bot-description = Here people answer the questions that language models answer too, so that there is something to compare these with. One tap is one answer, and you can stop at any time. If the organisers sent you a link, open it: it is your invitation. All that we know about you: /mydata; leave a project: /withdraw; erase everything: /forget.
bot-about = Questions that both people and language models answer.

## The card of a question

own-count = { $number } of { $total }
shared-count = together { $answered } of { $wanted }
more = ⋯
undo-skip = Bring back
which-answer = Which answer shall be changed?
toast-wrong = No: { $gold }
training-rules = Training: { $total ->
    [one] { $total } question
   *[other] { $total } questions
}. After each answer you will see whether it is right.
qualification-rules = Test: { $total ->
    [one] { $total } question
   *[other] { $total } questions
}. You will see the result at the end.
pass-mark = To go on you need at least { $needed ->
    [one] { $needed } right answer
   *[other] { $needed } right answers
}.
result = { $right } of { $of } answers right (at least { $needed } needed)
training-over = The training is over, thank you!
training-passed = You have passed the training: { $result }.
qualification-over = The test is over, thank you!
qualification-passed = You have passed the test, congratulations: { $result }.
failed-retry = Not this time: { $result }. Read the task again (/task) and give it another try.
failed-now = Not this time: { $result }.
main-begins = Now to the real thing.
paused-begun = Paused. I remember what you began with question { $number }: it waits for you, unless others finish the question meanwhile. To go on, send /start.
command-skip = Skip the question
command-problem = Report a problem with the question

## What is right: disputed items

command-adjudicate = Decide on disputed items
case-left = { $left } waiting
case-which = Which answer is right?
case-votes = { $count ->
    [one] { $count } vote
   *[other] { $count } votes
}
case-why = Why it is here: { $reasons }.
case-tie = the votes tie
case-low-confidence = the votes differ a lot
case-rule-conflict = the majority depends on answers that a quality rule caught
case-report = a problem was reported
case-reported = Reported: { $report }
case-several = Several are right
case-tick = Tick all that are right. The one you tick first is the main answer.
case-main = Main answer: { $answer }
case-broken = Broken
case-broken-why = What is wrong with this item? Write a few words.
case-broken-mark = ✗ Broken: { $comment }
case-later = Later
case-later-mark = ⏭ Left for later
case-only-one = Nothing else is waiting: this is the last one.
case-stop = Stop
case-stopped = Thank you! All that you decided is saved. To go on: /adjudicate
case-undone = ↩ The decision is taken back. The item is below.
case-nothing = Nothing waits for your decision, thank you! New disputed items appear when the organisers refresh the queue. Check again: /adjudicate
case-offer = There are disputed items: say which answer is right.
case-begin = Decide
remark-milestone = 🎉 That makes { $number } items. Thank you!
remark-halfway = 🎉 Half of it is done: { $number } items so far. Thank you!
remark-break = ☕ You have been at it for { $number } minutes. Have a break: the items will wait.
remark-night = 🌙 It is late. The items will wait until tomorrow.

## How many now, and how far

session-how-many = How many items would you like to do now? After the last one comes a summary, and you can stop there.
session-under-way = So far { $done } of { $goal } this time.
session-only = Just { $number }
session-more = { $number } more
session-endless = No limit
session-enough = Enough for today
session-chosen = { $number } items, then a summary
session-over = 🏁 { $number } items in { $minutes } min
session-seconds = Usually { $seconds } s an item.
session-minutes = Usually { $minutes } min an item.
session-left = { $left ->
    [0] All answers are in!
    [one] Together { $left } answer is left.
   *[other] Together { $left } answers are left.
}
session-thanks = Thank you! Shall we go on?
progress-nothing = no items for you
progress-paused = paused
progress-closed = over
progress-stopped = participation stopped
programme-done = 🏁 That is all we had for you. { $answers ->
    [one] You have given { $answers } answer
   *[other] You have given { $answers } answers
}, thank you!
programme-paused = { $answers ->
    [one] That is all for now. You have given { $answers } answer
   *[other] That is all for now. You have given { $answers } answers
}, thank you! What is paused may open again.
command-progress = How far I am
command-session = Choose how many items now

## What the bot writes first

reminder = “{ $project }”: there are questions for you, whenever you feel like it.
reminder-last = If this one has no answer either, I will not remind you again. To turn reminders on again: /reminders
reminder-tomorrow = Tomorrow
reminder-tomorrow-noted = All right, until tomorrow.
reminder-stop-noted = All right, no more reminders. To turn them on again: /reminders
news = “{ $project }”: there are questions for you again.
news-offer = Shall I write to you once when there are questions for you? To check for yourself: /start
news-tell = Yes, tell me
news-noted = I will write to you once, when there are questions for you.
notices-open = Reminders
notices-about = I write first only if you want it, and by day.
notices-reminders = Reminders: { $state }. They come when you have not been here for two days and there are questions for you, at most one in three days. After three without an answer they stop.
notices-new = New questions: { $state }. I write once, when there are questions for you again after there were none.
notices-on = on
notices-off = off
notices-remind = Remind me
notices-stop = No more reminders
notices-news = Tell me of new ones
notices-no-news = Not about new ones
notices-nothing = Write nothing

announcement = A message of the organisers
announcement-of = “{ $project }”: a message of the organisers
