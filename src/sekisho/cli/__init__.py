"""The command line: one file per verb, and here the door they share.

Exit status: 0 done and the answer is good; 1 done and the answer is no; 2 wrong usage or unreadable input.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
import typer

from sekisho.cli import threshold
from sekisho.errors import InfeasibleError, SekishoError

app = typer.Typer(
    name="sekisho",
    help="Protect personal data, attack the result, prove or refute its safety, measure what is left.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("threshold")(threshold.one)
app.command("thresholds")(threshold.many)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status."""
    sys.exit(status_of(arguments))


def status_of(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status, having said on stderr in one sentence what was wrong."""
    command = typer.main.get_command(app)
    try:
        status = command.main(
            args=None if arguments is None else list(arguments), prog_name="sekisho", standalone_mode=False
        )
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        click.echo(f"sekisho: {error.format_message()}", err=True)
        return 2
    except InfeasibleError as error:
        click.echo(f"sekisho: {error}", err=True)
        return 1
    except SekishoError as error:
        click.echo(f"sekisho: {error}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("sekisho: interrupted", err=True)
        return 130
    return status if isinstance(status, int) else 0
