"""The command line: one file per verb, and here the door they share.

Exit status: 0 done and the answer is good; 1 done and the answer is no; 2 wrong usage or unreadable input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from sekisho.errors import FaultsError, InfeasibleError, SekishoError, SettingsError

VERBS = {
    "demo": "sekisho.cli.gate:demo",
    "gate": "sekisho.cli.gate:gate",
    "check": "sekisho.cli.check:check",
    "publish": "sekisho.cli.publish:publish",
    "utility": "sekisho.cli.utility:utility",
    "judge": "sekisho.cli.judge:judge",
    "threshold": "sekisho.cli.threshold:one",
    "thresholds": "sekisho.cli.threshold:many",
    "protect": "sekisho.cli.protect:app",
    "attack": "sekisho.cli.attack:app",
    "pick": "sekisho.cli.linkage:draw",
    "doubt": "sekisho.cli.doubt:doubt",
    "study": "sekisho.cli.study:study",
    "plan": "sekisho.cli.plan:app",
    "estimate": "sekisho.cli.estimate:estimate",
    "table": "sekisho.cli.table:app",
}
"""Each verb's function or app; it is imported when it is called, so that one verb does not wait for the others."""


INTERRUPTED = 130
"""The exit status of a command that was interrupted before it had an answer."""


class Verbs(TyperGroup):
    """The verbs, in the order of the work."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs' names."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one verb's command."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module, _, attribute = VERBS[cmd_name].partition(":")
        verb = getattr(import_module(module), attribute)
        if not isinstance(verb, typer.Typer):
            function, verb = verb, typer.Typer(add_completion=False, rich_markup_mode="markdown")
            verb.command(cmd_name)(function)
        command = typer.main.get_command(verb)
        command.name = cmd_name
        return command


app = typer.Typer(
    name="sekisho",
    cls=Verbs,
    help="Protect personal data, attack the result, prove or refute its safety, measure what is left.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.callback()(lambda: None)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status."""
    sys.exit(status_of(arguments))


def status_of(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status, having said on stderr in one sentence what was wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="sekisho")
    except SekishoError as error:
        typer.echo(f"sekisho: {error}", err=True)
        return _refused(error, as_json="--json" in given)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            typer.echo("sekisho: interrupted: there is no answer, and nothing was written", err=True)
        return leaving.code if isinstance(leaving.code, int) else 0
    except KeyboardInterrupt:
        typer.echo("sekisho: interrupted: there is no answer, and nothing was written", err=True)
        return INTERRUPTED
    return 0


def _refused(error: SekishoError, *, as_json: bool) -> int:
    if isinstance(error, InfeasibleError):
        return 1
    if not isinstance(error, FaultsError) or isinstance(error, SettingsError):
        return 2
    if as_json:
        answer = {"valid": False, "source": error.source, "errors": [fault.as_dict() for fault in error.faults]}
        typer.echo(json.dumps(answer, ensure_ascii=False))
    return 1
