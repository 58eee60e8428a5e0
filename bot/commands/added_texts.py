"""What commands share that speak to annotators: the languages that HROMADA_TEXTS adds."""

from __future__ import annotations

from annotation.errors import BadInput, HromadaError, Where
from annotation.settings import read_file_settings
from bot.conversation import texts


def use_added_texts() -> None:
    """Read the Fluent files that HROMADA_TEXTS names, if any; raises BadInput with the file and line of every fault."""
    path = read_file_settings().texts
    try:
        texts.use_added_files(path)
    except HromadaError as failure:
        raise BadInput(
            "The texts of a further language cannot be used.",
            where=Where(field="HROMADA_TEXTS"),
            remedy="Correct them, see `hromada texts check FILE`, or leave the setting out:",
            others=failure.all_found,
        ) from None


def explain_missing_language(language: str) -> str | None:
    """A sentence where the bot does not speak the language of a project; None where it does."""
    if language in texts.list_languages():
        return None
    return (
        f"The bot does not speak {language}: its own words inside items are English, and annotators choose one of"
        f" {', '.join(texts.list_languages())}. To add the language: hromada texts new {language}."
    )
