"""The file of ``sekisho risk``, read: keys and sensitive columns coded, weights as numbers, the population matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.cli.kit.answer import say
from sekisho.cli.risk.options import QuestionOptions, RiskFileOptions, RoleOptions
from sekisho.data.files.output_paths import is_file
from sekisho.data.files.plain_files.number_columns import find_mark, read_floats
from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, FileRules, Missing, SaidKind, SchemaFile
from sekisho.data.files.values.exact_numbers import parse_exact
from sekisho.data.frame.schema import Role
from sekisho.data.records.text_table import TextTable, read_text_table, treat_missing
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.rulebooks import read_record_terms
from sekisho.safety.records.assessment import KeyedRecords
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.individual import check_weights
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.presence import match_population
from sekisho.words import Said


def read_keyed_records(
    path: Path, roles: RoleOptions, file: RiskFileOptions, question: QuestionOptions
) -> KeyedRecords:
    """Return the records of a file and say how it was read."""
    schema, treatment = settle_schema(file)
    table = read_text_table(path, schema)
    choice = choose_columns(roles, table.roles)
    choice.check(table.names, source=str(path))
    _say_reading(path, table)
    whole = table.frame.select(choice.used)
    kept = treat_missing(whole, treatment, source=str(path))
    frame = whole if len(kept) == whole.height else whole[kept]
    if len(kept) < whole.height:
        say(Said("{dropped:,} records dropped: a cell is missing", dropped=whole.height - len(kept)))
    rows = table.rows[kept]
    sensitive = {name: _code_sensitive(frame[name]) for name in choice.sensitive}
    records = KeyedRecords(
        keys={name: ColumnCodes.of(frame[name]) for name in choice.keys},
        sensitive={name: column for name, (column, _) in sensitive.items()},
        ordered=frozenset(name for name, (_, is_ordered) in sensitive.items() if is_ordered),
        trees=read_trees(question.trees or (), choice.sensitive),
        weights=_read_weights(frame[choice.weights], rows, path) if choice.weights else None,
        rows=rows,
    )
    return _add_population(records, frame.select(choice.keys), question.population, schema)


def choose_columns(options: RoleOptions, roles: Mapping[str, Role]) -> KeyChoice:
    """Return the columns that options name, and where they name none, those of the roles that a schema gives them."""
    by_role = {role: tuple(name for name, each in roles.items() if each is role) for role in Role}
    sensitive = split_names(options.sensitive) or by_role[Role.SENSITIVE]
    identifier = options.identifier or next(iter(by_role[Role.IDENTIFIER]), "")
    taken = {*sensitive, options.weights}
    keys = split_names(options.keys) or tuple(name for name in by_role[Role.QUASI] if name not in taken)
    return KeyChoice(keys=keys, sensitive=sensitive, weights=options.weights, identifier=identifier)


def split_names(text: str) -> tuple[str, ...]:
    """Return the columns that an option names."""
    return tuple(part for part in text.split(",") if part)


def settle_schema(file: RiskFileOptions) -> tuple[SchemaFile, Missing]:
    """Return how the file is written, and what becomes of missing cells."""
    if not file.schema:
        treatment = next((one for one in Missing if one.value == file.missing), None)
        texts = split_names(file.missing) if treatment is None else ()
        rules = FileRules(
            separator=file.separator,
            header=file.header,
            encoding=file.encoding,
            sheet=file.sheet,
            missing=("", *texts) if texts else MISSING_TEXTS,
        )
        said = tuple(map(SaidKind.parse, file.kinds or ()))
        return SchemaFile(shape=Shape.RECORDS, file=rules, said=said), treatment or Missing.CATEGORY
    given = {
        "--separator": file.separator,
        "--header": file.header,
        "--encoding": file.encoding,
        "--sheet": file.sheet,
        "--missing": file.missing or None,
        "--kind": file.kinds or None,
    }
    for name, value in given.items():
        if value is not None:
            raise ParameterError(name, Said("not be given beside --schema, which says how the file is written"), value)
    layout = read_record_terms(file.schema).layout
    if layout.strict:
        raise ParameterError("--schema", Said("be a schema of one's own data"), file.schema)
    return layout.described, Missing.CATEGORY


def _say_reading(path: Path, table: TextTable) -> None:
    say(Said("{path}: {form}; {whole:,} records", path=path, form=table.form, whole=table.frame.height))
    for notice in table.notices:
        say(str(notice))


def _code_sensitive(texts: pl.Series) -> tuple[ColumnCodes, bool]:
    """Return a sensitive column; where all its values are numbers, they stand in their order."""
    column = ColumnCodes.of(texts)
    words = pl.Series(column.values, dtype=pl.String)
    numbers = read_floats(words, find_mark([words], None))
    if numbers.null_count() or not bool(numbers.is_finite().all()):
        return column, False
    order = numbers.to_numpy().argsort(kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return ColumnCodes(codes=place[column.codes], values=tuple(column.values[at] for at in order.tolist())), True


def _read_weights(texts: pl.Series, rows: NDArray[np.int64], path: Path) -> NDArray[np.float64]:
    weights = read_floats(texts, find_mark([texts], None)).fill_null(float("nan")).to_numpy().astype(np.float64)
    check_weights(weights, texts.fill_null("").to_list(), rows, name=texts.name, source=str(path))
    return weights


def read_trees(words: Sequence[str], sensitive: Sequence[str]) -> dict[str, Tree]:
    """Return the trees of sensitive columns, each given as ``a=FILE``."""
    trees = dict[str, Tree]()
    for word in words:
        name, _, file = word.partition("=")
        if not file or name not in sensitive or name in trees:
            rule = (
                Said("be a=FILE, once for each of the sensitive columns ({sensitive})", sensitive=", ".join(sensitive))
                if sensitive
                else Said("be a=FILE, once for each of the sensitive columns (none is named)")
            )
            raise ParameterError("tree", rule, word)
        trees[name] = read_tree(Path(file))
    return trees


def parse_population(text: str, rows: int) -> int | None:
    """Return how many people there are: a number, or the records by a sampling fraction; None where it is a file.

    Raises:
        ParameterError: it is none of these.
    """
    try:
        number = parse_exact(text)
    except ValueError as error:
        if not is_file(Path(text)):
            rule = Said("be a number of people, a sampling fraction such as 0.01 or 1/100, or a file")
            raise ParameterError("population", rule, text) from error
        return None
    if number.denominator == 1 and text.strip().isdecimal():
        return int(number)
    if not 0 < number <= 1:
        raise ParameterError("population", Said("be whole, or a sampling fraction above 0 and at most 1"), text)
    return round(rows / number)


def _add_population(records: KeyedRecords, keys: pl.DataFrame, text: str, schema: SchemaFile) -> KeyedRecords:
    """Return the records with what is said of the population: its size, the sampling fraction, or its file."""
    if not text:
        return records
    people = parse_population(text, len(records))
    if people is not None:
        return replace(records, people=people)
    table = read_text_table(Path(text), schema)
    KeyChoice(keys=tuple(keys.columns)).check(table.names, source=text)
    population = match_population(keys, table.frame.select(keys.columns), source=text, rows=records.rows)
    return replace(records, population=population)
