"""Digests of what steps depend on: data, releases, parameters, and the program itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release

if TYPE_CHECKING:  # people need no solver's matrices
    from sekisho.tables.model.table import Table

LIBRARIES = ("highspy", "numba", "numpy", "polars", "scipy")
CODE = (".py", ".toml", ".csv")


class UnwritableError(TypeError):
    """A parameter whose content cannot be told, so that nothing that depends on it is kept."""


@cache
def digest_program() -> str:
    """Return the digest of this package's code and rules and of the versions that it computes with."""
    state = sha256(python_version().encode())
    for name in LIBRARIES:
        state.update(f"{name} {version(name)}\n".encode())
    root = Path(str(files("sekisho")))
    for path in sorted(path for path in root.rglob("*") if path.suffix in CODE):
        state.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


def describe_content(value: object) -> object:
    """Return a parameter as plain data that is the same only if the parameter is.

    Raises:
        UnwritableError: its content cannot be told.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction | Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): describe_content(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, tuple | list):
        return [describe_content(item) for item in cast("list[object]", value)]
    if isinstance(value, frozenset):
        return sorted(map(repr, cast("frozenset[object]", value)))
    return _describe_thing(value)


def _describe_thing(value: object) -> object:
    if isinstance(value, np.ndarray | pl.Series | pl.DataFrame):
        return sha256(b"".join(_list_bytes(value))).hexdigest()
    if is_dataclass(value) and not isinstance(value, type):
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        return [name, {item.name: describe_content(getattr(value, item.name)) for item in fields(value)}]
    raise UnwritableError(type(value))


def digest_dataset(data: Dataset) -> str:
    """Return the digest of a data set: its schema, its rows in their order."""
    return sha256(repr(data.schema).encode() + b"".join(_list_bytes(data.frame))).hexdigest()


def digest_release(release: Release) -> str:
    """Return the digest of a release: every cell, deleted or not."""
    parts = [release.deleted.tobytes(), *_list_table_bytes(release.table)]
    return sha256(b"".join(parts)).hexdigest()


def digest_table(table: Table) -> str:
    """Return the digest of a table: its cells, values, levels, costs and equations."""
    state = sha256(repr((table.dims, table.margins, table.joint, table.linked)).encode())
    state.update("\n".join("\t".join(key) for key in table.keys).encode())
    for item in fields(table):
        value: Any = getattr(table, item.name)
        if isinstance(value, np.ndarray):
            state.update(item.name.encode() + np.ascontiguousarray(value).tobytes())
        elif hasattr(value, "indptr"):
            state.update(value.indptr.tobytes() + value.indices.tobytes() + value.data.tobytes())
    return state.hexdigest()


def _list_table_bytes(table: MaskedTable) -> Iterator[bytes]:
    yield repr(table.schema).encode()
    if table.pseudonym is not None:
        yield table.pseudonym.tobytes()
    for name, cells in table.columns.items():
        yield name.encode()
        yield cells.suppressed.tobytes()
        if isinstance(cells, RangeCells):
            yield cells.lower.tobytes()
            yield cells.upper.tobytes()
        else:
            yield cells.offsets.tobytes()
            yield cells.codes.tobytes()
            yield "\0".join(cells.domain).encode()


def _list_bytes(value: object) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        if value.dtype == np.object_:
            raise UnwritableError(value.dtype)
        yield repr((value.dtype.str, value.shape)).encode()
        yield np.ascontiguousarray(value).tobytes()
        return
    frame = value.to_frame("") if isinstance(value, pl.Series) else cast("pl.DataFrame", value)
    stream = BytesIO()
    frame.rechunk().write_ipc(stream)
    yield stream.getvalue()
