"""The door that all verbs share: which verb is asked for, and what its end means.

What an exit status means is in ``sekisho.cli.kit.answer``, how a command says that it has no answer in
``sekisho.cli.kit.refusal``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from sekisho.cli.kit.answer import deliver_interruptions, start_uninterrupted
from sekisho.cli.kit.choices import TYPER, offer_language
from sekisho.cli.kit.language import settle_language, settle_settings
from sekisho.cli.kit.refusal import UsageError, admit_fault, refuse, refuse_usage, say_stopped
from sekisho.cli.kit.typed_call import TypedCall
from sekisho.errors import BugError, ParameterError, SekishoError
from sekisho.words import Said

VERBS = {
    "demo": "sekisho.cli.demo:demo",
    "init": "sekisho.cli.init:init",
    "desk": "sekisho.cli.desk:desk",
    "tree": "sekisho.cli.tree:app",
    "gate": "sekisho.cli.gate:gate",
    "advise": "sekisho.cli.advise:advise",
    "review": "sekisho.cli.review:review",
    "register": "sekisho.cli.register:app",
    "key": "sekisho.cli.verify:key",
    "verify": "sekisho.cli.verify:verify",
    "check": "sekisho.cli.contest.check:check",
    "publish": "sekisho.cli.contest.publish:publish",
    "utility": "sekisho.cli.utility:utility",
    "judge": "sekisho.cli.contest.judge:judge",
    "claim": "sekisho.cli.claim:claim",
    "contest": "sekisho.cli.contest.commands:app",
    "threshold": "sekisho.cli.contest.threshold:threshold",
    "thresholds": "sekisho.cli.contest.threshold:thresholds",
    "protect": "sekisho.cli.protect:app",
    "attack": "sekisho.cli.attack:app",
    "draw-test-set": "sekisho.cli.records.draw_test_set:draw_test_set",
    "decide-membership": "sekisho.cli.records.decide_membership:decide_membership",
    "partners": "sekisho.cli.records.partners:partners",
    "compare": "sekisho.cli.records.compare:compare",
    "study": "sekisho.cli.study:study",
    "plan": "sekisho.cli.plan.commands:app",
    "risk": "sekisho.cli.risk.command:risk",
    "estimate": "sekisho.cli.estimate:estimate",
    "table": "sekisho.cli.table.commands:app",
    "serve": "sekisho.cli.server.serve:serve",
    "worker": "sekisho.cli.server.work:worker",
    "remote": "sekisho.cli.server.remote:app",
    "completion": "sekisho.cli.completion:complete",
}
"""Each verb's function or app; it is imported when it is called, so that one verb does not wait for the others."""

FORMER = {"doubt": "decide-membership", "pick": "draw-test-set"}
"""What verbs were called in the version before this one; each answers with its name of today."""


class StoppedError(Exception):
    """An interruption before there was an answer; what is kept all the same is its only argument, in words."""


class CommandVerbs(TyperGroup):
    """The verbs, in the order of the work."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs' names."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one verb's command."""
        del ctx
        if cmd_name in FORMER:
            raise ParameterError(
                "command", Said("be given as {former}, its name since this version", former=FORMER[cmd_name]), cmd_name
            )
        if cmd_name not in VERBS:
            return None
        module, _, attribute = VERBS[cmd_name].partition(":")
        verb = getattr(_load(module), attribute)
        if not isinstance(verb, typer.Typer):
            function, verb = verb, typer.Typer(**TYPER)
            verb.command(cmd_name)(function)
        command = typer.main.get_command(verb)
        command.name = cmd_name
        return offer_language(command)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; an interruption that it lets through left no answer."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interruption:
            raise StoppedError(str(interruption)) from interruption  # only a KeepingInterrupt has words


def _load(module: str) -> Any:
    """Load a module; what it loads is there to stay, so no collection looks for garbage in it, now or later."""
    if module in sys.modules:
        return sys.modules[module]
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        gc.enable()


app = typer.Typer(
    name="sekisho",
    cls=CommandVerbs,
    help="Protect personal data, attack the result, prove or refute its safety, measure what is left.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    **TYPER,
)
app.callback()(lambda: None)


def open_door(words: Sequence[str]) -> int:
    """Run one command; return its exit status, having said on stderr in one sentence what was wrong."""
    as_json = "--json" in words

    @cache
    def read_call() -> TypedCall:  # only where a sentence asks for it: the command is looked up for it
        return TypedCall.read(typer.main.get_command(app), words)

    settle_language(words)
    settle_settings(lambda setting: read_call().write(setting))
    start_uninterrupted()
    deliver_interruptions()
    try:
        status = app(args=list(words), prog_name="sekisho", standalone_mode=False)
    except (StoppedError, KeyboardInterrupt) as stop:
        return say_stopped(as_json=as_json, kept=str(stop))
    except UsageError as error:
        return refuse_usage(error, words, as_json=as_json)
    except BugError as error:
        return admit_fault(error, words, as_json=as_json)
    except SekishoError as error:
        return refuse(error, read_call(), as_json=as_json)
    except Exception as error:  # whatever nobody expected
        return admit_fault(error, words, as_json=as_json)
    finally:
        settle_settings(None)
    return int(status or 0)
