"""Commands made from a registry: one per registered name, its options the fields of the registered dataclass.

A new method or adversary gets its command line for free. Nothing is imported before its own command is asked for.

The option ``--language``, which every command takes, is defined here, apart from what finds out the language: a page of
the built manual is shown without what parses options.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from sekisho.cli.kit.language import OPTION
from sekisho.data.files.values import parse_exact
from sekisho.data.files.whole_files import is_file
from sekisho.errors import ParameterError
from sekisho.registry import Registry
from sekisho.words import Language, Said

TYPER: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": "markdown",
    "context_settings": {"help_option_names": ["--help", "-h"]},
}
"""How every Typer of ours is made: help is Markdown, whose paragraphs are filled anew to the width of the terminal."""
PLAIN: frozenset[object] = frozenset({int, float, bool, str, Path})
NUMBERS: dict[object, type[int | float | Fraction]] = {int: int, float: float, Fraction: Fraction}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The registry to choose from and what to do with the chosen thing.

    Attributes:
        registry: whose names are the commands.
        run: a function (name, thing, …) whose further parameters are the options that all its commands share.
        example: how a command is called, ``{name}`` being its name.
        further: commands beside them that ask for files of their own, name to ``module:function``.
    """

    registry: Registry[Any]
    run: Callable[..., None]
    example: str
    further: Mapping[str, str] = field(default_factory=dict[str, str])


def list_files(thing: Any) -> list[Path]:
    """Return the files that a chosen thing's own parameters name."""
    values = [getattr(thing, item.name) for item in fields(thing)]
    inner = [part for value in values for part in (value.values() if isinstance(value, Mapping) else [value])]
    return [Path(part) for part in inner if isinstance(part, Path) or (isinstance(part, str) and is_file(Path(part)))]


def make_choice_app(choices: Choices, *, summary: str) -> typer.Typer:
    """Return an app whose sub-commands are the names of a registry."""

    class Group(ChoiceGroup):
        offered = choices

    app = typer.Typer(cls=Group, help=summary, no_args_is_help=True, **TYPER)
    app.callback()(lambda: None)
    return app


class ChoiceGroup(TyperGroup):
    """A group of commands that are made when they are asked for."""

    offered: ClassVar[Choices]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the registered names, and those of further commands."""
        del ctx
        return sorted({*self.offered.registry, *self.offered.further})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of one registered name."""
        del ctx
        app = typer.Typer(**TYPER)
        if cmd_name in self.offered.further:
            module, _, attribute = self.offered.further[cmd_name].partition(":")
            app.command(cmd_name)(getattr(import_module(module), attribute))
            return offer_language(typer.main.get_command(app))
        if cmd_name not in self.offered.registry:
            return None
        words = getdoc(self.offered.registry[cmd_name]) or ""
        if "Example:" not in words:
            words += f"\n\nExample: `{self.offered.example.format(name=cmd_name)}`"
        app.command(cmd_name, help=words)(_make_command(cmd_name, self.offered))
        return offer_language(typer.main.get_command(app))


def _make_command(name: str, offered: Choices) -> Callable[..., None]:
    chosen = offered.registry[name]
    if not is_dataclass(chosen):
        rule = Said("be a frozen dataclass, whose fields are its options")
        raise ParameterError(f"{offered.registry.kind} {name}", rule, chosen.__name__)
    kinds = get_type_hints(chosen)
    own = {item.name: item for item in fields(chosen)}

    def run(**values: Any) -> None:
        parameters = {key: _parse_value(values.pop(key), kinds[key], key) for key in own}
        offered.run(name, chosen(**parameters), **values)

    options = [_make_option(item, kinds[item.name]) for item in own.values()]
    taken = {each for part in options for each in _list_option_names(part)}
    every = list(signature(offered.run, eval_str=True).parameters.values())[2:]
    shared = [part for part in every if not taken.intersection(_list_option_names(part))]  # a thing's own comes first
    parameters = [part.replace(kind=Parameter.KEYWORD_ONLY) for part in (*shared, *options)]
    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run


def _list_option_names(part: Parameter) -> tuple[str, ...]:
    options = [item for item in getattr(part.annotation, "__metadata__", ()) if isinstance(item, OptionInfo)]
    # of what is annotated, typer keeps the first name where a default would stand
    names = [name for option in options for name in (option.default, *(option.param_decls or ()))]
    return tuple(name for name in names if isinstance(name, str))


def _make_option(item: Field[Any], kind: object) -> Parameter:
    default = item.default_factory() if item.default_factory is not MISSING else item.default
    kind = _strip_none(kind)
    plain = kind in PLAIN or (isinstance(kind, type) and issubclass(kind, StrEnum))
    shown = _format_default(default) if not plain and default not in (MISSING, None) else default
    name = "--" + item.name.replace("_", "-")
    names = f"{name}/--no-{name.removeprefix('--')}" if default is True else name
    option = typer.Option(names, help=item.metadata.get("help", ""))
    repeated = get_origin(kind) in (dict, Mapping)
    taken: Any = kind if plain else list[str] if repeated else str
    annotation = Annotated[taken | None, option] if default is None else Annotated[taken, option]
    start = Parameter.empty if default is MISSING else [shown] if repeated and shown else [] if repeated else shown
    return Parameter(item.name, Parameter.KEYWORD_ONLY, default=start, annotation=annotation)


def _strip_none(kind: object) -> object:
    """Return the kind of an option's value; of several, text, which can be any of them."""
    if get_origin(kind) in (Union, types.UnionType):
        kinds = [part for part in get_args(kind) if part is not type(None)]
        return str if str in kinds else kinds[0]
    return kind


def _format_default(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={item}" for key, item in value.items())
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parse_value(text: object, kind: object, name: str) -> object:
    """Return an option's value; what is told by column may be given at once or option by option."""
    whole = int in get_args(kind)  # a number or a text, such as 100 or 1%
    optional, kind = type(None) in get_args(kind), _strip_none(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(text, list):
        text = ",".join(map(str, text)) if text or not optional else None
    if text is None or not isinstance(text, str):
        return text
    parts = [part for part in text.split(",") if part]
    if origin is tuple:
        return tuple(_parse_value(part, inner[0], name) for part in parts)
    if origin in (dict, Mapping):
        return _parse_pairs(text, _join_lists(parts) if get_origin(inner[1]) is tuple else parts, inner[1], name)
    if kind is str and whole and text.strip().isdecimal():
        return int(text)
    if kind is Path:
        return Path(text)
    return _parse_number(text, NUMBERS[kind], name) if kind in NUMBERS else text


def _parse_pairs(text: str, parts: list[str], kind: object, name: str) -> dict[str, object]:
    pairs = [part.partition("=") for part in parts]
    if not all(equals for _, equals, _ in pairs):
        raise typer.BadParameter(Said("--{name} takes name=value,name=value, not {text!r}", name=name, text=text))
    names = [key for key, _, _ in pairs]
    twice = [key for place, key in enumerate(names) if key in names[:place]]
    if twice:
        raise typer.BadParameter(Said("--{name} names {twice} twice", name=name, twice=twice[0]))
    return {key: _parse_value(part, kind, name) for key, _, part in pairs}


def _join_lists(parts: list[str]) -> list[str]:
    """Return ``name=value`` parts of which those without a name belong to the one before: age=0,18,65,bmi=20,30."""
    joined: list[str] = []
    for part in parts:
        if joined and "=" not in part:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return joined


def _parse_number(text: str, kind: type[int | float | Fraction], name: str) -> object:
    try:
        return parse_exact(text) if kind is Fraction else kind(text)
    except ValueError as error:
        raise typer.BadParameter(
            Said("--{name}: {text!r} is not a {kind_name}", name=name, text=text, kind_name=kind.__name__.lower())
        ) from error


def offer_language(command: Any) -> Any:
    """Let a command, and every command below it, take the option; the door has seen to what it says."""
    if hasattr(command, "commands"):
        for each in command.commands.values():
            offer_language(each)
    else:
        command.params.append(_make_language_option())
    return command


@cache
def _make_language_option() -> Any:
    app = typer.Typer()

    @app.command()
    def _hold(
        language: Annotated[
            Language | None,
            typer.Option(
                OPTION, help="Language of messages and pages; the locale's when not given.", expose_value=False
            ),
        ] = None,
    ) -> None:
        del language

    return typer.main.get_command(app).params[0]
