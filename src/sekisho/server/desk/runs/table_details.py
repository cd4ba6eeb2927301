"""What a run writes of the cells of its tables: what is hidden, who could know it how closely, and what it protects.

Of several tables each tells its own cells by its own codes; what a cell protects may stand in another of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.stage import TableStage
from sekisho.server.desk.plain_data import Plain, as_plain
from sekisho.tables.explain import InsideReason, conclude_if_shown, explain_shown, list_inside_reasons
from sekisho.tables.explain import reasons as explain_cells
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.table_rules import write_rule

MOST_CELLS = 20_000
WHY_SECONDS = 20.0
"""So long is looked for why cells are hidden; what is not reached by then is told as not looked at."""
DIGITS = 6
"""Beyond these, what a solver says is its tolerance."""
UNSAFE, OPEN = "U", "R"
"""Letters of cells that are not hidden: unsafe and shown so that it stays open; another of which a range is known."""
MOST_NAMED = 5
LETTERS = {Status.PRIMARY: "P", Status.SECONDARY: "S"}


def describe_cells(candidate: TableCandidate, stage: object = None) -> Plain:
    """Return the cells of each table: what is hidden, in which interval an attacker places it, and what it protects.

    Args:
        candidate: the pattern.
        stage: the table's, whose rules say why a cell is unsafe.
    """
    joint, audit, parts = candidate.release.table, candidate.finding.audit, candidate.finding.system.parts
    ends = zip(audit.cells.tolist(), audit.low.tolist(), audit.high.tolist(), strict=True)
    places = CellPlaces.of(joint, parts)
    told = ToldCells(
        table=joint,
        intervals={cell: (low, high) for cell, low, high in ends},
        why={} if candidate.release.made is not None else dict(_explain(joint, places, candidate.finding.coalition)),
        flagged=_list_flags(stage) if isinstance(stage, TableStage) else {},
        shown=None if candidate.release.made is None else candidate.release.made.release.shown,
        said=_explain_shown(candidate),
    )
    return {
        "tables": [
            {
                "name": name,
                "dims": list(part.dims),
                "margins": list(part.margins),
                "parts": _list_parts(part),
                "total": int((~part.unpublished).sum()),
                "cells": [
                    {"key": list(part.keys[own]), "shared": places.list_others(cell, name), **told.describe(cell)}
                    for own, cell in enumerate(cells)
                    if not part.unpublished[own]
                ][:MOST_CELLS],
            }
            for (name, cells), part in zip(places.tables.items(), parts, strict=True)
        ]
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellPlaces:
    """Where the cells of a system stand in its tables.

    Attributes:
        tables: by name the cell of the system for each of a table's own; one without a name where it is alone.
        keys: by name the codes of each of its cells.
    """

    tables: Mapping[str, Sequence[int]]
    keys: Mapping[str, Mapping[int, list[str]]]

    @classmethod
    def of(cls, joint: Table, parts: Sequence[Table]) -> CellPlaces:
        """Find the places of a system's cells."""
        linked = {one.name: one.cells for one in joint.linked} or {"": range(len(joint))}
        keys = {
            name: {cell: list(part.keys[own]) for own, cell in enumerate(cells)}
            for (name, cells), part in zip(linked.items(), parts, strict=True)
        }
        return cls(tables=linked, keys=keys)

    def list_others(self, cell: int, table: str) -> list[str]:
        """Return the other tables in which a cell stands."""
        return [name for name, held in self.keys.items() if name != table and cell in held]

    def find(self, cell: int) -> dict[str, list[str]]:
        """Return by table the codes under which a cell stands there."""
        return {name: held[cell] for name, held in self.keys.items() if cell in held}

    def find_sum(self, cells: Sequence[int]) -> Mapping[int, list[str]] | None:
        """Return the codes of the table in which all of these cells stand; None where there is none."""
        return next((held for held in self.keys.values() if all(cell in held for cell in cells)), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToldCells:
    """What is told of the cells of a system, whichever table they are shown in."""

    table: Table
    intervals: Mapping[int, tuple[float, float]]
    why: Mapping[int, list[Plain]]
    flagged: Mapping[str, NDArray[np.bool_]]
    shown: NDArray[np.float64] | None = None
    said: Mapping[int, Plain] = field(default_factory=dict[int, Plain])

    def describe(self, cell: int) -> Plain:
        """Return what is told of one; where every cell is shown somehow, what it is shown as beside the truth."""
        told = self._describe_hidden(cell)
        if self.shown is None:
            return told
        open_ends = self.intervals.get(cell)
        known = open_ends is None or open_ends[0] == open_ends[1]
        letter = UNSAFE if self.table.primary[cell] else "" if known else OPEN
        shown = as_plain(self.shown[cell].tolist())
        return {**told, "letter": letter, "value": shown, "said": self.said.get(cell)}

    def _describe_hidden(self, cell: int) -> Plain:
        table, hidden = self.table, bool(self.table.suppressed[cell])
        return {
            "cell": cell,
            "letter": LETTERS.get(Status(int(table.status[cell])), "") if hidden else "",
            "value": None if hidden else as_plain(table.value[cell]),
            "true": as_plain(table.value[cell]) if hidden or self.shown is not None else None,
            "contributors": int(table.frequency[cell]),
            "interval": as_plain(self.intervals.get(cell)),
            "rules": [word for word, mask in self.flagged.items() if table.primary[cell] and mask[cell]],
            "why": self.why.get(cell),
        }


def _explain_shown(candidate: TableCandidate) -> dict[int, Plain]:
    """Return by cell why it is shown so and what its number says alone; nothing where cells are hidden instead."""
    made, table = candidate.release.made, candidate.release.table
    if made is None:
        return {}
    cells = np.flatnonzero(~table.unpublished)[:MOST_CELLS].tolist()
    told = explain_shown(made.release, candidate.finding.audit, cells, candidate.release.witnesses)
    return {
        each.cell: {
            "why": as_plain(each.why),
            "alone": as_plain(each.alone),
            "protects": [table.named(cell) for cell in each.protects[:MOST_NAMED]],
        }
        for each in told
    }


def _list_flags(stage: TableStage) -> dict[str, NDArray[np.bool_]]:
    """Return by rule which cells it calls unsafe; the rules of counts are asked of cells that count."""
    table = stage.table
    parts = [(stage.rules, table.counts if stage.counts is None else stage.counts, tuple(range(len(table))))]
    if stage.values:
        parts = [(one.rules, one.counts, linked.cells) for one, linked in zip(stage.values, table.linked, strict=True)]
    flags: dict[str, NDArray[np.bool_]] = {}
    for rules, counts, cells in parts:
        among = np.isin(np.arange(len(table)), cells)
        chosen = rules.choose(counts=counts, flagged=True)
        for asked, rule in zip((*rules.rules, *chosen[len(rules.rules) :]), chosen, strict=True):
            word = write_rule(asked).partition(" ")[0]
            flags[word] = flags.get(word, np.zeros(len(table), dtype=np.bool_)) | (rule.flag(table) & among)
    return flags


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


def _explain(table: Table, places: CellPlaces, coalition: int) -> Iterator[tuple[int, list[Plain]]]:
    """Give secondary by secondary what it protects, as long as there is time: from everybody, else from insiders."""
    end = monotonic() + WHY_SECONDS
    for one in explain_cells(table):
        if coalition and not one.chains:
            yield (
                one.cell,
                [_tell_inside(each, places) for each in list_inside_reasons(table, one.cell, coalition=coalition)],
            )
            if monotonic() > end:
                return
            continue
        intervals = conclude_if_shown(table, one.cell, [chain.primary for chain in one.chains])
        yield (
            one.cell,
            [
                {
                    "protects": places.find(chain.primary),
                    "equations": [table.equations[at] for at in chain.equations],
                    "sums": [_tell_sum(table, at, places) for at in chain.equations],
                    "through": [places.find(at) for at in chain.through],
                    "shown": as_plain([round(end, DIGITS) for end in interval]),
                }
                for chain, interval in zip(one.chains, intervals, strict=True)
            ],
        )
        if monotonic() > end:
            return


def _tell_inside(reason: InsideReason, places: CellPlaces) -> Plain:
    return {
        "protects": places.find(reason.primary),
        "insider": places.find(reason.insider),
        "equations": [],
        "sums": [],
        "through": [],
        "shown": as_plain([round(end, DIGITS) for end in (reason.low, reason.high)]),
    }


def _tell_sum(table: Table, row: int, places: CellPlaces) -> Plain | None:
    """Return an equation in figures, those of hidden cells left open; None for one that is no sum of a table."""
    total, summands = _split_sum(table, row)
    codes = None if total is None else places.find_sum([total, *summands])
    if total is None or codes is None:
        return None
    figures = [
        {
            "key": codes[cell],
            "value": None if table.suppressed[cell] or table.unpublished[cell] else as_plain(table.value[cell]),
        }
        for cell in (total, *summands)
    ]
    return {"total": figures[0], "parts": figures[1:]}
