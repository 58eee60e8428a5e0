## First words

welcome = Welcome! Here people answer the very questions that language models are asked. One tap is one answer, and you can stop whenever you like.
project-begins = A new task

## A question on the screen

left = { $left ->
    [one] { $left } question left
   *[other] { $left } questions left
}
all-done = That is all for now, thank you! Send /start to see whether there are new questions.

## After a tap

saved = Saved
saved-already = This answer is saved already
stale = That question is closed. Here is the one that waits for you.
stale-done = That question is closed.

## When something goes wrong

trouble = Something broke on our side, sorry. Every answer marked ✓ is saved. Send /start to go on. Code for the organisers: { $code }
busy = Your answer cannot be saved right now. Please try again in a minute: send /start.

## The menu of commands

command-start = Go on where you stopped
