"""`hromada people`: the annotators of a project, and decisions about one of them."""

import typer

from bot.commands.command_line import ListByDefault
from bot.commands.people import access, records

app = typer.Typer(
    cls=ListByDefault,
    help="List and manage annotators. `hromada people PROJECT` lists them.",
    no_args_is_help=True,
)
app.command("list")(records.list_)
for command in (
    access.suspend,
    access.unsuspend,
    access.readmit,
    access.release,
    records.team_member,
    records.add_reviewer,
    records.cohort,
    records.agree,
    records.pay,
    access.withdraw,
    access.forget,
    access.detach,
    records.data,
):
    takes_negative = {"ignore_unknown_options": command is records.pay}  # -360 is an amount there, not an option
    app.command(command.__name__.replace("_", "-"), context_settings=takes_negative)(command)
