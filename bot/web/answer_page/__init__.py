"""The answer page: items of the chat on a page inside Telegram, for what a chat does badly."""

from bot.web.answer_page.routes import AnswerPage

__all__ = ["AnswerPage"]
