"""``sekisho contest``: a contest in a folder, from its rules to its standings."""

from __future__ import annotations

import typer

from sekisho.cli.contest import entries, live, results
from sekisho.cli.contest.classify import classify
from sekisho.cli.contest.evaluate import evaluate
from sekisho.cli.contest.faulted import requeue
from sekisho.cli.kit.choices import TYPER

app = typer.Typer(
    help="Run a contest in a folder: `sekisho contest new`, `open`, `submit`, `attack`, `standings`, and others.",
    no_args_is_help=True,
    **TYPER,
)
for name, command in {
    "new": live.new,
    "register": live.register,
    "open": live.open_phase,
    "close": live.close_phase,
    "announce": live.announce,
    "show": live.show,
    "submit": entries.submit,
    "attack": entries.attack,
    "practise": entries.practise,
    "standings": results.standings,
    "evaluate": evaluate,
    "classify": classify,
    "requeue": requeue,
    "rejudge": results.rejudge,
    "replay": results.replay,
    "export": results.export,
    "import": results.import_contest,
}.items():
    app.command(name)(command)
