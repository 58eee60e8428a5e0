"""`hromada label-studio`: work in Label Studio by trusted annotators."""

import typer

from bot.commands.label_studio import accounts, answers, batches

app = typer.Typer(help="Work in Label Studio, by people who may see everything there.", no_args_is_help=True)
for command in (accounts.doctor, accounts.link, batches.push, batches.move_items, answers.pull, answers.watch):
    app.command(command.__name__.replace("_", "-"))(command)
app.command("open")(batches.open_)
