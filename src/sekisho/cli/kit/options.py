"""Groups of options that several commands share: a frozen dataclass, each field an option, taken as one parameter.

The options of every command that can work beyond memory.

Options that do not suit the data at hand are refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_origin, get_type_hints

import typer

from sekisho.data.engines.engine import Engine, choose_engine
from sekisho.errors import BugError, Fault, FaultsError, ParameterError
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.data.engines.engine import EngineChoice


R = TypeVar("R")


def expand_options(command: Callable[..., R]) -> Callable[..., R]:
    """Return a command whose parameters that are groups of options are replaced by the groups' fields, in their places.

    A group is a dataclass whose fields are annotated with typer's options, or are such groups themselves. The command
    itself is called with the groups, made of what was given.

    Raises:
        BugError: two parameters have one name, or a field of a group is no option.
    """
    groups: dict[str, type[Any]] = {}
    parameters: list[Parameter] = []
    for part in signature(command, eval_str=True).parameters.values():
        if isinstance(part.annotation, type) and is_dataclass(part.annotation):
            groups[part.name] = part.annotation
            parameters += _list_options(part.annotation)
        else:
            parameters.append(part)
    _refuse_twice(parameters)

    @wraps(command)
    def run(*arguments: Any, **values: Any) -> R:
        groups_given = {name: _fill_group(group, values) for name, group in groups.items()}
        return command(*arguments, **values, **groups_given)

    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run


def _list_options(group: type[Any]) -> list[Parameter]:
    options: list[Parameter] = []
    for item, kind in _list_fields(group):
        options += _list_options(cast("type[Any]", kind)) if is_dataclass(kind) else [_make_option(item, kind)]
    return options


def _list_fields(group: type[Any]) -> list[tuple[Field[Any], Any]]:
    """Return the fields of a group with what they are: options, or groups of their own."""
    kinds = get_type_hints(group, include_extras=True)
    return [(item, kinds[item.name]) for item in fields(group)]


def _fill_group(group: type[Any], values: dict[str, Any]) -> Any:
    """Return a group made of what was given, which is taken out of ``values``."""
    given: dict[str, Any] = {}
    for item, kind in _list_fields(group):
        if is_dataclass(kind):
            given[item.name] = _fill_group(cast("type[Any]", kind), values)
        elif item.name in values:
            given[item.name] = values.pop(item.name)
    return group(**given)


def _make_option(item: Field[Any], kind: object) -> Parameter:
    if get_origin(kind) is not Annotated:
        raise BugError(f"the field {item.name} of a group of options is no option")
    default = Parameter.empty if item.default is MISSING else item.default
    return Parameter(item.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _refuse_twice(parameters: list[Parameter]) -> None:
    names = [part.name for part in parameters]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BugError(f"two parameters of one command are named {', '.join(twice)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeOptions:
    """Where the work is done: in memory unless something is said."""

    engine: Annotated[
        Engine | None, typer.Option("--engine", help="Work beyond memory: polars, duckdb or spark; else in memory.")
    ] = None
    memory: Annotated[
        str, typer.Option("--memory", help="Work beyond memory within so much, such as 2GB; means --engine duckdb.")
    ] = ""
    master: Annotated[
        str, typer.Option("--master", help="A Spark cluster: spark://…, local[2], or sc://…; means --engine spark.")
    ] = ""

    def choose(self) -> EngineChoice | None:
        """Return the engine that is asked for; None: in memory."""
        return choose_engine(self.engine, self.memory, self.master)

    def spread(self) -> AbstractContextManager[None]:
        """Let pieces of work be done by the engine that is asked for, as long as this is open."""
        choice = self.choose()
        if choice is None:
            return nullcontext()
        from sekisho.data.engines.tasks import open_cluster  # brings an engine, which few calls need

        return open_cluster(choice)

    def refuse_engines(self, reason: Said) -> None:
        """Refuse work beyond memory where there is none.

        Args:
            reason: what must be so for it, as ``be given for ...``.

        Raises:
            ParameterError: it is asked for.
        """
        for name, value in (("engine", self.engine), ("memory", self.memory), ("master", self.master)):
            if value:
                raise ParameterError(name, reason, str(value))


def list_given_options(context: typer.Context) -> dict[str, str]:
    """Return the options that the user gave himself: parameter to option."""
    options = {part.name: part.opts[0] for part in context.command.params}
    return {name: option for name, option in options.items() if _is_given(context, name)}


def refuse_unsuited(context: typer.Context, data: str, unsuited: Iterable[str]) -> None:
    """Refuse the parameters that do not suit, if they were given; all at once.

    Args:
        context: of the command.
        data: what they do not suit, in words.
        unsuited: the parameters.

    Raises:
        FaultsError: some of them were given.
    """
    given = list_given_options(context)
    faults = [
        Fault(
            row=0,
            column=given[name],
            rule="suits",
            value=given[name],
            message=Said("{given} does not suit {data}", given=given[name], data=data),
        )
        for name in unsuited
        if name in given
    ]
    if faults:
        raise FaultsError(Said("options"), faults)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def split_names(text: str) -> tuple[str, ...]:
    """Return the names that an option lists: a,b,c."""
    return tuple(part for part in text.split(",") if part)


def split_pairs(option: str, words: Sequence[str]) -> dict[str, Path]:
    """Return what a repeated option says by name: a=FILE.

    Raises:
        ParameterError: a word is no such pair, or a name comes twice.
    """
    pairs: dict[str, Path] = {}
    for word in words:
        name, _, file = word.rpartition("=")
        if not name or not file or name in pairs:
            raise ParameterError(option, Said("be NAME=FILE, once for each name"), word)
        pairs[name] = Path(file)
    return pairs
