## Lists: words that may be typed, and time zones

# Words for a yes, with commas. They may be typed at any question of yes or no, so none of them may also mean no.
words-yes = yes
# Words for a no, with commas.
words-no = no
# Words for the way back, with commas: they do what the button “Back” does.
words-back = back
# Words for a consent, with commas, besides those for a yes: they press the button “I agree”.
words-agree = { words-yes }, agree, i agree, agreed
# Words that decline a consent, with commas, besides those for a no: they press the button “I do not agree”.
words-disagree = { words-no }, disagree, i disagree, i don't agree
# Words for a pause, with commas, typed where they are not an answer: they do what /pause does.
words-pause = stop, pause, enough, break, that's enough, i'm done
# Words for a skip, with commas: they ask why the question is skipped, as the button “Skip” does.
words-skip = skip, i don't know, i do not know, i don't know the answer, i do not know the answer, don't know, no idea, idk
# Words for a report, with commas: they ask what is wrong with the question, as the button “Problem” does.
words-report = mistake, error, problem, typo
# Words that ask how much is done and left, with commas: they do what /progress does.
words-progress = how many left, how many are left, how much is left, how many more, progress
# Words for help, with commas: they do what /help does.
words-help = help, commands
# Words of thanks, with commas: they are answered with `thanks-back`.
words-thanks = thanks, thank you, thank you very much, thx
# Words that ask to be forgotten, with commas: they ask for confirmation, as /forget does.
words-forget = forget me, delete me, erase me, delete my data
# Words for “more” that people type before or after the size of a session: “10 more”.
words-more = more
# Words that lead on, with commas, besides those for a yes: they press buttons such as “Go on” and “Begin”.
words-go-on = { words-agree }, ok, okay, y, yep, yeah, sure, understood, next, continue, begin, start, +
# Words that lead out, with commas, besides those for no and back: they press buttons such as “No, I’ll stay”.
words-stay-out = { words-no }, { words-back }, n, nope, -
# Words for the first of the texts to compare, one word each, in all their forms, with commas. So are the lists
# below.
words-first = first, 1st
# Words for the second text.
words-second = second, 2nd
# Words for the third text.
words-third = third, 3rd
# Words for the fourth text.
words-fourth = fourth, 4th
# Words for the fifth text.
words-fifth = fifth, 5th
# Words for the sixth text.
words-sixth = sixth, 6th
# Words that say that the texts are equally good.
words-tie = tie, tied, draw, equal, equally, same, =
# Words for bad: with a word of `words-all` they say that both texts, or all, are bad.
words-bad = bad
# Words for both and all.
words-all = both, all
# Words that people may add without changing what they mean: “A is better”, “text 2”. None may deny or turn round
# anything.
words-fillers = is, are, the, better, best, one, option, text, version, answer, letter
# The time zones of most speakers, with commas, by their names in the tz database. They are offered as buttons, so
# write at most 6.
common-zones = Europe/London, Europe/Berlin, Europe/Kyiv, America/New_York, America/Los_Angeles, Asia/Kolkata
# Cities and countries that people may type for a time zone, besides those that CLDR names: a zone, a colon, cities
# with commas.
cities =
    Europe/Kyiv: Kiev, Lviv, Kharkiv, Odesa, Odessa, Dnipro, Zaporizhzhia, Vinnytsia, Poltava, Chernihiv,
    Cherkasy, Sumy, Zhytomyr, Rivne, Ternopil, Lutsk, Chernivtsi, Uzhhorod, Mykolaiv, Kherson, Khmelnytskyi,
    Ivano-Frankivsk, Kropyvnytskyi, Mariupol, Donetsk, Luhansk, Kremenchuk, Irpin, Bucha, Ukraine, Bila
    Tserkva, Kryvyi Rih
    Europe/Warsaw: Kraków, Krakow, Wrocław, Wroclaw, Gdańsk, Gdansk, Poznań, Poznan, Łódź, Lodz, Lublin,
    Poland
    Europe/Berlin: Munich, München, Hamburg, Frankfurt, Cologne, Köln, Stuttgart, Leipzig, Dresden, Germany
    Europe/Prague: Brno, Czechia
    Europe/London: Manchester, Edinburgh, Cambridge, Oxford, Britain
    Europe/Paris: Lyon, Nice, France
    Europe/Madrid: Barcelona, Valencia, Alicante, Spain
    Europe/Rome: Milan, Naples, Turin, Italy
    Europe/Lisbon: Porto, Portugal
    Europe/Zurich: Geneva, Basel, Bern, Switzerland
    Europe/Vilnius: Kaunas, Lithuania
    Europe/Moscow: Kazan, Sochi, Voronezh, Saint Petersburg
    Asia/Tbilisi: Batumi, Georgia
    Asia/Jerusalem: Tel-Aviv, Haifa, Israel, Tel Aviv
    Asia/Kolkata: Delhi, Mumbai, Bangalore
    Asia/Shanghai: Beijing
    America/Toronto: Ottawa, Montreal
    America/New_York: Boston, Washington, Philadelphia, Miami
    America/Chicago: Dallas, Houston, Austin
    America/Edmonton: Calgary
    America/Los_Angeles: Seattle, San Francisco, San Diego

## Joining

# Asked above the list of languages, in every language at once.
which-language = Which language do you prefer?
# Button, at most 20 characters: what the language calls itself.
language-name = English
# Said after /language.
language-noted = OK, English from now on.
# The first message of the bot in the language that somebody has chosen.
welcome = Welcome! You will answer the same questions as language models. One tap is one answer, and you can stop at any time.
# A link or code that the bot does not know.
invitation-unknown = This invitation is not valid. Please check that you copied the whole link, or ask the organisers for a new one.
# A link that is too old.
invitation-expired = This invitation has expired. Please ask the organisers for a new one.
# A link for a number of people, all of whom have come.
invitation-used-up = Everybody this invitation was meant for has used it. Please ask the organisers for a new one.
# A link to a project that is over.
invitation-closed = This project has already ended. Thank you for offering to help!
# Said to somebody who has no invitation.
stranger = You need an invitation to take part. Please ask the organisers for a link and open it.
# Said when no project takes answers now.
nothing-open = No project is open right now. Please check again later: /start
# Above the list of projects.
menu = Choose a project:
# In the list of projects: too many questions are left to count them.
left-many = plenty of questions left
# Above the list of projects, where none of them has a question for somebody.
menu-nothing = Your projects:
# In the list of projects, after a title, in small letters: it opens by itself.
# $until (on 5 May at 00:00 (Kyiv)): when, as `moment`, `in-minutes` or `in-hours` says it
offer-later = opens again { $until }
# In the list of projects, after a title, in small letters: one person answers no more than that.
offer-quota = you have done your share, thank you
# In the list of projects, after a title, in small letters: what is left waits in Label Studio.
offer-label-studio = your questions are in Label Studio
# In the list of projects, after a title, in small letters: nothing is left for this person.
offer-answered = you have answered everything
# In the list of projects, after a title, in small letters: people answer only what is new to them.
offer-met = you have met these questions in another project
# In the list of projects, after a title, in small letters: what is left is shared out among other people.
offer-others = the rest is for other people
# In the list of projects, after a title, in small letters: everything is answered, or with somebody.
offer-taken = all questions are taken
# In the list of projects, after a title, in small letters: this person cannot take part.
offer-not-invited = other people are invited this time
# In the list of projects, after a title, in small letters: this person has left the project.
offer-left = you have left it
# Heading of the text that people agree to before they take part.
consent = Your consent
# Under the text that people agree to: what becomes of their answers once the project has ended.
# $days (180): how many days after the end, at the latest
consent-retention = At the latest { $days ->
    [one] { $days } day
   *[other] { $days } days
} after this project ends (later only if you take part in others here), the organisers delete everything that says whose your answers are. The answers stay, but nobody can find yours among them any more, so they can’t be erased. Until then you can erase them: /forget
# Button, at most 20 characters: below the text of the consent.
agree = I agree
# Button, at most 20 characters: below the text of the consent.
decline = I do not agree
# After the button “I agree”.
# $version (1): the version of the text
agreed = Thank you! Your consent (version { $version }) is saved. To withdraw it: /withdraw
# After the button “I do not agree”.
declined = All right. Without your consent we won’t ask you anything. If you change your mind, send /start. To erase everything we know about you: /forget
# An organiser noted that somebody takes their consent back.
consent-withdrawn = You have withdrawn your consent, so we won’t ask anything else. Your earlier answers are kept. To stop them counting: /withdraw. To erase everything: /forget. If you change your mind, send /start.
# Below a question about the annotator that is answered with a text.
type-text = Type your answer as a message.
# Below a question about the annotator that is answered with a number.
type-number = Type a number, like 34.
# Button, at most 20 characters: leaves a question about the annotator without an answer.
rather-not-say = I’d rather not say
# Short notice over the chat, at most 200 characters: what was tapped is stored.
noted = Noted
# What somebody told about themselves is stored.
# $value (Kharkiv): what they told
profile-noted = Noted: { $value }. You can correct it here: /mydata
# Said to a text where a number was asked for: with both bounds, with one, or with none.
# $bounds (both): both, least, most or none; not shown
# $least (18): the lowest number
# $most (99): the highest number
not-a-number = { $bounds ->
    [both] Type a number from { $least } to { $most }.
    [least] Type a number, { $least } or more.
    [most] Type a number, { $most } or less.
   *[none] That does not look like a number. Type it in digits, like 34.
}
# Said to a text that is too long.
# $most (100): how many characters may be written
too-long = That is too long. { $most ->
    [one] { $most } character is enough.
   *[other] { $most } characters are enough.
}
# Asks for the time zone where there is a daily limit; cities are on the buttons.
which-zone = Where are you now? There is a daily limit here, so we need to know when your day begins. You can also type your city or your local time, like 14:30.
# Asks for the time zone of somebody who wants reminders; cities are on the buttons.
which-zone-by-day = Where are you now? That way we only write in the daytime. You can also type your city or your local time, like 14:30.
# Button, at most 20 characters: to type a city that is not on a button.
zone-other = Another city
# Button, at most 20 characters: the time zone stays unknown.
zone-unsaid = I’d rather not say
# After the button “Another city”.
zone-type = Type your city, or what time it is there, like 14:30.
# Said to a text that is neither a city nor a time.
zone-unknown = We don’t know that city or time.
# The time zone is stored.
# $zone (Kyiv): a city, or UTC+3
zone-noted = Time zone: { $zone }
# Heading of a warning of unpleasant content, before the first question.
warning = Before you begin
# Below the warning.
warning-leave = You can decline. Nothing else will change.
# Button, at most 20 characters: below the warning; somebody does not want to see such content.
decline-warning = I’d rather not
# After the button “Rather not”.
warning-declined = All right, you will not see them. If you change your mind, send /start.
# Button, at most 20 characters: to the next screen.
go-on = Go on
# Button, at most 20 characters: to the first question of a project.
begin = Begin
# Heading of examples of good answers, after ✅.
examples-good = Good
# Heading of examples of bad answers, after ❌.
examples-bad = Not good

## A question on the screen

# Above each message of a text that needs several.
# $number (2): which part
# $of (3): of how many
part = Part { $number } of { $of }
# In place of the words that are left out of a text, in square brackets.
gap = GAP
# In the place of a picture: above the question in the chat, and for screen readers on the answer page.
# $number (1): number of the picture in the question
picture = Picture { $number }
# In the line above a question, in small letters: it is for training.
stage-training = training
# In the line above a question, in small letters: it belongs to the test.
stage-qualification = test
# In the line above an item, where items come in pages.
# $page (2): number of the page
# $place (3): number of the item on the page
page = page { $page }, item { $place }
# In the list of projects, after the title.
# $left (5): how many questions are left for this annotator
left = { $left ->
    [one] { $left } question left
   *[other] { $left } questions left
}
# Between two pages of questions.
# $page (2): number of the page that is done
page-over = Page { $page } is done. A good moment for a break: /pause
# Below a list of very many options.
type-a-number = There are too many options for buttons: send the number of your answer.
# Below a long scale, some of whose points have buttons.
# $low ("0"): the lowest point
# $high ("100"): the highest point
type-a-point = Tap a number, or send any from { $low } to { $high }.
# The refusal of an answer that is not on the scale.
# $low ("0"): the lowest point
# $high ("100"): the highest point
number-outside = Answer with a number from { $low } to { $high }.
# Button, at most 20 characters: takes the ticked boxes as the answer.
done = Done
# Button, at most 20 characters: takes the answer that no box is ticked.
none-of-them = None of these
# Button, at most 20 characters: leaves a question without an answer where that is allowed; also shown as the answer
# then.
leave-open = No answer
# Button, at most 20 characters: below a question.
skip = Skip
# Button, at most 20 characters: reports that something is wrong with a question.
report = Problem
# Button, at most 20 characters: asks the organisers.
ask = Ask
# Button, at most 20 characters: shows the instructions again.
task = Task
# Button, at most 20 characters: stops for now.
pause = Pause
# Button, at most 20 characters: an answer that was to be changed stays.
keep = Leave it as it was
# Button, at most 20 characters: one step back; the sign ‹ is before the word.
back = ‹ Back
# Button, at most 20 characters: below a stored answer, to change it.
undo = Change
# Button, at most 20 characters: to type a reason that is not on a button.
in-my-words = In my own words

## Comparing texts

# Button, at most 20 characters: of texts to compare, the one under this letter is better; neuter, where the question
# asks so or not at all.
# $letter (A): the letter of the text
side-better-neuter = { $letter } is better
# Button, at most 20 characters: the same, where the question asks for a masculine noun.
# $letter (A): the letter of the text
side-better-masculine = { $letter } is better
# Button, at most 20 characters: the same, where the question asks for a feminine noun.
# $letter (A): the letter of the text
side-better-feminine = { $letter } is better
# Said to a typed text that does not name one of the texts to compare.
# $answers (A, B, tie): what may be typed
side-please = It is not clear which one you mean. Type one of these: { $answers }. Or tap a button.
# Below long texts to compare: a reply that leads back to the first of them.
way-up = ↑ Tap the quote above this line to go back to the beginning.

## Parts of a text

# Asks where the part of the text is that answers the question. The sentences are numbered.
span-sentence = Which sentence? Tap its number, or type the words yourself.
# Asks for the first word of the part, in a list of words.
span-first = Which word does it begin with?
# Asks for the last word of the part.
# $first (the): the first word
span-last = Which word does it end with? It begins with “{ $first }”.
# The typed words are in the text several times, in a list of places.
span-match = These words are in the text more than once. Which place?
# Below the chosen part of the text, with buttons to save it or to move its ends.
span-confirm = If this is right, save it. If not, add or drop a word at either end.
# Said when the text has no word.
span-empty = There are no words to mark here.
# Above the text, where several parts may be marked.
# $parts (“river”, “old bridge”): the parts marked so far
span-kept = Marked so far: { $parts }
# One of the parts marked so far, or a typed answer, in the quotation marks of the language.
# $part (old bridge): words of the text, or the answer
span-part = “{ $part }”
# Button, at most 20 characters: the marked parts are the answer.
span-save = Save
# Button, at most 24 characters: to mark one more part.
span-add = One more part
# Button, at most 24 characters: to choose the part again.
span-change = Choose again
# Button, at most 24 characters: the part just chosen is not marked; others stay.
span-remove = Remove this one
# Button, at most 16 characters: the part begins one word earlier.
span-start-back = ← + word
# Button, at most 16 characters: the part ends one word later.
span-end-on = + word →
# Button, at most 16 characters: drops the first word of the part.
span-start-on = − first
# Button, at most 16 characters: drops the last word of the part.
span-end-back = − last
# Said to typed words that are not in the text.
span-not-found = Those words are not in the text. Copy them from it, or tap a number.
# Said where the chosen words overlap with a part marked before.
span-overlaps = Those words are already marked. Choose others.
# Short notice over the chat, at most 200 characters: a tap on an old button.
span-moved = The screen has changed. Please tap again.

## The second look: the right answer on the screen

# In the line above a question, in small letters: it is shown a second time, with the right answer.
second-pass = now with the right answer
# On the second look, below the item: the options from which the annotator chose at first.
# $options (a poem · a fable): the options, in one line or one below the other
second-options = Options: { $options }
# On the second look: what the annotator answered at first.
# $answer (a poem): their answer
second-first = Your answer: { $answer }
# On the second look: the right answer, below the annotator’s own.
# $answer (a fable): the right answer
second-gold = The right one: { $answer }
# On the second look: the annotator’s answer was right.
# $answer (a fable): the answer
second-right = You were right: { $answer }
# Button, at most 24 characters: nothing is wrong with this item; one tap for all of its questions.
second-none = No problems

## An answer in one’s own words

# Above a typed answer that is not saved yet, with the buttons “Save” and “Fix”.
text-preview = Check it and save:
# Below a typed answer to a question for a number.
# $number (3.5): the number that was understood
text-number = We will count this as the number { $number }.
# Button, at most 20 characters: saves a typed answer.
text-save = Save
# Button, at most 20 characters: to change a typed answer before it is saved.
text-fix = Edit
# After the button “Edit”.
text-type-again = Edit your message with the answer, or send the answer again.
# Said to a typed answer that is too long.
# $length (2500): how many characters it has
# $most (2000): how many there may be
text-too-long = That is { $length } characters; there is room for { $most }. Please send a shorter answer.
# Telegram cuts a very long message in parts, and one of them came late.
text-in-parts = The rest of your long text came too late, so it was not taken as an answer. Please send the whole text again, shorter, in a single message.
# Said to a typed answer that is too short.
# $least (20): how many characters are needed
text-too-short = That is too short: please write at least { $least ->
    [one] { $least } character
   *[other] { $least } characters
} and send it again.
# Said to words where the answer is a number. Write the decimal as people write it in the language.
text-no-number = The answer here is a number. Write it in digits, with no other words: 34 or 3.5, for example.

## Correcting a text

# Heading above one paragraph of a text to be corrected.
# $number (2): which paragraph
# $total (5): of how many
correction-paragraph = Paragraph { $number } of { $total }
# Below a paragraph to be corrected; it names the button “No changes”.
correction-hint = Tap the text to copy it, correct it and send it. If nothing is wrong, tap “No changes”.
# Below a paragraph that was corrected, to correct it once more.
correction-hint-again = Tap the text to copy it, change it and send it again.
# Button, at most 24 characters: the paragraph stays as it is.
correction-accept = No changes
# Button, at most 24 characters: the correction made before stays as it is.
correction-keep = Keep it
# Button, at most 24 characters: the paragraph becomes the original one again.
correction-reset = Back to the original
# Button, at most 24 characters: back to a paragraph; the sign ‹ comes first.
# $number (2): which paragraph
correction-back = ‹ Paragraph { $number }
# Above the correction of a paragraph, with the changes marked.
# $number (2): which paragraph
correction-latest = Paragraph { $number }, your correction:
# A paragraph without changes.
# $number (2): which paragraph
correction-same = Paragraph { $number }: no changes.
# The sent text has little in common with the paragraph, which may be a mistake.
correction-doubt = Almost everything is different here. Replace the paragraph with this text?
# Button, at most 24 characters: the sent text replaces the paragraph.
correction-replace = Yes, replace it
# Button, at most 20 characters: the sent text does not replace the paragraph.
correction-reject = No
# At the end of a text to be corrected: nothing was changed.
correction-nothing = You have seen the whole text and changed nothing.
# At the end of a text to be corrected; a text of one paragraph has a sentence of its own.
# $total (5): how many paragraphs the text has
# $count (2): how many were changed
# $list (2, 4): their numbers
correction-summary = { $total ->
    [1] You have seen the whole text and corrected it.
   *[other] You have seen the whole text and corrected { $count ->
        [1] paragraph
       *[other] paragraphs
    } { $list } of { $total }.
}
# Below the summary, with a button for each changed paragraph.
correction-again = To go back to a paragraph, tap its number.
# After going back from the summary, with a button for each paragraph.
correction-choose = You have seen the whole text. To change a paragraph, tap its number.
# Said to a text that is too long for a paragraph.
correction-too-long = That is too long for one paragraph. Please send a shorter one, in a single message.
# Said where a text without changes is not an answer.
correction-must-change = Something needs correcting here. Tap the number of a paragraph; if nothing is wrong, skip the question.
# Somebody edited a message of theirs whose text is already saved.
correction-edited = This text is already saved. To change it, tap “Change” below it.
# The answer in short: no changes were made; in small letters.
correction-unchanged = no changes
# The answer in short: a text of one paragraph was corrected; in small letters.
correction-done = corrected
# The answer in short: how many paragraphs were corrected; in small letters.
# $count (2): how many
correction-count = { $count ->
    [one] { $count } paragraph corrected
   *[other] { $count } paragraphs corrected
}

## Too long for a phone

# Above an item that is very long.
# $messages (6): how many messages it takes
# $address (https://example.org/projects/7): where Label Studio is
long-item = This question is long: it takes { $messages } messages. It is easier at a computer, in Label Studio, where your batch is waiting: { $address }
# Button, at most 40 characters: the item goes to Label Studio, where it is easier at a computer.
long-move = I’ll do it in Label Studio
# After that button.
long-moved = All right. We have moved this question to Label Studio. It will appear in your batch when the batch is next filled up.

## After a tap

# Short notice over the chat, at most 200 characters.
saved = Saved
# Short notice over the chat, at most 200 characters: a second tap on the same button.
saved-already = This is already saved
# Short notice over the chat, at most 200 characters: a tap on another button of a question that was answered.
# $answer (a fable): the stored answer
answered-already = You have already answered: “{ $answer }”. You can change it above.
# Short notice over the chat, at most 200 characters: a tap on a button of an old message; the current screen
# follows.
stale = That question is closed. Here is where you are.
# Short notice over the chat, at most 200 characters: the answer cannot be taken; the current screen follows.
not-taken = That answer does not fit here. Here is where you are.
# Said to a typed text that is none of the buttons.
tap-please = Tap a button, or type what it says.
# Said to a typed text that is none of the answers offered.
choose-shown = There is no such answer here. Tap a button, or type what it says.
# Below “Tap a button, or type what it says.”: four other things to do, as commands.
or-commands = Or: /skip to skip it, /problem to report it, /pause to stop for now, /help for everything else.
# Said to somebody who typed thanks; nothing else follows.
thanks-back = Thank you for being here!
# Below a typed text that may be an answer or a wish, such as “back”: which of them is it? The buttons “It is my answer”
# and “Back” are below.
word-or-answer = Is this your answer, or would you like to do something else?
# Button, at most 20 characters: the typed word is an answer.
is-my-answer = It is my answer
# Said to a number with other words, such as “34 years”.
# $number (34): the number in it
digits-only = Just the number in digits, please: { $number }
# Somebody went back from the first question about themselves.
profile-later = No rush. When you are ready, send /start.
# Somebody typed “back”, and there is no step before.
nothing-before = There is nothing to go back to here.
# Somebody typed a text where nothing was asked; the current screen follows.
only-read = The last message was not a question, so this was not saved. Here is where you are.
# Somebody typed a text, but the last message asked something else; the current screen follows.
only-above = The last question was about something else, so nothing was saved. Here is where you are.
# A text was sent before the question that it seems to answer was shown.
sent-too-early = You sent this before the question appeared, so it was not taken as an answer. Please answer what you see now.
# Somebody replied to a message that asks nothing.
reply-unknown = That message is not a question. Nothing was saved. /start shows what comes next.
# Somebody replied to a finished task that has several questions; it names the button “Change”.
reply-several = This task has several questions: to change an answer, tap “Change” below it. /start shows the current question.
# After an answer was changed by a reply.
answer-changed = Your answer has been changed.
# Short notice over the chat, at most 200 characters: too few boxes are ticked.
# $least (2): how many are needed
choose-at-least = Tick { $least } or more
# Short notice over the chat, at most 200 characters: too many boxes are ticked.
# $most (3): how many there may be
choose-at-most = Tick at most { $most }
# Short notice over the chat, at most 200 characters: nothing is answered yet; it names the button “Skip”.
answer-or-skip = Give an answer, or tap “Skip”
# Short notice over the chat, at most 200 characters: an answer can be changed now.
undo-open = Choose another answer
# Short notice over the chat, at most 200 characters: an answer can no longer be changed.
undo-closed = This answer can no longer be changed: you have seen a related question since, or this stage or the project is over.
# An answer that can no longer be changed: it was in training, where the right one is shown.
undo-training = You have already seen the right answer here, so yours can no longer be changed.
# Short notice over the chat, at most 200 characters: an answer stays as it was.
kept = Left as it was
# Below an answer that came after the question was closed.
extra = Thank you! This question was closed in the meantime, so your answer is stored separately.
# In training: the answer was right.
right = Right!
# In training: the answer was wrong.
# $gold (a fable): the right answer
wrong = The right answer is: { $gold }
# In training: an answer in own words, which is not called right or wrong.
# $gold (Because it rained.): the expected answer
for-comparison = The expected answer: { $gold }

## Skip, report, ask

# After the button “Skip”, with reasons on buttons.
skip-why = Why skip it?
# Button, at most 40 characters: a reason to skip.
skip-unsure = I do not know the answer
# Button, at most 40 characters: a reason to skip.
skip-unclear = I do not understand it
# Button, at most 40 characters: a reason to skip.
skip-unpleasant = I find it unpleasant
# Button, at most 40 characters: a reason to skip.
skip-broken = Something is wrong with it
# After the button “In my own words”.
skip-type = Why are you skipping this question? Type a few words.
# Short notice over the chat, at most 200 characters.
skipped = Skipped
# In place of a skipped question.
# $number (12): number of the question
skipped-mark = ⏭ { $number } · skipped
# After the button “Problem”, with problems on buttons.
report-why = What is wrong?
# Button, at most 40 characters: a problem of the question.
report-two-right = Several answers are right
# Button, at most 40 characters: a problem of the question.
report-none-right = No answer is right
# Button, at most 40 characters: a problem of the question.
report-unknowable = The text does not say
# Button, at most 40 characters: a problem of the question.
report-bad-language = Mistakes in the language
# Button, at most 40 characters: a problem of the question.
report-same-options = Options are the same
# After the button “In my own words”.
report-type = What is wrong with this question? Type a few words.
# Short notice over the chat, at most 200 characters: the problem is passed on.
reported = Thank you, the organisers will look at it. You can still answer.
# After /ask.
ask-type = Type your question to the organisers in one message.
# A question to the organisers is passed on.
asked = We have passed on your question. The answer will come here.
# A question to the organisers that is empty or too long.
# $most (1000): how many characters there may be
ask-too-long = The question is empty or too long. Type between one word and { $most } characters.
# Too many questions to the organisers.
# $most (10): how many there may be in a day
ask-enough = We pass on at most { $most } questions a day, so this one was not sent. Please send it tomorrow.
# Heading of an answer of the organisers.
answered = The organisers have answered

## Answers that organisers reviewed

# Heading: organisers looked at an answer and do not accept it.
# $project (Folk tales): the title of the project
review-rejected = “{ $project }”: one of your answers was not accepted
# Why an answer was not accepted.
# $reason (off topic): the reason of the organisers
review-reason = Why: { $reason }
# What follows when an answer was not accepted.
review-what-follows = Somebody else will get this question; you can go on as before. If you disagree, write: /ask
# Below a rejected answer, in a project that pays.
review-paid = You will still be paid for this answer.
# Below a rejected answer, in a project that pays.
review-unpaid = Answers that are not accepted are not paid.
# Heading: organisers reversed the rejection of an answer.
# $project (Folk tales): the title of the project
review-taken-back = “{ $project }”: the decision on your answer was reversed
# Below that heading.
review-counts-again = It counts again. Sorry for the confusion.

## Why there is no question now

# The project takes people with other facts about themselves.
# $project (Folk tales): the title of the project
not-admitted = Sorry, “{ $project }” is inviting other people this time. Thank you for offering to help!
# The project is paused.
# $project (Folk tales): the title of the project
not-running = “{ $project }” is paused at the moment. Your answers are saved.
# The organisers have stopped somebody in all projects.
suspended = The organisers have suspended your participation. If that is a mistake, write to them: /ask
# A quality rule has stopped somebody in one project.
# $project (Folk tales): the title of the project
paused-by-rule = Your participation in “{ $project }” has been paused. The organisers will look at your answers; you can ask them: /ask
# The organisers have excluded somebody from one project.
# $project (Folk tales): the title of the project
excluded = You no longer take part in “{ $project }”. To ask why: /ask
# Somebody has not passed the test, and there is no further attempt.
# $project (Folk tales): the title of the project
failed = “{ $project }”: you have used all your attempts. Thank you for trying!
# Somebody has not passed the test, and may try again later.
# $project (Folk tales): the title of the project
# $until (on 5 May at 14:30): when, as `moment`, `in-minutes` or `in-hours` says it
cool-down = Your next attempt in “{ $project }” opens { $until }.
# Somebody is back in a project that they have left.
# $project (Folk tales): the title of the project
withdrawn = You have left “{ $project }”. Thank you for your time!
# The next question is not found at once; a button “Go on” is below.
searching = Looking for a question for you, one moment please.
# Above a short question about the tools that somebody used when they last worked.
sitting-over = One quick thing about last time:
# The same question at the end of a work session.
sitting-ends = One last quick thing:
# After “opens” or “come”: a time that is near.
# $minutes (20): how many minutes
in-minutes = in { $minutes } min
# After “opens” or “come”: a time that is near.
# $hours (3): how many hours
in-hours = in { $hours } h
# A month as it is written in a date.
# $month (5): its number
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
# After “opens” or “come”: a day and a time.
# $day (5): day of the month
# $month (May): the month, from `month-name`
# $time (14:30): the time
# $zone (Kyiv): the time zone, as a city or like UTC+3
moment = on { $day } { $month } at { $time } ({ $zone })
# A day with its year.
# $day (5): day of the month
# $month (May): the month, from `month-name`
# $year ("2027"): the year
date = { $day } { $month } { $year }

## Your rights

# Above the file with everything that is stored about somebody.
mydata = Everything we store about you.
# Heading of the card /mydata.
mydata-heading = What we know about you
# On the card /mydata.
# $language (English): the name of the language that the bot speaks
mydata-telegram = Your Telegram number, without your name. Language: { $language }
# On the card /mydata of somebody who answers on the page without Telegram.
# $language (English): the name of the language that the bot speaks
mydata-page = A random number, which your personal code contains. Language: { $language }
# On the card /mydata, for each project.
# $project (Folk tales): its title
# $date (5 May 2027): since when
# $answers (40): answers given
# $skipped (2): questions skipped
mydata-project = “{ $project }”: you joined on { $date }, answered: { $answers }, skipped: { $skipped }
# On the card /mydata.
# $version (1): version of the text
# $date (5 May 2027): when it was agreed to
mydata-consent = Consent (version { $version }): { $date }
# On the card /mydata.
# $version (1): version of the text
# $date (5 May 2027): when the consent was taken back
mydata-consent-withdrawn = Consent (version { $version }): withdrawn on { $date }
# On the card /mydata.
# $count (2): how many questions were sent to the organisers
mydata-questions = Questions to the organisers: { $count }
# On the card /mydata.
mydata-reminders = Reminders: on. To change that: /reminders
# On the card /mydata.
mydata-news = You asked us to write when there are questions for you. To change that: /reminders
# On the card /mydata, above what somebody told about themselves.
mydata-profile = What you told us about yourself (tap a button to correct it):
# At the end of the card /mydata.
mydata-rights = The file above has all the details. Leave a project: /withdraw; erase everything: /forget
# The file was asked for again too soon.
# $minutes (20): in how many minutes it can be asked for
mydata-again = You got the file a short while ago. You can ask for another one in { $minutes } min.
# After /withdraw, with projects on buttons.
withdraw-which = Which project would you like to leave?
# After /withdraw, where there is no project.
withdraw-nothing = You are not taking part in any project.
# Asks whether somebody really wants to leave.
# $project (Folk tales): the title of the project
withdraw-sure = Leave “{ $project }”? None of your answers there will count any more. This cannot be undone.
# Button, at most 20 characters: leaves the project.
withdraw-yes = Yes, leave
# Somebody has left a project.
# $answers (40): how many answers no longer count
# $project (Folk tales): the title of the project
withdrawn-now = { $answers ->
    [one] You have left “{ $project }”; { $answers } answer no longer counts.
   *[other] You have left “{ $project }”; { $answers } answers no longer count.
}
# Button, at most 20 characters: does not leave the project.
stay = No, I’ll stay
# After that button.
stays = All right, everything stays as it was.
# Asks whether everything about somebody shall be erased.
forget-sure = Forget you in all projects? Your answers, your messages and everything we know about you will be erased. This cannot be undone. Only a mark without your name or number stays: if you return, suspensions, failed tests and projects you left still apply. We cannot erase what is already published.
# Button, at most 20 characters: erases everything.
forget-yes = Yes, forget me
# Everything is erased.
forgotten = Done: we have forgotten you. Thank you for everything. Only you can clear this chat. To come back: /start

## What the bot does not do

# Somebody who began in another bot of ours writes to this one.
# $link (https://t.me/hromada_bot): the other bot
other-bot = You already answer in another bot. It knows where you stopped: { $link }
# The same, if the name of the other bot is not known.
other-bot-unnamed = You already answer in another bot. Go back to its chat: it knows where you stopped.
# Short notice over the chat, at most 200 characters: the bot was called in a group.
only-private = This bot only works in private chats: open its profile and press “Start”.
# Said to a photo, a voice message or a file.
only-text = We can only read text.
# Somebody edited a message that they had sent; it names the button “Change”.
edited = We do not read edited messages. To correct an answer, tap “Change” below it.
# Said to a command that the bot does not have.
unknown-command = There is no such command. All commands: /help
# Somebody sent very many messages in a minute.
flooded = Too many messages in a minute, so some were not read. Please wait a minute, then go on.
# Above the list of commands.
help = What you can do here:

## When something goes wrong

# An error of the program.
# $code (K7F3): what the organisers need to find it
trouble = Something broke on our side, sorry. Every answer marked ✓ is saved. Send /start to go on. Code for the organisers: { $code }
# The database does not answer.
busy = We cannot save your answer right now. Please try again in a minute: send /start.

## The menu of commands

# In the menu of commands, at most 256 characters.
command-start = Go on where you stopped
# In the menu of commands, at most 256 characters.
command-projects = Choose a project
# In the menu of commands, at most 256 characters.
command-task = Show the task again
# In the menu of commands, at most 256 characters.
command-ask = Ask the organisers
# In the menu of commands, at most 256 characters.
command-pause = Stop for today
# In the menu of commands, at most 256 characters.
command-reminders = When the bot writes first
# In the menu of commands, at most 256 characters.
command-language = Change the language
# In the menu of commands, at most 256 characters.
command-mydata = See and correct your data
# In the menu of commands, at most 256 characters.
command-withdraw = Leave a project
# In the menu of commands, at most 256 characters.
command-forget = Erase everything about me
# In the menu of commands, at most 256 characters.
command-help = All commands

## About the bot

# In the empty chat, before somebody begins, at most 512 characters.
bot-description = Here people answer the same questions as language models, so that the two can be compared. One tap is one answer, and you can stop at any time. If the organisers sent you a link, open it: it is your invitation. Everything we know about you: /mydata; leave a project: /withdraw; erase everything: /forget.
# In the profile of the bot, at most 120 characters.
bot-about = Questions that both people and language models answer.

## The card of a question

# In the line above a question: how far the annotator is.
# $number (12): this question
# $total (40): of how many
own-count = { $number } of { $total }
# In the line above a question: how far everybody is.
# $answered (120): answers that there are
# $wanted (480): answers that are wanted
shared-count = everyone: { $answered } of { $wanted }
# Button, at most 20 characters: shows the buttons that are used less.
more = ⋯
# Button, at most 20 characters: below a skipped question, to answer it after all.
undo-skip = Bring back
# An item with several questions was answered: asks which of the answers is to change.
which-answer = Which answer would you like to change?
# On the first card of a programme of several data sets, within the sentence below.
# $items (290): about how many items, rounded
journey-items = { $items ->
    [one] { $items } question
   *[other] { $items } questions
}
# On the first card of a programme of several data sets: how much there is to do.
# $items (290 questions): as `journey-items` says it
journey-ahead = About { $items }, in as many sessions as you like.
# The same where it is known how long it takes.
# $items (290 questions): as `journey-items` says it
# $minutes (50): about how many minutes all of it takes, rounded
journey-ahead-minutes = About { $items }, some { $minutes } min in all, in as many sessions as you like.
# Above the first item of a second or later attempt at the training or the test.
# $attempt (2): which attempt
# $attempts (2): how many there are
attempt-again = This is attempt { $attempt } of { $attempts }.
# In training: the marked part is not quite the right one. Both have the quotation marks of the language.
# $gold (“Anna from Riga”): the right part
# $answer (“Riga”): the annotator’s part
wrong-nearly = Nearly: { $gold }, not { $answer }
# In training, in brackets behind one of several answers that is wrong, in small letters.
# $gold (a fable): the right answer
right-value = correct: { $gold }
# On the card before the training.
# $total (5): how many items
training-rules = Training: { $total ->
    [one] { $total } question
   *[other] { $total } questions
}. After each answer you will see whether it is right.
# On the card before the test.
# $total (10): how many items
qualification-rules = Test: { $total ->
    [one] { $total } question
   *[other] { $total } questions
}. You will see the result at the end.
# On the card before the training or the test.
# $needed (8): how many answers must be right
pass-mark = To go on you need at least { $needed ->
    [one] { $needed } right answer
   *[other] { $needed } right answers
}.
# Within the four sentences below, in small letters.
# $right (7): how many answers were right
# $of (10): of how many
# $needed (8): how many were needed
result = { $right } of { $of } answers right (at least { $needed } needed)
# After the last question of a training without a pass mark.
training-over = The training is over, thank you!
# After the last question of the training.
# $result (7 of 10 answers right (at least 6 needed)): as `result` says it
training-passed = You have passed the training: { $result }.
# After the last question of a test without a pass mark.
qualification-over = The test is over, thank you!
# After the last question of the test.
# $result (9 of 10 answers right (at least 8 needed)): as `result` says it
qualification-passed = You have passed the test, congratulations: { $result }.
# The training or the test was not passed; there is another attempt.
# $result (7 of 10 answers right (at least 8 needed)): as `result` says it
failed-retry = Not this time: { $result }. Read the task again (/task) and give it another try.
# The training or the test was not passed.
# $result (7 of 10 answers right (at least 8 needed)): as `result` says it
failed-now = Not this time: { $result }.
# After the training or the test: now the answers count.
main-begins = Now for the real questions.
# In the menu of commands, at most 256 characters.
command-skip = Skip the question
# In the menu of commands, at most 256 characters.
command-problem = Report a problem with the question

## What is right: disputed items

# In the menu of commands of people who decide on items about which others disagree, at most 256 characters.
command-adjudicate = Decide on disputed items
# For those who decide: in the line above an item.
# $left (12): how many items wait
case-left = { $left } waiting
# For those who decide: the question under an item, above the answers that people gave.
case-which = Which answer is right?
# For those who decide: after an answer.
# $count (3): how many people gave it
case-votes = { $count ->
    [one] { $count } vote
   *[other] { $count } votes
}
# For those who decide: why the item is shown.
# $reasons (the votes tie): one or more of the four below, with commas
case-why = Why it is here: { $reasons }.
# For those who decide: a reason, in small letters.
case-tie = the votes are tied
# For those who decide: a reason, in small letters.
case-low-confidence = the votes differ a lot
# For those who decide: a reason, in small letters.
case-rule-conflict = the majority depends on answers that a quality rule flagged
# For those who decide: a reason, in small letters.
case-report = a problem was reported
# For those who decide: what was reported.
# $report (Mistakes in the language): the problem
case-reported = Reported: { $report }
# Button, at most 24 characters, for those who decide: several answers are right.
case-several = Several are right
# For those who decide: after that button.
case-tick = Tick all that are right. The one you tick first is the main answer.
# For those who decide: below the ticked answers.
# $answer (a fable): the answer ticked first
case-main = Main answer: { $answer }
# Button, at most 20 characters, for those who decide: the item itself is at fault.
case-broken = Faulty
# For those who decide: after that button.
case-broken-why = What is wrong with this item? Write a few words.
# For those who decide: what they wrote there has no letter or digit, such as "-".
case-no-comment = That has no words, so the item is not marked as faulty. The case is shown again.
# For those who decide: in place of the item.
# $comment (no question in it): what they wrote
case-broken-mark = ✗ Faulty: { $comment }
# Button, at most 20 characters, for those who decide: the item comes again later.
case-later = Later
# For those who decide: in place of the item.
case-later-mark = ⏭ Left for later
# For those who decide: after “Later”, where nothing else waits.
case-only-one = Nothing else is waiting: this is the last one.
# Button, at most 20 characters, for those who decide.
case-stop = Stop
# For those who decide: after that button.
case-stopped = Thank you! Everything you decided is saved. To go on: /adjudicate
# For those who decide: a decision was undone.
case-undone = ↩ The decision is undone. The item is below.
# For those who decide: nothing waits.
case-nothing = Nothing is waiting for your decision, thank you! New disputed items appear as answers come in. Check again: /adjudicate
# For those who decide: items wait.
case-offer = There are disputed items: say which answer is right.
# Button, at most 20 characters, for those who decide: shows the first item.
case-begin = Decide
# Between two questions, after a round number.
# $number (100): how many items the annotator has done
remark-milestone = 🎉 That makes { $number } questions. Thank you!
# Between two questions, at half of the work.
# $number (60): how many items the annotator has done
remark-halfway = 🎉 Halfway there: { $number } questions so far. Thank you!
# Between two questions, after a long time of work.
# $number (45): for how many minutes
remark-break = ☕ You have been at it for { $number } minutes. Have a break: the questions will wait.
# Between two questions, late in the evening.
remark-night = 🌙 It is late. The questions will wait until tomorrow.

## How many now, and how far

# Asks for the size of a work session, with numbers on buttons.
session-how-many = How many questions would you like to do now? You will see a summary after the last one, and can stop there.
# Above that question, where a session has begun.
# $done (7): items done
# $goal (20): items wanted
session-under-way = So far { $done } of { $goal } this time.
# Button, at most 20 characters: a session of few items.
# $number (5): how many
session-only = Just { $number }
# Button, at most 20 characters: more items after a session.
# $number (20): how many
session-more = { $number } more
# Button, at most 20 characters: a session without an end.
session-endless = No limit
# Short notice over the chat, at most 200 characters.
# $number (20): size of the session
session-chosen = { $number ->
    [one] { $number } question, then a summary
   *[other] { $number } questions, then a summary
}
# Heading of the summary of a session.
# $number (20): items done
# $minutes (12): in how many minutes
session-over = 🏁 { $number ->
    [one] { $number } question
   *[other] { $number } questions
} in { $minutes } min
# In the summary of a session.
# $seconds (35): the usual time for an item
session-seconds = Typically { $seconds } s per question.
# In the summary of a session.
# $minutes (3): the usual time for an item
session-minutes = Typically { $minutes } min per question.
# In the list /progress, after the title of a project, in small letters.
progress-nothing = no questions for you
# In the list /progress, after the title of a project that is paused, in small letters.
progress-paused = paused
# In the list /progress, after the title of a project that is over, in small letters.
progress-closed = over
# In the list /progress, after the title of a project where the annotator was stopped, in small letters.
progress-stopped = participation stopped
# In the list /progress, after the title of a project whose training or test the annotator did not pass, in small
# letters.
progress-failed = not passed
# In the menu of commands, at most 256 characters.
command-progress = See how far you are
# In the menu of commands, at most 256 characters.
command-session = Choose how many questions now

## The card at a pause and at an end

# Heading of the card at the end: nothing is left for this annotator.
card-end = 🏁 That is all there was for you. Thank you!
# Heading of that card where the projects are over.
card-closed = 🏁 Everything is over, thank you! A new project opens with a link from the organisers.
# Heading of that card where something is paused.
card-stopped = That is all for now, thank you! What is paused may open again.
# Heading of the card: somebody has done as much as one person may in a day, or in one go.
card-cap = That is enough for now, thank you!
# At the end of that card.
# $until (on 5 May at 00:00): when, as `moment`, `in-minutes` or `in-hours` says it
card-until = The next questions come { $until }.
# Heading of the card after /pause.
paused = Paused. Everything is saved.
# Heading of the card after /pause, where a question was begun.
paused-begun = Paused. What you began is saved: it will wait for you, unless others finish it first.
# Somebody has joined, and there is nothing to answer yet.
nothing-yet = There are no questions for you yet.
# On the card: how many items the annotator has done.
# $today (12): today
# $total (94): in all
card-own = Today: { $today } · in all: { $total }
# After that line: how many of the items in all were those of training and the test.
# $training (3): how many
card-own-training = (training and test: { $training })
# On the card: how many answers all annotators have given together, and how many of them are the annotator’s.
# $answered (480): how many there are
# $wanted (944): how many are wanted
# $own (94): how many the annotator gave
card-together = All of us together: { $answered } of { $wanted }, { $own } of them yours
# On the card: on how many days in a row the annotator has worked, 2 or more.
# $days (3): how many days
card-days = { $days ->
    [one] { $days } day in a row
   *[other] { $days } days in a row
}
# On the card and in /progress: what the annotator has earned so far.
# $amount (€12.50): the amount with its currency
earned = Earned so far: { $amount }
# On the task card of a project that pays.
# $amount (€10.00): the amount with its currency
pay-per-hour = Pay: { $amount } per hour of work.
# On the task card of a project that pays.
# $amount (€0.10): the amount with its currency
pay-per-item = Pay: { $amount } per answered item.
# Behind what a project pays.
pay-not-rejected = Answers that the organisers reject are not paid.
# Button, at most 24 characters: on the card, asks for one reminder.
remind-tomorrow = Remind me tomorrow
# After that button.
remind-tomorrow-noted = All right, we will remind you once tomorrow, in the daytime.
# On the card /reminders, where one reminder was asked for.
notices-promised = You have asked for one reminder tomorrow.
# Button, at most 24 characters: on the card, shows a link for friends.
invite-friend = Invite a friend
# Above a link that the annotator gives to friends.
# $left (3): how many of them can still use it
invite-link = { $left ->
    [one] Send this link to a friend. { $left } person can still use it:
   *[other] Send this link to friends. { $left } people can still use it:
}
# In place of that link, where everybody has come.
# $uses (3): how many friends came
invite-used-up = { $uses ->
    [one] Your friend has already come. Thank you!
   *[other] All { $uses } of your friends have already come. Thank you!
}

## What the bot writes first

# A reminder, to somebody who asked for reminders.
# $project (Folk tales): the title of the project
reminder = “{ $project }”: there are questions for you, whenever you feel like it.
# Below the last reminder, if the ones before had no effect.
reminder-last = If this one gets no answer either, we will not remind you again. To turn reminders on again: /reminders
# Button, at most 24 characters: below a reminder.
reminder-tomorrow = Tomorrow
# After that button.
reminder-tomorrow-noted = All right, until tomorrow.
# After the button “No more reminders”.
reminder-stop-noted = All right, no more reminders. To turn them on again: /reminders
# Sent once, when there are questions again.
# $project (Folk tales): the title of the project
news = “{ $project }”: there are questions for you again.
# Offered when there are no questions now.
news-offer = Shall we write to you once when there are questions for you? To check for yourself: /start
# Button, at most 24 characters: takes that offer.
news-tell = Yes, tell me
# After that button.
news-noted = We will write to you once, when there are questions for you.
# At the top of the card /reminders.
notices-about = We only message you first if you ask, and only in the daytime.
# On the card /reminders.
# $state (on): `notices-on` or `notices-off`
notices-reminders = Reminders: { $state }. They come when you have not been here for two days and there are questions for you, at most one in three days. After three without an answer they stop.
# On the card /reminders.
# $state (off): `notices-on` or `notices-off`
notices-new = New questions: { $state }. We write once, when there are questions for you again after there were none.
# After “Reminders:” and “New questions:”, in small letters.
notices-on = on
# After “Reminders:” and “New questions:”, in small letters.
notices-off = off
# Button, at most 32 characters: turns reminders on.
notices-remind = Remind me
# Button, at most 32 characters: turns reminders off.
notices-stop = No more reminders
# Button, at most 32 characters: turns news of new questions on.
notices-news = Tell me about new ones
# Button, at most 32 characters: turns news of new questions off.
notices-no-news = Don’t tell me about new ones
# Button, at most 32 characters: turns both off.
notices-nothing = Write nothing

# Heading of a message that the organisers send to everybody.
announcement = A message from the organisers
# Heading of a message that the organisers send to the people of one project.
# $project (Folk tales): the title of the project
announcement-of = “{ $project }”: a message from the organisers

## The answer page

# Button, at most 40 characters: under an item in the chat; it opens the answer page.
page-open = 📄 Open on a page
# In the menu of commands, at most 256 characters.
command-page = Open the question on a page
# Above the button page-open, after the command /page.
page-offer = On the page, long texts are easier to read and to correct.
# On the answer page, when its session is over.
page-again = Open the page from the chat again: this session is over. What you wrote stays here.
# On the answer page without Telegram, after the browser was signed out.
page-ended = You are signed out of this page. What you wrote stays in this browser. Continue with your code, or in Telegram if you went on there.
# On the answer page, before the item is there.
page-loading = Loading…
# On the answer page, when the server cannot be reached.
page-offline = No connection. What you wrote is kept on this device, and sent when the connection returns.
# On the answer page, when no item is in hand; “Go on” is the button go-on.
page-nothing = There is no question here now. Continue in the chat, or tap “Go on”.
# Status line of the answer page.
page-draft = Draft saved.
# Status line of the answer page, when it shows a draft again.
page-restored = Draft restored.
# Button, at most 40 characters: saves a correction without changes.
page-same = No changes
# Button, at most 40 characters: saves a correction; the page adds a colon and the number of changed places.
page-changes = Save
# Heading above the marked changes of a correction.
page-difference = What you changed
# Label for screen readers: the texts between which one chooses.
page-compared = Texts to compare
# Status line when an option was tapped before the other text was seen; that text is shown then.
page-other-first = Read this text too, and then choose.
# Status line after the first word of a part was tapped.
page-tap-last = Tap the last word, or drag an end.
# Label for screen readers of the button that removes a part, which follows in quotation marks.
page-remove = Remove
# Status line when another part is tapped and no more are allowed.
page-most = You cannot mark more parts.
# Status line when an empty field is saved.
page-empty = Nothing is entered yet.
# Status line when nothing is marked yet.
page-mark = Mark a part: tap its first word.
# Label for screen readers: the start of a part, before page-back or page-on.
page-start = Start
# Label for screen readers: the end of a part, before page-back or page-on.
page-end = End
# Label for screen readers: moves the start or end of a part by a word.
page-back = one word back
# Label for screen readers: moves the start or end of a part by a word.
page-on = one word on
# Status line when a correction has little of the original; the same button saves it.
page-little = Little of the text is left. To save it, tap again.
# Two devices have written different drafts.
page-conflict = There is a newer draft from another device.
# Button, at most 40 characters: take the draft of the other device.
page-theirs = Take the newer one
# Button, at most 40 characters: keep the draft of this device.
page-mine = Keep mine
# Label for screen readers of the field or bar for the answer.
page-answer = Your answer
# Label of the text of the item, where it is folded or marked.
page-text = Text
# Label for screen readers: a table of the item that is wider than the page, in a box that scrolls.
page-table = Table
# The same of code.
page-listing = Code
# The same of a formula.
page-formula = Formula
# Label for screen readers: a picture that fills the screen.
page-picture = Picture
# Label for screen readers: the button + under a picture that fills the screen.
page-larger = Enlarge
# Label for screen readers: the button − under a picture that fills the screen.
page-smaller = Make smaller
# Label for screen readers: the button ✕ under a picture that fills the screen.
page-close = Close
# Label for screen readers of the text area.
page-edited = The text that you correct
# Label for screen readers of the button that takes back the last tap on a word.
page-step-undo = Undo the last step
# What the bot said, read aloud as a heading.
page-told = Messages
# The label of the field for texts.
page-write = Write a message
# Button, at most 40 characters: sends the text in the field.
page-send = Send
# Heading above the commands of the chat.
page-menu = Menu
# Heading above the code, and a button that shows it.
page-code = Your personal code
# Below the personal code.
page-code-use = Keep it to yourself. With it you continue on another device, or here if this browser forgets you.
# The heading above the field for the personal code.
page-code-have = I already take part
# The label of that field.
page-code-own = Your personal code
# Button, at most 40 characters: next to the field for the personal code.
page-code-enter = Continue
# When the personal code is wrong, on the page or in Telegram.
page-code-unknown = This code is not known. Please check it.
# The heading of the page that a link opens.
page-join = You are invited
# The heading without an invitation.
page-join-none = Continue with your code
# Below the heading of the page that a link opens.
page-join-about = You answer questions here in the browser, without Telegram. No name, phone number or email is asked for. Before the first question you read what the project is about, and decide whether to take part.
# Button, at most 40 characters: joins.
page-join-now = Begin
# Label of a checkbox; a shared computer forgets when the browser closes.
page-remember = Remember me: this device is mine
# When too many strangers try codes in a minute.
page-busy = Too many people are joining right now. Please try again in a minute.
# The browser forgets who it is; nothing is deleted.
page-leave = Leave this device
# Link to Telegram, in the menu of the page.
page-move = Continue in Telegram
# Below the link to Telegram.
page-move-use = Do not forward this link: it opens your account.
# In Telegram, to somebody who answered on the page until now.
page-moved = You continue here now: all that you did is kept, and the page no longer knows you. /start
# Question in Telegram to somebody who takes part there too; the two accounts can be of two people with one phone.
page-unite-sure = You already take part here. Join your account from the page to this one? Do so only if both are yours. Your answers then count as one person’s: of two answers to one question the earlier counts. If you left a project or were excluded from it with one account, that holds for both. This cannot be undone.
# Button, at most 40 characters: joins the two accounts.
page-unite-yes = Yes, both are mine
# Button, at most 40 characters: leaves the two accounts as they are.
page-unite-no = No, keep them apart
# In Telegram, after the two accounts were joined.
page-united = Done: your two accounts are one now, and all that you did is kept. The page no longer knows you. /start
# In Telegram, instead of joining two accounts.
page-unite-refused = Both accounts have work in Label Studio, so they can’t be joined here. Please write to the organisers: /ask
