"""What a command says when it has no answer: one sentence on stderr, and with ``--json`` one object on stdout.

What the framework finds wrong with options and arguments, in words of ours.

Its sentences are not read: what is wrong is told by the class of its error, by the parameter, and by what its validator
says. English stays as the framework has it.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from tempfile import mkstemp
from typing import Any, cast

import typer

from sekisho.cli.kit.answer import ExitStatus, print_json
from sekisho.cli.kit.language import chosen_language, tell_fault, tell_words
from sekisho.cli.kit.typed_call import TypedCall, word_refusal
from sekisho.errors import (
    BugError,
    Fault,
    FaultsError,
    InfeasibleError,
    InputError,
    ParameterError,
    SekishoError,
)
from sekisho.registry import find_culprit
from sekisho.words import Language, Said, quote_words


def say_usage(error: Any, words: Sequence[str]) -> str:
    """Return what is wrong with the words of a command; the framework's own text where nothing is known of it."""
    say: Callable[[Any], str] | None = _SAYINGS.get(type(error).__name__)
    if type(error).__name__ == "BadOptionUsage":
        return _say_option(error, words)
    return str(error.format_message().rstrip(".")) if say is None else say(error)


def _say_option(error: Any, words: Sequence[str]) -> Said:
    option = error.option_name
    if any(word.startswith(f"{option}=") for word in words):
        return Said("Option {option!r} does not take a value", option=option)
    return Said("Option {option!r} requires an argument", option=option)


def _say_missing(error: Any) -> str:
    parameter = error.param
    if parameter is None:
        return str(error.format_message().rstrip("."))
    hint = _name_parameter(error)
    if parameter.param_type_name == "argument":
        return Said("Missing argument {hint}", hint=hint)
    return Said("Missing option {hint}", hint=hint)


def _say_unknown_option(error: Any) -> Said:
    if error.possibilities:
        near = ", ".join(sorted(error.possibilities))
        return Said("No such option: {option} (Possible options: {near})", option=error.option_name, near=near)
    return Said("No such option: {option}", option=error.option_name)


def _say_command(error: Any) -> str:
    """A group that was given no command of its own, or a command that was given too many arguments."""
    text: str = error.message
    if hasattr(error.ctx.command, "commands"):
        names = text.split("'")[1::2]
        if not names:
            return Said("Missing command")
        if names[1:]:
            return Said("No such command {name!r}. Did you mean {near!r}?", name=names[0], near=names[1])
        return Said("No such command {name!r}", name=names[0])
    extra = text.partition(" (")[2].removesuffix(")")
    return Said("Got unexpected extra argument(s) ({extra})", extra=extra) if extra else text


def _say_value(error: Any) -> str:
    reason = error.message if isinstance(error.message, Said) else _say_validated(error)
    if error.param is None and error.param_hint is None:
        return Said("Invalid value: {reason}", reason=reason)
    return Said("Invalid value for {hint}: {reason}", hint=_name_parameter(error), reason=reason)


def _name_parameter(error: Any) -> str:
    hint = error.param_hint
    if hint is None:
        ask = error.param.get_error_hint
        hint = ask(error.ctx) if signature(ask).parameters else ask()
    return hint if isinstance(hint, str) else " / ".join(hint)


def _say_validated(error: Any) -> str:
    """Return what the validator of a value found, by its type of error and its figures."""
    plain = str(error.message).rstrip(".")
    faults = getattr(error.__cause__, "errors", list[Any])()
    if not faults:
        return _say_types().get(_find_kind(error), plain)
    fault: Mapping[str, Any] = faults[0]
    figures: Mapping[str, Any] = fault.get("ctx", {})
    if fault["type"] == "value_error":
        return _say_choice(fault["input"], str(figures["error"]).rstrip("."))
    said = _say_limit(fault["type"], figures) or _say_types().get(fault["type"])
    return said or plain


def _find_kind(error: Any) -> str:
    """Return the type of error of a value that the framework's own types refused, by the type of the parameter."""
    kinds = {"integer": "int_parsing", "float": "float_parsing", "boolean": "bool_parsing"}
    return kinds.get(str(getattr(getattr(error.param, "type", None), "name", "")), "")


def _say_choice(value: object, text: str) -> str:
    """A value that is none of the choices, which the framework's own check lists."""
    choices = text.partition(" is not one of ")[2]
    return Said("{value!r} is not one of {choices}", value=value, choices=choices) if choices else text


def _say_limit(kind: str, figures: Mapping[str, Any]) -> Said | None:
    match kind:
        case "greater_than_equal":
            return Said("Input should be greater than or equal to {limit}", limit=figures["ge"])
        case "greater_than":
            return Said("Input should be greater than {limit}", limit=figures["gt"])
        case "less_than_equal":
            return Said("Input should be less than or equal to {limit}", limit=figures["le"])
        case "less_than":
            return Said("Input should be less than {limit}", limit=figures["lt"])
        case "enum" | "literal_error":
            return Said("Input should be {choices}", choices=figures["expected"])
        case _:
            return None


def _say_types() -> Mapping[str, Said]:
    return {
        "bool_parsing": Said("Input should be a valid boolean, unable to interpret input"),
        "finite_number": Said("Input should be a finite number"),
        "float_parsing": Said("Input should be a valid number, unable to parse string as a number"),
        "int_from_float": Said("Input should be a valid integer, got a number with a fractional part"),
        "int_parsing": Said("Input should be a valid integer, unable to parse string as an integer"),
        "int_parsing_size": Said("Unable to parse input string as an integer, exceeded maximum size"),
        "string_type": Said("Input should be a valid string"),
        "string_unicode": Said("Input should be a valid string, unable to parse raw data as a unicode string"),
    }


_SAYINGS: Mapping[str, Callable[[Any], str]] = {
    "MissingParameter": _say_missing,
    "NoSuchOption": _say_unknown_option,
    "BadParameter": _say_value,
    "UsageError": _say_command,
}


UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])
"""What is wrong with options and arguments, of whichever click typer brings: it names only this one child itself."""


def refuse(error: SekishoError, call: TypedCall, *, as_json: bool) -> ExitStatus:
    """Say why there is no answer; "infeasible" is an answer, and the answer is no."""
    sentence = tell_words(word_refusal(error, call))
    answer: dict[str, object] = {"error": sentence, "errors": _list_errors(error, sentence)}
    if isinstance(error, FaultsError):
        answer |= {"source": error.source, "count": error.count}
    _print_refusal(answer, as_json=as_json)
    return ExitStatus.NO if isinstance(error, InfeasibleError) else ExitStatus.NO_ANSWER


def refuse_usage(error: typer.BadParameter, words: Sequence[str], *, as_json: bool) -> ExitStatus:
    """Say what is wrong with the options and arguments."""
    # a group without a verb has shown its help instead of raising a message
    if type(error).__name__ != "NoArgsIsHelpError":
        page = None if error.ctx is None else Said("see {command} --help", command=error.ctx.command_path)
        hint = "" if page is None else f" ({tell_words(page)})"
        english = chosen_language() is Language.EN
        sentence = (error.format_message().rstrip(".") if english else tell_words(say_usage(error, words))) + hint
        _print_refusal({"error": sentence, "errors": [_make_error(sentence, rule="usage")]}, as_json=as_json)
    return ExitStatus.NO_ANSWER


def admit_fault(error: Exception, words: Sequence[str], *, as_json: bool) -> ExitStatus:
    """Say that the fault is ours, or whose plug-in's, and where its details are.

    The traceback itself goes to a file that only its owner reads.
    """
    kind = "" if isinstance(error, BugError) else f"{type(error).__name__}: "
    place = _write_details(error, words)
    where = Said("the details are in {place}", place=place) if place else Said("the details could not be written")
    fault, culprit = kind + _shorten_line(str(error)), find_culprit(error)
    sentence = tell_words(
        Said("a fault of Sekisho, not of your data ({fault}); {where}", fault=fault, where=where)
        if culprit is None
        else Said(
            "a fault of the plug-in {distribution}, neither of Sekisho nor of your data ({fault}); {where}",
            distribution=culprit.distribution,
            fault=fault,
            where=where,
        )
    )
    answer: dict[str, object] = {"error": sentence, "errors": [_make_error(sentence, rule="fault")], "details": place}
    _print_refusal(answer | ({} if culprit is None else {"plugin": culprit.distribution}), as_json=as_json)
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


def _list_errors(error: SekishoError, sentence: str) -> list[dict[str, object]]:
    if isinstance(error, FaultsError):
        return [tell_fault(fault).as_dict() for fault in error.faults]
    if isinstance(error, ParameterError):
        return [_make_error(sentence, column=error.name, rule=error.rule, value=str(error.value))]
    return [_make_error(sentence, value=error.source if isinstance(error, InputError) else "")]


def _make_error(message: str, *, column: str = "", rule: str = "", value: str = "") -> dict[str, object]:
    return Fault(row=0, column=column, rule=rule, value=value, message=quote_words(message)).as_dict()


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
