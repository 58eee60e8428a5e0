"""`hromada label-studio`: work in Label Studio by trusted annotators."""

import typer

from bot.commands.command_line import CommandGroup
from bot.commands.label_studio import adoption, answers, batches, people, server

app = typer.Typer(
    cls=CommandGroup,
    help="Run long texts in Label Studio, for trusted people. They may see everything there.",
    no_args_is_help=True,
)
for command in (
    server.up,
    server.doctor,
    server.link,
    adoption.adopt,
    batches.push,
    batches.move_items,
    answers.pull,
    answers.watch,
    people.status,
    people.remind,
):
    app.command(command.__name__.replace("_", "-"))(command)
app.command("open")(batches.open_)
