## First words

welcome = Welcome! Here people answer the very questions that language models are asked. One tap is one answer, and you can stop whenever you like.
project-begins = A new task

## A question on the screen

left = { $left ->
    [one] { $left } question left
   *[other] { $left } questions left
}
all-done = That is all, thank you! New questions will appear here: send /start to look for them.

## After a tap

saved = Saved
saved-already = This answer is saved already
stale = That question is no longer open. Here is the one that waits for you.

## When something goes wrong

trouble = Something broke on our side, sorry. Your answers are safe. Send /start to go on. Code for the organisers: { $code }
busy = It does not work right now. Please try again in a minute: send /start.

## The menu of commands

command-start = Go on where you stopped
