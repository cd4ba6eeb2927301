"""Groups of options that several commands share: a frozen dataclass, each field an option, taken as one parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

from sekisho.errors import BugError

R = TypeVar("R")


def expand_options(command: Callable[..., R]) -> Callable[..., R]:
    """Return a command whose parameters that are groups of options are replaced by the groups' fields, in their places.

    A group is a dataclass whose fields are annotated with typer's options. The command itself is called with the
    groups, made of what was given.

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
        groups_given = {
            name: group(**{item.name: values.pop(item.name) for item in fields(group) if item.name in values})
            for name, group in groups.items()
        }
        return command(*arguments, **values, **groups_given)

    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run


def _list_options(group: type[Any]) -> list[Parameter]:
    kinds = get_type_hints(group, include_extras=True)
    return [_make_option(item, kinds[item.name]) for item in fields(group)]


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
