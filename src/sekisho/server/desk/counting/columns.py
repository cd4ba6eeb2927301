"""The columns of a file as a version of its schema reads them: coded, and kept as Arrow files.

A column's files are named by all that decides its codes: the data, how the file and the column are read, and which
columns drop rows. So another role, or a column less, reads nothing again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, Outside, SchemaFile
from sekisho.data.files.settings import build_settings, read_toml
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.errors import InputError, ParameterError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.server.desk.plain_data import as_plain, read_plain
from sekisho.words import Said

MOST_KEPT = 400
"""So many columns are kept, those that were written last."""


@dataclass(slots=True, kw_only=True)
class ColumnStore:
    """The coded columns of one file of data.

    Attributes:
        folder: where they are kept.
        path: of the data.
        digest: of the data.
    """

    folder: Path
    path: Path
    digest: str
    _columns: dict[str, TreeColumn] = field(default_factory=dict[str, TreeColumn])
    _rows: dict[str, NDArray[np.int64]] = field(default_factory=dict[str, NDArray[np.int64]])

    def open(self, schema: SchemaFile) -> StoredColumns:
        """Return the columns of a schema; those that are not kept are read when they are asked for."""
        return StoredColumns(store=self, schema=schema)

    def find(self, key: str, name: str) -> TreeColumn | None:
        """Return a column that is kept."""
        if key not in self._columns:
            kept = _read_column(self.folder, key, name)
            if kept is None:
                return None
            self._columns[key] = kept
        return self._columns[key]

    def find_rows(self, key: str) -> NDArray[np.int64] | None:
        """Return where the rows that are read stand in the file, where that is kept."""
        if key not in self._rows and (self.folder / f"{key}.rows.arrow").exists():
            frame = _read_arrow(self.folder / f"{key}.rows.arrow")
            if frame is not None:
                self._rows[key] = frame["row"].to_numpy()
        return self._rows.get(key)

    def keep(self, columns: Mapping[str, TreeColumn], key: str, rows: NDArray[np.int64]) -> None:
        """Keep columns that were read, by their keys, and where their rows stand."""
        self._columns |= columns
        self._rows[key] = rows
        self.folder.mkdir(mode=0o700, exist_ok=True)
        files = {self.folder / f"{key}.rows.arrow": _write_arrow(pl.DataFrame({"row": rows}))}
        for one, column in columns.items():
            files |= {self.folder / name: data for name, data in _pack_column(one, column).items()}
        write_whole(files, private=list(files))
        self._prune()

    def _prune(self) -> None:
        kept = sorted(self.folder.glob("*.json"), key=lambda place: place.stat().st_mtime_ns, reverse=True)
        for place in kept[MOST_KEPT:]:
            for one in self.folder.glob(f"{place.stem}.*"):
                one.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredColumns:
    """The columns that a schema reads.

    Attributes:
        store: that keeps them.
        schema: how the file is read.
    """

    store: ColumnStore
    schema: SchemaFile

    @property
    def names(self) -> tuple[str, ...]:
        """Of all columns, in the order of the schema."""
        return tuple(rules.output_name for rules in self.schema.columns)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Where each row that is read stands in the file, from 0."""
        rows = self.store.find_rows(self._key_of_rows)
        if rows is None:
            self._read(self.names[:1])
            rows = self.store.find_rows(self._key_of_rows)
        return np.zeros(0, dtype=np.int64) if rows is None else rows

    def list_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role."""
        return tuple(rules.output_name for rules in self.schema.columns if rules.role is role)

    def select(self, names: Iterable[str]) -> dict[str, TreeColumn]:
        """Return columns by name.

        Raises:
            ParameterError: one is not read.
            InputError: the file cannot be read.
            FaultsError: cells do not fit the schema.
        """
        wanted = tuple(dict.fromkeys(names))
        strange = [name for name in wanted if name not in self.names]
        if strange:
            raise ParameterError(
                "columns", Said("be one of {choices}", choices=", ".join(self.names)), ", ".join(strange)
            )
        columns = {name: self.store.find(self._key_of(name), name) for name in wanted}
        if any(column is None for column in columns.values()):
            self._read(wanted)
            columns = {name: self.store.find(self._key_of(name), name) for name in wanted}
        return {name: column for name, column in columns.items() if column is not None}

    def select_codes(self, names: Iterable[str]) -> dict[str, ColumnCodes]:
        """Return columns by name as classes are counted of them: a missing cell is the last value."""
        return {name: recode_gaps(column) for name, column in self.select(names).items()}

    def _read(self, wanted: Sequence[str]) -> None:
        own = read_own(self.store.path, self.schema)
        named = [name for name in own.data.schema.names if name in wanted or self._is_cheap(name)]
        columns = {self._key_of(name): TreeColumn.of(own.data, name) for name in named}
        self.store.keep(columns, self._key_of_rows, own.rows)

    def _is_cheap(self, name: str) -> bool:
        """Tell whether a column that nobody asked for is coded at once: a million names are not."""
        return next(one.role for one in self.schema.columns if one.output_name == name) is not Role.IDENTIFIER

    @property
    def _key_of_rows(self) -> str:
        return _digest([self.store.digest, asdict(self.schema.file), self.schema.missing_cells, self._dropping])

    @property
    def _dropping(self) -> list[object]:
        """The columns that may drop rows, or of which the others learn how numbers are written."""
        drops = self.schema.missing_cells is Missing.DROP or self.schema.file.decimal is None
        return [
            _tell_rules(rules)
            for rules in self.schema.columns
            if drops or rules.missing is Missing.DROP or rules.outside is Outside.DROP
        ]

    def _key_of(self, name: str) -> str:
        rules = next(one for one in self.schema.columns if one.output_name == name)
        return _digest([self._key_of_rows, self.schema.shape, _tell_rules(rules)])


def read_schema(folder: Path) -> SchemaFile:
    """Return the schema of a version.

    Raises:
        InputError: there is none, as of a table.
        SettingsError: its keys are wrong; all of them at once.
    """
    place = folder / "schema.toml"
    if not place.exists():
        raise InputError(folder, Said("has no schema: the cells of a table are counted by its own page"))
    return build_settings(read_toml(place), SchemaFile, source=place.name)


def recode_gaps(column: TreeColumn) -> ColumnCodes:
    """Return a column as classes are counted of it: a missing cell, which a tree has first, is the last value."""
    if not column.has_gaps:
        return ColumnCodes(codes=column.codes, values=column.texts)
    last = len(column.texts) - 1
    codes = np.where(column.codes == 0, last, column.codes - 1)
    return ColumnCodes(codes=codes, values=(*column.texts[1:], None))


def _tell_rules(rules: ColumnRules) -> object:
    """Return what decides how a column is read; of its role only whether it says whose a row is."""
    return {**asdict(rules), "role": rules.role is Role.IDENTIFIER}


def _digest(told: object) -> str:
    return sha256(json.dumps(as_plain(told), sort_keys=True).encode()).hexdigest()[:32]


def _pack_column(key: str, column: TreeColumn) -> dict[str, bytes]:
    values: dict[str, object] = {"text": pl.Series(column.texts, dtype=pl.String)}
    if column.kind.numeric:
        values["number"] = column.numbers
    told = {"kind": column.kind.value, "decimals": column.decimals}
    small = pl.UInt32 if len(column.texts) < 1 << 32 else pl.Int64
    return {
        f"{key}.codes.arrow": _write_arrow(pl.DataFrame({"code": pl.Series(column.codes).cast(small)})),
        f"{key}.values.arrow": _write_arrow(pl.DataFrame(values)),
        f"{key}.json": json.dumps(told).encode(),
    }


def _read_column(folder: Path, key: str, name: str) -> TreeColumn | None:
    told = read_plain(folder / f"{key}.json")
    codes, values = (_read_arrow(folder / f"{key}.{part}.arrow") for part in ("codes", "values"))
    if told is None or codes is None or values is None:
        return None
    kind = Kind(told["kind"])
    return TreeColumn(
        name=name,
        kind=kind,
        decimals=int(told["decimals"]),
        texts=tuple(values["text"].to_list()),
        codes=codes["code"].cast(pl.Int64).to_numpy(),
        numbers=values["number"].to_numpy() if kind.numeric else np.zeros(0, dtype=np.int64),
    )


def _write_arrow(frame: pl.DataFrame) -> bytes:
    stream = BytesIO()
    frame.write_ipc(stream)
    return stream.getvalue()


def _read_arrow(place: Path) -> pl.DataFrame | None:
    """Return a file that was written here; None where there is none, or it was cut short."""
    try:
        return pl.read_ipc(BytesIO(place.read_bytes()))
    except (OSError, pl.exceptions.PolarsError):
        return None
