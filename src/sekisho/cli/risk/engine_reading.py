"""The file of ``sekisho risk``, opened beyond memory: the same columns, treatment of missing cells and refusals."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import narwhals as nw
import numpy as np
import pyarrow as pa

from sekisho.cli.kit.answer import say
from sekisho.cli.risk.reading import (
    QuestionOptions,
    RiskFileOptions,
    RoleOptions,
    choose_columns,
    read_trees,
    settle_schema,
)
from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Batch, file_column, list_kinds
from sekisho.data.engines.scan import Scan, find_large_mark, take_texts
from sekisho.data.engines.schema_files.text_rows import open_table_within, open_text_table, refuse_forms
from sekisho.data.files.plain_files.number_forms import read_floats
from sekisho.errors import LISTED, ParameterError
from sekisho.safety.records.engine.records import COUNT, ROW, WEIGHT, EngineRecords, treat_large_missing
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.reidentification import refuse_weights
from sekisho.safety.records.text_records import parse_population
from sekisho.words import Said


@contextmanager
def open_large_records(
    path: Path,
    roles: RoleOptions,
    file: RiskFileOptions,
    question: QuestionOptions,
    choice: EngineChoice,
) -> Generator[EngineRecords]:
    """Open the records of a file and say how it was read."""
    schema, treatment = settle_schema(file)
    with open_text_table(path, schema, choice, row=ROW) as table:
        scan = table.scan
        columns = choose_columns(roles, table.roles)
        columns.check(table.names, source=str(path))
        if columns.household:
            raise ParameterError("household", Said("not be given beside --engine"), columns.household)
        whole = scan.count_rows()
        say(Said("{path}: {form}; {whole:,} records", path=path, form=scan.form, whole=whole))
        for notice in table.notices:
            say(str(notice))
        refuse_forms(table, columns.used, [each.column for each in schema.said])
        used = scan.ask(scan.frame.select(*map(file_column, columns.used), ROW))
        kept = treat_large_missing(used, columns.used, treatment, source=str(path))
        rows = whole if kept is used else kept.count_rows()
        if rows < whole:
            say(Said("{dropped:,} records dropped: a cell is missing", dropped=whole - rows))
        trees = read_trees(question.trees or (), columns.sensitive)
        weighed = _add_weights(kept, columns.weights, path) if columns.weights else kept
        people, population = _open_population(weighed, columns.keys, question.population, rows, schema=file)
        yield EngineRecords(
            scan=weighed,
            choice=columns,
            trees=trees,
            people=people,
            population=population,
            source=str(path),
            population_source=question.population,
        )


def _add_weights(scan: Scan, name: str, path: Path) -> Scan:
    """Return records with their weights as numbers; refuse those that are none."""
    kind = list_kinds(scan.frame)[name]
    if kind == nw.String:
        first = scan.probe()
        kernel = _WeightKernel(name, find_large_mark(scan, [name], None))
        weighed = map_blocks(scan, kernel, kernel(first).schema)
    else:
        weighed = scan.ask(scan.frame.with_columns(file_column(name).cast(nw.Float64).alias(WEIGHT)))
    weight = nw.col(WEIGHT)
    unfit = weighed.frame.filter(weight.is_null() | ~weight.is_finite() | (weight <= 0))
    count = int(weighed.collect(unfit.select(nw.len().alias(COUNT)))[COUNT][0])
    if count:
        bad = weighed.collect(unfit.select(ROW, file_column(name)).sort(ROW).head(LISTED))
        texts = scan.show(bad[name]).fill_null("").to_list()
        raise refuse_weights(texts, bad[ROW].to_list(), name=name, source=str(path), count=count)
    return weighed


class _WeightKernel:
    """Adds the weights of a block of rows as numbers, not a number where the text is none."""

    def __init__(self, name: str, mark: str) -> None:
        self.name, self.mark = name, mark

    def __call__(self, block: Batch) -> Batch:
        weights = (
            read_floats(take_texts(block, self.name), self.mark).fill_null(float("nan")).to_numpy().astype(np.float64)
        )
        return block.append_column(WEIGHT, pa.array(weights))


def _open_population(
    scan: Scan, keys: tuple[str, ...], text: str, rows: int, *, schema: RiskFileOptions
) -> tuple[int | None, Scan | None]:
    """Return how many people there are, as said, or the file of the population with the sample's keys."""
    if not text:
        return None, None
    people = parse_population(text, rows)
    if people is not None:
        return people, None
    table = open_table_within(scan.session, Path(text), settle_schema(schema)[0])
    KeyChoice(keys=keys).check(table.names, source=text)
    population = table.scan
    kinds, others = list_kinds(scan.frame), list_kinds(population.frame)
    for name in keys:
        if kinds[name] != others[name]:
            rule = Said("have the same kind of column {name} as the file ({kinds})", name=name, kinds=kinds[name])
            raise ParameterError("population", rule, str(others[name]))
    return None, population.ask(population.frame.select(*map(file_column, keys)))
