"""The command line: one file per verb, and here the door they share.

Exit status: 0 done and the answer is good; 1 done and the answer is no; 2 wrong usage or unreadable input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import typer

from sekisho.cli import (
    attack,
    check,
    doubt,
    estimate,
    judge,
    linkage,
    plan,
    protect,
    publish,
    study,
    threshold,
    utility,
)
from sekisho.errors import FaultsError, InfeasibleError, SekishoError, SettingsError

app = typer.Typer(
    name="sekisho",
    help="Protect personal data, attack the result, prove or refute its safety, measure what is left.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("check")(check.check)
app.command("publish")(publish.publish)
app.command("pick")(linkage.draw)
app.command("doubt")(doubt.doubt)
app.command("utility")(utility.utility)
app.command("judge")(judge.judge)
app.add_typer(protect.app, name="protect")
app.add_typer(attack.app, name="attack")
app.command("study")(study.study)
app.add_typer(plan.app, name="plan")
app.command("estimate")(estimate.estimate)
app.command("threshold")(threshold.one)
app.command("thresholds")(threshold.many)


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
        return leaving.code if isinstance(leaving.code, int) else 0
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
