"""The sentences of the item lint as patterns, as `reason_patterns` has those of computations."""

from __future__ import annotations

from exports.pages.translation import mark_text

LINT = (
    mark_text("error"),
    mark_text("warning"),
    mark_text("note"),
    mark_text("{n} groups have items in several pools, {m} items in all."),
    mark_text("{n} of {m} items share {k} texts in the field {field}, and no group is declared."),
    mark_text("The field {field} {predicate} in {n} of {m} items with gold ({name})."),
    mark_text("is the gold"),
    mark_text("is the place of the gold (counted from {base})"),
    mark_text("marks the gold among the options with {mark}"),
    mark_text("by chance in {share} of all sets"),
    mark_text("{n} of {m} items: {problem}."),
    mark_text("Gold is option {place} of {options} in {n} of {m} items ({reason})."),
    mark_text("{n} of {m} items have an option of {name} longer than {letters} characters; the longest has {most}."),
    mark_text("{n} of {m} items have more than {k} long options of {name}."),
    mark_text("{n} of {m} items are longer than a Telegram message; the longest has {most} UTF-16 units."),
    mark_text("{n} of {m} items repeat an earlier one."),
    mark_text("{n} of {m} items repeat an earlier one, {k} of them with another gold."),
    mark_text("{n} of {m} items have nothing to show."),
    mark_text("The field {field} is empty in {n} of {m} items."),
    mark_text("an item to choose on has fewer than two options"),
    mark_text("an option without text"),
    mark_text("an option that stands twice in one item"),
    mark_text("gold that nobody can choose"),
    mark_text("a word with both Latin and Cyrillic letters"),
    mark_text(
        "a single Latin letter that looks Cyrillic, between Cyrillic words (I and X, the numerals, are let pass)"
    ),
    mark_text("Fill the cell, or leave the row out."),
    mark_text("Add the others."),
    mark_text("Shorten the options, or take some out."),
    mark_text("Take it out, or write it."),
    mark_text("Change one of them."),
    mark_text("Write one of them, or leave the cell empty."),
    mark_text("Take the field out of what is shown."),
    mark_text("Move the whole group into one pool."),
    mark_text("Shuffle the options of each item with a recorded seed."),
    mark_text("Keep one of each, or give both the same group."),
    mark_text("Name the column of the story, article or word as `group`."),
    mark_text("Fill it, or leave the rows out."),
    mark_text("Type the word anew on one keyboard."),
    mark_text("Type the letter anew on the Cyrillic keyboard."),
    mark_text("Nothing needs to be done: the options are listed in the message, and the buttons carry letters."),
    mark_text("Nothing needs to be done: it is sent in several messages. A shorter text is easier to judge."),
    mark_text("Do not show it before the answer, here or in Label Studio, and mind it when you publish the items."),
)
"""What `annotation.campaigns.lint` finds, how serious it is, and what to do about it."""
