"""What a command says when it has no answer: one sentence on stderr, and with ``--json`` one object on stdout.

What the framework finds wrong with options and arguments, in words of ours.

Its sentences are not read: what is wrong is told by the class of its error, by the parameter, and by what its validator
says. English stays as the framework has it.

The library knows parameters, a command options: where an error is about a parameter that the command has as an option,
the option is named here, and nowhere else.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from tempfile import mkstemp
from typing import Any, cast

import typer

from sekisho.cli.kit.answer import ExitStatus, print_json
from sekisho.cli.kit.language import chosen_language, tell_fault, tell_words
from sekisho.errors import (
    BugError,
    EncodingError,
    Fault,
    FaultsError,
    InfeasibleError,
    InputError,
    ParameterError,
    SekishoError,
    UnknownNameError,
    say_rule,
)
from sekisho.registry import find_culprit
from sekisho.words import Language, Said, quote_words

OTHER_NAMES = {
    "allowed_columns": "allow_column",
    "frequency": "contributors",
    "identifier": "id",
    "kinds": "kind",
    "largest": "contributors",
    "max_set": "sets",
    "rules": "rule",
    "seconds": "time",
    "trees": "tree",
    "weights": "weight",
    "whole": "integer",
}
"""By a parameter of the library what the doors call it, where that is another word."""
COLUMN_PARAMETERS = ("column", "columns", "keys", "name", "names")
"""Parameters by which the library calls whatever column it was given: the option that names it tells more."""
EXAMPLES = {
    "--contributors": "frequency,x1,x2",
    "--dims": "region,job",
    "--keys": "age,sex",
    "--request": "asked",
    "--sensitive": "illness",
}
"""By option a value as one is written."""
HELPFUL = {
    "missing": "--missing drop",
    "keys": "--keys age,sex",
    "duplicate": "--microdata",
    "number": "--decimal ,",
    "date": "--kind COLUMN=category",
    "decimal": "--kind COLUMN=category",
    "integer": "--kind COLUMN=category",
}
"""By rule that cells break the option, with a value, that may be the way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCall:
    """A command as it was typed.

    Attributes:
        words: all of them.
        options: those that the command has.
    """

    words: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()

    @classmethod
    def read(cls, command: Any, words: Sequence[str]) -> TypedCall:
        """Return the call of whichever command the words choose, starting from that of all verbs."""
        for word in words:
            if not hasattr(command, "commands"):
                break
            try:
                chosen = None if word.startswith("-") else command.get_command(None, word)
            except SekishoError:  # a verb of the version before
                break
            if chosen is None:
                break
            command = chosen
        names = {name for part in command.params for name in (*part.opts, *part.secondary_opts)}
        return cls(words=tuple(words), options=frozenset(name for name in names if name.startswith("--")))

    def find_option(self, name: str) -> str:
        """Return the option of a parameter; empty if the command has none."""
        known = name.removeprefix("--").replace("_", "-")
        other = OTHER_NAMES.get(known.replace("-", "_"), "").replace("_", "-")
        return next((option for option in (f"--{known}", f"--{other}") if option in self.options), "")

    def find_naming(self, value: object) -> str:
        """Return the options whose typed values name something, such as a column that is not there."""
        names = {str(part) for part in value} if isinstance(value, list | tuple | set) else {str(value)}
        typed = [option for option, text in self._list_typed() if names & set(_split_value(text))]
        return ", ".join(dict.fromkeys(option for option in typed if option in self.options))

    def _list_typed(self) -> Iterator[tuple[str, str]]:
        for place, word in enumerate(self.words):
            option, joined, value = word.partition("=")
            if option.startswith("--"):
                yield option, value if joined else "".join(self.words[place + 1 : place + 2])


def _split_value(text: str) -> list[str]:
    return [part.strip() for pair in text.split(",") for part in (pair, *pair.split("="), *pair.split(":"))]


def word_refusal(error: SekishoError, call: TypedCall) -> str:
    """Return an error's sentence with the options that it is about, as far as the command has them."""
    if isinstance(error, ParameterError):
        return _word_parameter(error, call)
    if isinstance(error, InputError) and error.named:
        return _name_before(call.find_naming(error.named) or call.find_naming(error.source), str(error))
    if isinstance(error, UnknownNameError):
        return _name_before(call.find_naming(error.name), str(error))
    if isinstance(error, EncodingError) and "--encoding" in call.options:
        return Said("{sentence} ({hint})", sentence=str(error), hint=Said("--encoding names the encoding"))
    return _word_faults(error, call) if isinstance(error, FaultsError) else str(error)


def _word_parameter(error: ParameterError, call: TypedCall) -> str:
    option = call.find_option(error.name)
    if error.name in COLUMN_PARAMETERS and option not in call.words:
        option = call.find_naming(error.value) or option
    if option:
        example = EXAMPLES.get(option)
        hint = error.hint or (Said("such as {words}", words=f"{option} {example}") if example else "")
        return say_rule(option, error.rule, error.value, hint=hint)
    known = OTHER_NAMES.get(error.name)
    return str(error) if known is None else say_rule(known, error.rule, error.value, hint=error.hint)


def _word_faults(error: FaultsError, call: TypedCall) -> str:
    unknown = [fault.value or fault.column for fault in error.faults if fault.rule == "column"]
    sentence = _name_before(call.find_naming(unknown), str(error))
    helpful = dict.fromkeys(words for fault in error.faults if (words := _find_helpful(fault)))
    options = [words for words in helpful if words.partition(" ")[0] in call.options]
    if error.hint or not options:
        return sentence
    hint = Said("an option that may help: {words}", words=", ".join(options))
    return Said("{sentence} ({hint})", sentence=sentence, hint=hint)


def _find_helpful(fault: Fault) -> str:
    """Return the option that may be the way out of a fault; another decimal mark only where one stands in the cell."""
    return "" if fault.rule == "number" and "," not in fault.value else HELPFUL.get(fault.rule, "")


def _name_before(option: str, sentence: str) -> str:
    return Said("{option}: {sentence}", option=option, sentence=sentence) if option else sentence


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
