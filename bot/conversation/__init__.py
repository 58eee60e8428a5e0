"""The conversation: what the bot answers to an update. It calls the workflow and returns Telegram calls to make later.

Words used here:

- *screen*: what an annotator sees next in the chat, in one or several messages: a question about the person, a task
  card, an item, the menu of projects, or the reason why there is no item. `navigation.show_current_screen` chooses it.
- *task card*: the screen with the instructions and examples of a project.
- *view*: a function of `views`, which renders results of the workflow as messages, without input or output.
- *message*: one message in the chat: `RenderedMessage` as a view returns it, `NewMessage` or `MessageEdit` as a call.
- *text*: a text of the Fluent files in `texts`, named by its id (`text_id`).
- *call*: a method of the Bot API with its data; handlers return calls, and `bot.delivery` makes them.
- *item message*: the message that shows an assignment with its buttons; it is edited while the item is answered.
"""
