"""TOML tables read into frozen dataclasses: unknown keys refused, wrong values refused, every error at once.

A field's type says what may stand there: str, int, bool, float, Fraction (written ``"1/3"`` or a number), an enum, a
tuple of one type, a mapping from strings, another dataclass, any of these or None, or object (anything, for a later
look); a field marked ``derived`` in its metadata cannot be given, and is true where
the key that it marks as ``given`` stands in the file. A dataclass's own ``__post_init__`` may refuse with
:class:`ParameterError`; that too is collected.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sekisho.data.files.values import parse_exact
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.errors import Fault, InputError, ParameterError, SettingsError, say_rule, shorten
from sekisho.words import Said

T = TypeVar("T")
MAX_BYTES = 1 << 20


def read_toml(path: Path) -> dict[str, object]:
    """Return a TOML file as a table.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    return parse_toml(decode_text(read_bytes(path, max_bytes=MAX_BYTES), path), str(path))


def parse_toml(text: str, source: object) -> dict[str, object]:
    """Return a TOML text as a table.

    Raises:
        InputError: it is none, is nested too deeply, or has a whole number that no computer counts with.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise InputError(source, Said("is not TOML: {error}", error=str(error))) from error


def build_settings(table: Mapping[str, object], cls: type[T], *, source: str, place: str = "") -> T:
    """Return the settings in a table of TOML as a frozen dataclass; ``place`` is the table's own place in the file."""
    reader = _Reader()
    settings: object = None
    with suppress(_RefusedError):
        settings = reader.read_table(table, cls, place)
    if reader.faults:
        raise SettingsError(source, reader.faults)
    return cast("T", settings)


class _RefusedError(Exception):
    """A value that was refused and noted."""


@dataclass(slots=True)
class _Reader:
    faults: list[Fault] = field(default_factory=list[Fault])

    def refuse(self, place: str, rule: Said, value: object) -> _RefusedError:
        message = say_rule(place or Said("the file"), rule, value)
        self.faults.append(Fault(row=0, column=place, rule=rule, value=shorten(value), message=message))
        return _RefusedError()

    def read_table(self, value: object, cls: type, place: str) -> object:
        if not isinstance(value, Mapping):
            raise self.refuse(place, Said("be a table"), value)
        table = cast("Mapping[str, object]", value)
        types = _list_types(cls)
        allowed = {item.name: item for item in fields(cls) if not item.metadata.get("derived")}
        for key in table.keys() - allowed.keys():
            self.refuse(
                _join(place, key), Said("not be given (known: {known})", known=", ".join(sorted(allowed))), table[key]
            )
        before = len(self.faults)
        arguments: dict[str, object] = {}
        for name, item in allowed.items():
            try:
                arguments |= self.read_entry(table, item, types[name], place)
            except _RefusedError:
                continue
        watched = {item.name: item.metadata["given"] for item in fields(cls) if "given" in item.metadata}
        arguments |= {name: True for name, key in watched.items() if key in table}
        if len(self.faults) > before:
            self.look_further(cls, arguments, place)
            raise _RefusedError
        try:
            return cls(**arguments)
        except ParameterError as error:
            raise self.refuse(_join(place, error.name), error.rule, error.value) from error

    def look_further(self, cls: type, arguments: dict[str, object], place: str) -> None:
        """Note what the dataclass refuses of the entries that are good each by itself."""
        try:
            cls(**arguments)
        except ParameterError as error:
            if error.name in arguments:
                self.refuse(_join(place, error.name), error.rule, error.value)
        except TypeError:
            return  # one that is needed was refused

    def read_entry(
        self, table: Mapping[str, object], item: Field[object], kind: object, place: str
    ) -> dict[str, object]:
        if item.name in table:
            return {item.name: self.read_value(table[item.name], kind, _join(place, item.name))}
        if item.default is MISSING and item.default_factory is MISSING:
            raise self.refuse(_join(place, item.name), Said("be given"), None)
        return {}

    def read_value(self, value: object, kind: object, place: str) -> object:
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            parts = [part for part in inner if part is not type(None)]
            fits = (part for part in parts if isinstance(part, type) and type(value) is part)
            return self.read_value(value, next(fits, parts[0]), place)
        if origin is tuple:
            return self.read_list(value, inner[0], place)
        if origin in (dict, Mapping):
            return self.read_mapping(value, inner[1], place)
        if is_dataclass(kind):
            return self.read_table(value, cast("type", kind), place)
        if kind is object:
            return value
        return self.read_scalar(value, cast("type", kind), place)

    def read_list(self, value: object, kind: object, place: str) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise self.refuse(place, Said("be a list"), value)
        return tuple(self.read_items(enumerate(cast("list[object]", value), 1), kind, place).values())

    def read_mapping(self, value: object, kind: object, place: str) -> dict[object, object]:
        if not isinstance(value, Mapping):
            raise self.refuse(place, Said("be a table"), value)
        return self.read_items(cast("Mapping[object, object]", value).items(), kind, place)

    def read_items(self, items: Iterable[tuple[object, object]], kind: object, place: str) -> dict[object, object]:
        values: dict[object, object] = {}
        for key, item in items:
            try:
                values[key] = self.read_value(item, kind, f"{place}.{key}")
            except _RefusedError:
                continue
        return values

    def read_scalar(self, value: object, kind: type, place: str) -> object:
        if kind is Fraction:
            return self.read_fraction(value, place)
        if issubclass(kind, StrEnum):
            if value not in list(kind):
                raise self.refuse(place, Said("be one of {choices}", choices=", ".join(kind)), value)
            return kind(value)
        fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise self.refuse(place, _say_kind(kind), value)
        try:
            return float(cast("float", value)) if kind is float else value
        except OverflowError as error:
            raise self.refuse(place, Said("be a number that a float can hold"), value) from error

    def read_fraction(self, value: object, place: str) -> Fraction:
        try:
            return parse_exact(str(value))
        except ValueError as error:
            raise self.refuse(place, Said('be a fraction such as "1/3"'), value) from error


@cache
def _list_types(cls: type) -> dict[str, object]:
    """Return the types of a dataclass's fields; a ledger asks for them thousands of times."""
    return get_type_hints(cls)


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _say_kind(kind: type) -> Said:
    rules: dict[type, Said] = {
        str: Said("be a string"),
        int: Said("be a whole number"),
        bool: Said("be true or false"),
        float: Said("be a number"),
    }
    return rules[kind]
