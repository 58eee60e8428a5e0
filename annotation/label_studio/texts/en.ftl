optional = optional
at-least = at least { $least }
at-most = at most { $most }
between = { $least } to { $most }
answer-this = Please answer: “{ $question }”.
write-here = Write here
mark-here = Choose the label, then mark a part of the text.
mark = Mark
mark-number = Mark { $number }
mark-done = When all is marked, choose “{ $done }”.
write-here-kept = Write here. Shift+Enter keeps a draft.
edit-kept = Click outside the text you correct to keep what you typed; Esc undoes it. Keys, and Ctrl+Enter to submit, work only there.
is-empty = The text is empty, so the answer cannot be submitted. Click outside it, then bring it back with the arrow at the bottom left, or copy the original.
is-blank = The answer is empty, so it cannot be submitted. Write it again, or press Esc to bring it back.
is-unmarked = Nothing is marked in the text, so the answer cannot be submitted.
kept = What is kept if the page closes
kept-ticks = What you tick or mark is kept as a draft after 5 seconds.
kept-edit = A text you correct is kept when you click outside it or press Shift+Enter. What you type after that is lost if the page closes, and Esc undoes it.
kept-text = A longer answer is kept when you press Shift+Enter, and when you submit.
kept-line = A short answer is kept when you press Enter, and when you submit.
page = Keys and buttons
keys-toggle = A key chooses its option. Pressed again, it takes the choice back.
keys-outside = Keys work only while the cursor is not in a text.
english-words = The page of Label Studio has English words. “Skip” leaves a task out, “Submit” sends your answer, “Update” changes it. After the last task it says “No More Tasks Left in Queue”: you are done.
tick-nothing = tick nothing if none applies, and confirm it
none-right = None of these
tick-or-confirm = Please answer: “{ $question }”. If none applies, tick “{ $box }”.
marked = Marked
mark-first = Please answer: “{ $question }”. Mark a part of the text, then choose “{ $done }”.
mark-or-none = Please answer: “{ $question }”. Mark a part of the text and choose “{ $done }”, or choose “{ $none }”.
seen = I have seen these answers
seen-first = Look at the answers at the top, then tick “{ $box }”.
fold = Context
original = Original
side-letters = A B C D E F
side-better-neuter = { $letter } is better
side-better-masculine = { $letter } is better
side-better-feminine = { $letter } is better
if = If “{ $question }” is { $answer }
first-answer = Your first answer
right-answer = Right answer
options = Options
explanation = Explanation
questions = Questions
verdict-asks = What is right?
candidate = Answer { $number }
votes = { $count ->
    [one] { $count } vote
   *[other] { $count } votes
}
own-answer = My own answer
own-marks = What I marked in the text
edit-candidate = Answer { $number }, with my changes
edit-original = The original, with my changes
broken = The item is broken
also-asks = Which of the answers are right as well?
also-told = Tick none if there is no other.
broken-asks = What is wrong with the item?
write-own = Your answer
edit-here = Change what is needed; this text becomes the answer.
reported = Reported
adjudicate-told = For each item, choose the answer that is right. If none is, give your own, or say that the item is broken.
review-asks = Do you accept the answer?
review-told = Accept each answer, or reject it with a reason.
accept = Accept
reject = Reject: { $reason }
reject-plain = Reject
reject-other = Reject for another reason
reject-asks = Why is it rejected?
reject-told = The annotator may read this.
reminder-subject = { $title }: { $count ->
    [one] { $count } task waits for you
   *[other] { $count } tasks wait for you
}
reminder-greeting = Hello!
reminder-waiting = { $count ->
    [one] { $count } task in “{ $title }” waits for you here:
   *[other] { $count } tasks in “{ $title }” wait for you here:
}
reminder-aside = { $count ->
    [one] One of them is an answer that is not complete. Please open it at this address, correct it, click outside the text, and press Update:
   *[other] Some of them are answers that are not complete. Please open each of them at these addresses, correct it, click outside the text, and press Update:
}
reminder-due = Please finish by { $date }. If you cannot, write to us, and somebody else will get them.
reminder-late = The date was { $date }. Please finish soon, or write to us, and somebody else will get them.
reminder-no-date = If you cannot do them, write to us, and somebody else will get them.
reminder-thanks = Thank you!
second-pass = second look
review = review
adjudication = adjudication
gold-review = gold review
