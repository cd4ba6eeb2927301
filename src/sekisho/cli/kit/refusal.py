"""What a command says when it has no answer: one sentence on stderr, and with ``--json`` one object on stdout."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from tempfile import mkstemp

import typer
from typer.exceptions import TyperException

from sekisho.cli.kit.language.choice import chosen_language
from sekisho.cli.kit.language.translation import tell_error, tell_fault, tell_words
from sekisho.cli.kit.printing import print_json
from sekisho.cli.kit.status import ExitStatus
from sekisho.cli.kit.usage import say_usage
from sekisho.errors import BugError, Fault, FaultsError, InfeasibleError, InputError, ParameterError, SekishoError
from sekisho.words import Language, Said


def refuse(error: SekishoError, *, as_json: bool) -> ExitStatus:
    """Say why there is no answer; "infeasible" is an answer, and the answer is no."""
    answer: dict[str, object] = {"error": tell_error(error), "errors": _list_errors(error)}
    if isinstance(error, FaultsError):
        answer |= {"source": error.source, "count": error.count}
    _print_refusal(answer, as_json=as_json)
    return ExitStatus.NO if isinstance(error, InfeasibleError) else ExitStatus.NO_ANSWER


def refuse_usage(error: TyperException, words: Sequence[str], *, as_json: bool) -> ExitStatus:
    """Say what is wrong with the options and arguments."""
    # a group without a verb has shown its help instead of raising a message
    if type(error).__name__ != "NoArgsIsHelpError":
        context = getattr(error, "ctx", None)
        page = None if context is None else Said("see {command} --help", command=context.command_path)
        hint = "" if page is None else f" ({tell_words(page)})"
        english = chosen_language() is Language.EN
        sentence = (error.format_message().rstrip(".") if english else tell_words(say_usage(error, words))) + hint
        _print_refusal({"error": sentence, "errors": [_make_error(sentence, rule="usage")]}, as_json=as_json)
    return ExitStatus.NO_ANSWER


def admit_fault(error: Exception, words: Sequence[str], *, as_json: bool) -> ExitStatus:
    """Say that the fault is ours, and where its details are.

    The traceback itself goes to a file that only its owner reads.
    """
    kind = "" if isinstance(error, BugError) else f"{type(error).__name__}: "
    place = _write_details(error, words)
    where = Said("the details are in {place}", place=place) if place else Said("the details could not be written")
    sentence = tell_words(
        Said(
            "a fault of Sekisho, not of your data ({fault}); {where}",
            fault=kind + _shorten_line(str(error)),
            where=where,
        )
    )
    _print_refusal(
        {"error": sentence, "errors": [_make_error(sentence, rule="fault")], "details": place}, as_json=as_json
    )
    return ExitStatus.FAULT


def say_stopped(*, as_json: bool, kept: str = "") -> ExitStatus:
    """Say that an interruption left no answer, and what is kept all the same."""
    sentence = tell_words(
        Said("interrupted: there is no answer; {kept}", kept=kept)
        if kept
        else Said("interrupted: there is no answer, and nothing was written")
    )
    _print_refusal({"error": sentence, "errors": [_make_error(sentence, rule="interrupted")]}, as_json=as_json)
    return ExitStatus.INTERRUPTED


def _print_refusal(answer: Mapping[str, object], *, as_json: bool) -> None:
    typer.echo(f"sekisho: {answer['error']}", err=True)
    if as_json:
        print_json(answer)


def _list_errors(error: SekishoError) -> list[dict[str, object]]:
    if isinstance(error, FaultsError):
        return [tell_fault(fault).as_dict() for fault in error.faults]
    if isinstance(error, ParameterError):
        return [_make_error(tell_error(error), column=error.name, rule=error.rule, value=str(error.value))]
    return [_make_error(tell_error(error), value=error.source if isinstance(error, InputError) else "")]


def _make_error(message: str, *, column: str = "", rule: str = "", value: str = "") -> dict[str, object]:
    return Fault(row=0, column=column, rule=rule, value=value, message=message).as_dict()


def _shorten_line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first if len(first) <= 200 else first[:200] + "…"


def _write_details(error: Exception, words: Sequence[str]) -> str | None:
    text = f"sekisho {' '.join(words)}\nPython {sys.version}\n\n" + "".join(traceback.format_exception(error))
    try:
        handle, place = mkstemp(prefix="sekisho-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        return None
    return place
