"""What came of one candidate of a run, in files of its own: a click on it costs the reading of a file.

Everything is the report's: its blocks told of this candidate alone, cut at their headings; nothing is worded here.
Rows stand side by side as the files write them, fifty a page; columns that say who it is are masked before anything is
written.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import publish_texts
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, Candidate, Outcome, ReviewedCandidate
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.stage import TableCandidate, TableStage
from sekisho.journey.entry import Entry
from sekisho.journey.run import make_story
from sekisho.report.kit.blocks import Block, Heading
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import Html
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.records.classes import ColumnCodes
from sekisho.server.desk.plain_data import Plain, as_plain, read_plain, say_both, write_plain
from sekisho.server.desk.questions import MASK, list_worst_classes
from sekisho.tables.explain import conclude_if_shown
from sekisho.tables.explain import reasons as explain_cells
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.table_rules import write_rule
from sekisho.words import Said

CANDIDATES = "candidates"
CARD, SECTIONS, CELLS, ROWS = "card.json", "sections.json", "cells.json", "rows"
PAGE = 50
"""Rows a page."""
MOST_ROWS = 10_000
"""So many rows of a candidate are laid side by side."""
MOST_CELLS = 20_000
WHY_SECONDS = 20.0
"""So long is looked for why cells are hidden; what is not reached by then is told as not looked at."""
DIGITS = 6
"""Beyond these, what a solver says is its tolerance."""
LETTERS = {Status.PRIMARY: "P", Status.SECONDARY: "S"}
TOP = Said("verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailWriter:
    """Writes what came of the candidates of a run.

    Attributes:
        entry: what is run.
        folder: of the run.
    """

    entry: Entry
    folder: Path

    def write(self, number: int, candidate: Candidate[Any], outcome: Outcome[Any]) -> None:
        """Write what came of one candidate; its folder appears whole."""
        place = find_candidate(self.folder, number)
        part = place.with_name(f".{place.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        (part / ROWS).mkdir(parents=True, mode=0o700)
        alone = Outcome(shape=outcome.shape, seed=outcome.seed, candidates=(candidate,))
        _, blocks = make_story(self.entry, alone, (), Edition.CONFIDENTIAL)
        files: dict[Path, object] = {part / SECTIONS: {"sections": cut_sections(blocks)}}
        pages: Sequence[Plain] = ()
        worst: object = None
        if isinstance(candidate, TableCandidate):
            files[part / CELLS] = describe_cells(candidate, self.entry.stage)
        elif isinstance(candidate, ReviewedCandidate):
            pages = lay_side_by_side(self.entry, candidate.release)
            worst = _find_worst(self.entry, candidate.release)
            files |= {part / ROWS / f"{page:04d}.json": rows for page, rows in enumerate(pages)}
        card = {**describe_candidate(number, candidate), "pages": len(pages), "worst": worst}
        write_plain({**files, part / CARD: card})
        shutil.rmtree(place, ignore_errors=True)
        part.rename(place)


def find_candidate(folder: Path, number: int) -> Path:
    """Return where the details of one candidate of a run are."""
    return folder / CANDIDATES / f"{number:04d}"


def describe_candidate(number: int, candidate: Candidate[Any]) -> Plain:
    """Return the figures of a candidate, its reasons and its attacks."""
    return {
        "number": number,
        "label": candidate.label,
        "verdict": candidate.verdict.value,
        "verdict_words": say_both(candidate.verdict.words),
        "loss": as_plain(candidate.score.value),
        "measures": as_plain(candidate.score.detail),
        "risk": as_plain(candidate.risk),
        "exposure": as_plain(candidate.exposure),
        "reasons": [as_plain(one.as_dict()) for one in candidate.reasons],
        "statements": [as_plain(one.as_dict()) for one in candidate.statements],
        "cautions": as_plain(candidate.cautions),
        "remarks": as_plain(candidate.remarks),
        "attacks": [_describe_attack(one) for one in candidate.attempts],
    }


def _describe_attack(attempt: Attempt) -> Plain:
    rate = HitRate(hits=attempt.hits, trials=attempt.claimed) if attempt.claimed else None
    return {
        "adversary": attempt.adversary,
        "claimed": attempt.claimed,
        "hits": attempt.hits,
        "by_chance": as_plain(attempt.baseline),
        "low": None if rate is None else as_plain(rate.low),
        "high": None if rate is None else as_plain(rate.high),
        "strength": as_plain(attempt.strength),
        "refutes": attempt.refutes,
    }


def cut_sections(blocks: Sequence[Block]) -> list[Plain]:
    """Return the blocks of a page as HTML in both languages, a part a heading; the first has the answer."""
    medium, sections = Html(), list[tuple[str, list[str]]]([(TOP, [])])
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append((block.text, []))
        else:
            sections[-1][1].append(block.render(medium))
    return [
        {"key": str(title), "title": say_both(title), "html": "\n".join(parts)} for title, parts in sections if parts
    ]


def lay_side_by_side(entry: Entry, release: Release) -> list[Plain]:
    """Return rows of the original beside what became of them, in the original's order, fifty a page."""
    stage = entry.stage
    if not isinstance(stage, HistoryStage | RecordsStage):
        return []
    whole = len(release.deleted)
    shown = np.arange(min(whole, len(stage.original), MOST_ROWS))
    data = Dataset(stage.original.frame[: len(shown)], stage.original.schema)
    fields = _list_fields(stage, stage.original.schema)
    kept = release.take(shown)
    before = publish_texts(exact_table(data), fields).frame
    after = publish_texts(kept, fields).frame
    people = _name_people(kept, len(shown))
    columns = [
        {"name": each.name, "role": each.role.value, "masked": each.role is Role.IDENTIFIER}
        for each in stage.original.schema
    ]
    rows = [
        {"row": row + 1, "original": one, "release": None if gone else other}
        for row, (one, other, gone) in enumerate(
            zip(
                _list_rows(before, stage.original.schema, [MASK] * len(shown)),
                _list_rows(after, stage.original.schema, people),
                kept.deleted.tolist(),
                strict=True,
            )
        )
    ]
    common = {"columns": columns, "total": whole, "shown": len(rows), "pages": -(-len(rows) // PAGE)}
    return [
        {**common, "page": start // PAGE, "rows": rows[start : start + PAGE]} for start in range(0, len(rows), PAGE)
    ]


def _list_fields(stage: HistoryStage | RecordsStage, schema: Schema) -> Mapping[str, FieldRules]:
    return {each.name: each for each in stage.recipe.rules.layout.settle_columns(schema).columns}


def _name_people(release: Release, rows: int) -> list[str]:
    """Return under which pseudonym each row is released; masked where there is none."""
    pseudonym = release.table.pseudonym
    return [MASK] * rows if pseudonym is None else [str(one) for one in pseudonym.tolist()]


def _list_rows(frame: pl.DataFrame, schema: Schema, people: Sequence[str]) -> Iterator[list[str | None]]:
    """Give rows as texts in the order of the schema; whoever it is stands as said."""
    columns = [
        people
        if each.role is Role.IDENTIFIER
        else frame[each.name].cast(pl.String).to_list()
        if each.name in frame.columns
        else [None] * len(people)
        for each in schema
    ]
    return (list(row) for row in zip(*columns, strict=True))


def _find_worst(entry: Entry, release: Release) -> list[Plain]:
    """Return the smallest classes of the keys as they are released; none of a history, whose keys are its rows."""
    stage = entry.stage
    if not isinstance(stage, RecordsStage):
        return []
    keys = [each.name for each in stage.original.schema if each.role is Role.QUASI]
    left = release.take(~release.deleted)
    if not keys or not len(left.table):
        return []
    texts = publish_texts(left, _list_fields(stage, stage.original.schema)).frame
    return list_worst_classes({name: ColumnCodes.of(texts[name].cast(pl.String)) for name in keys if name in texts})


def describe_cells(candidate: TableCandidate, stage: object = None) -> Plain:
    """Return the cells of a table: what is hidden, in which interval an attacker places it, and what it protects.

    Args:
        candidate: the pattern.
        stage: the table's, whose rules say why a cell is unsafe.
    """
    table, audit = candidate.release.table, candidate.finding.audit
    cells = np.flatnonzero(~table.unpublished)[:MOST_CELLS]
    ends = zip(audit.cells.tolist(), audit.low.tolist(), audit.high.tolist(), strict=True)
    intervals = {audit.table.keys[cell]: (low, high) for cell, low, high in ends}
    why = dict(_explain(table))
    flagged = _list_flags(table, stage) if isinstance(stage, TableStage) else {}
    hidden = table.suppressed
    return {
        "dims": list(table.dims),
        "margins": list(table.margins),
        "parts": _list_parts(table),
        "total": int((~table.unpublished).sum()),
        "cells": [
            {
                "cell": cell,
                "key": list(table.keys[cell]),
                "letter": LETTERS.get(Status(int(table.status[cell])), "") if hidden[cell] else "",
                "value": None if hidden[cell] else as_plain(table.value[cell]),
                "true": as_plain(table.value[cell]) if hidden[cell] else None,
                "contributors": int(table.frequency[cell]),
                "interval": as_plain(intervals.get(table.keys[cell])),
                "rules": [word for word, mask in flagged.items() if table.primary[cell] and mask[cell]],
                "why": why.get(cell),
            }
            for cell in cells.tolist()
        ],
    }


def _list_flags(table: Table, stage: TableStage) -> dict[str, NDArray[np.bool_]]:
    """Return by rule which cells it calls unsafe."""
    rules = stage.rules.choose(counts=table.counts if stage.counts is None else stage.counts, flagged=True)
    words = map(write_rule, (*stage.rules.rules, *rules[len(stage.rules.rules) :]))
    return {word.partition(" ")[0]: rule.flag(stage.table) for word, rule in zip(words, rules, strict=True)}


def _list_parts(table: Table) -> list[dict[str, list[str]]]:
    """Return for each dimension by code of what codes it is the sum."""
    parts: list[dict[str, list[str]]] = [{} for _ in table.dims]
    for row in range(table.matrix.shape[0]):
        total, summands = _split_sum(table, row)
        if total is not None and summands:
            pair = zip(table.keys[total], table.keys[summands[0]], strict=True)
            axes = [axis for axis, (one, other) in enumerate(pair) if one != other]
            if len(axes) == 1:
                codes = [table.keys[cell][axes[0]] for cell in summands]
                parts[axes[0]].setdefault(table.keys[total][axes[0]], codes)
    return parts


def _split_sum(table: Table, row: int) -> tuple[int | None, list[int]]:
    """Return the total of an equation and its parts; None for one that is no sum."""
    matrix = table.matrix
    cells = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    signs = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
    totals = cells[signs < 0].tolist()
    return totals[0] if len(totals) == 1 else None, cells[signs > 0].tolist()


def _explain(table: Table) -> Iterator[tuple[int, list[Plain]]]:
    """Give secondary by secondary what it protects, as long as there is time."""
    end = monotonic() + WHY_SECONDS
    for one in explain_cells(table):
        intervals = conclude_if_shown(table, one.cell, [chain.primary for chain in one.chains])
        yield (
            one.cell,
            [
                {
                    "protects": list(table.keys[chain.primary]),
                    "equations": [table.equations[at] for at in chain.equations],
                    "sums": [_tell_sum(table, at) for at in chain.equations],
                    "through": [list(table.keys[at]) for at in chain.through],
                    "shown": as_plain([round(end, DIGITS) for end in interval]),
                }
                for chain, interval in zip(one.chains, intervals, strict=True)
            ],
        )
        if monotonic() > end:
            return


def _tell_sum(table: Table, row: int) -> Plain | None:
    """Return an equation in figures, those of hidden cells left open; None for one that is no sum."""
    total, summands = _split_sum(table, row)
    if total is None:
        return None
    figures = [
        {
            "key": list(table.keys[cell]),
            "value": None if table.suppressed[cell] or table.unpublished[cell] else as_plain(table.value[cell]),
        }
        for cell in (total, *summands)
    ]
    return {"total": figures[0], "parts": figures[1:]}


def read_card(folder: Path, number: int) -> Plain | None:
    """Return the figures of a candidate; None while it is not finished."""
    return read_plain(find_candidate(folder, number) / CARD)


def read_sections(folder: Path, number: int) -> list[Plain]:
    """Return the parts of a candidate's page, each with key, title and HTML in both languages."""
    content = read_plain(find_candidate(folder, number) / SECTIONS)
    return [] if content is None else content["sections"]


def read_rows(folder: Path, number: int, page: int) -> Plain | None:
    """Return a page of rows side by side; None where there is none."""
    return read_plain(find_candidate(folder, number) / ROWS / f"{page:04d}.json")


def read_cells(folder: Path, number: int) -> Plain | None:
    """Return the cells of a candidate's table; None of other shapes."""
    return read_plain(find_candidate(folder, number) / CELLS)
