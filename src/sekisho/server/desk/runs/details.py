"""What came of one candidate of a run, in files of its own: a click on it costs the reading of a file.

Everything is the report's: its blocks told of this candidate alone, cut at their headings; nothing is worded here.
Rows stand side by side as the files write them, fifty a page; columns that say who it is are masked before anything is
written.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import publish_texts
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.gate.account.account import Account
from sekisho.gate.account.answers import list_answers
from sekisho.gate.counted.stage import CountedCandidate, CountedStage
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, Candidate, Outcome, Reason, ReviewedCandidate
from sekisho.gate.recipes.keys import write_key
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.journey.entry import Entry
from sekisho.journey.run_pages import make_story
from sekisho.report.kit.blocks import Block, Heading
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import Html
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.records.classes import ColumnCodes
from sekisho.server.desk.plain_data import Plain, as_plain, read_plain, say_both, write_plain
from sekisho.server.desk.questions import MASK, list_worst_classes
from sekisho.server.desk.runs.table_details import describe_cells
from sekisho.server.desk.words import name_control
from sekisho.utility.kept import tell_kept
from sekisho.words import Said, write_settings

CANDIDATES = "candidates"
CARD, SECTIONS, CELLS, ROWS = "card.json", "sections.json", "cells.json", "rows"
PAGE = 50
"""Rows a page."""
MOST_ROWS = 10_000
"""So many rows of a candidate are laid side by side."""
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
        told = describe_account(candidate.account, asked=list_asked(self.entry))
        card = {**describe_candidate(number, candidate), "pages": len(pages), "worst": worst, "account": told}
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
        "kept": [as_plain({**one.as_dict(), "words": tell_kept(one)}) for one in candidate.kept],
        "risk": as_plain(candidate.risk),
        "bound": _begin_sentence(candidate.found) if isinstance(candidate, CountedCandidate) else None,
        "exposure": as_plain(candidate.exposure),
        "reasons": describe_reasons(candidate.reasons),
        "statements": [as_plain(one.as_dict()) for one in candidate.statements],
        "cautions": as_plain([write_settings(one, write_key) for one in candidate.cautions]),
        "remarks": as_plain(candidate.remarks),
        "attacks": [_describe_attack(one) for one in candidate.attempts],
    }


def describe_reasons(reasons: Sequence[Reason]) -> list[object]:
    """Return why a verdict is no better; settings are named as the desk's controls are."""
    return [as_plain({**reason.as_dict(), "detail": write_settings(reason.detail, name_control)}) for reason in reasons]


def list_asked(entry: Entry) -> tuple[str, ...]:
    """Return the guarantees that a recipe of records asks for; of other shapes none is asked for by name here."""
    stage = entry.stage
    recipe = stage.recipe if isinstance(stage, RecordsStage | CountedStage) else None
    return tuple(recipe.guarantees.wanted) if isinstance(recipe, RecordsRecipe) else ()


def describe_account(account: Account, *, asked: Collection[str] = ()) -> Plain | None:
    """Return what covers everything that leaves, and what would close what is open; None of a contest's round.

    Args:
        account: of a candidate.
        asked: the guarantees that are asked for.
    """
    if account.asks_round:
        return None
    harmless = account.harmless
    return {
        "words": say_both(write_settings(account.describe(), name_control)),
        "closed": account.is_closed,
        "attackers": account.attackers,
        "least": None if harmless is None else harmless.least,
        "entries": [
            {
                "subject": entry.subject,
                "cover": entry.cover.value,
                "by": say_both(write_settings(entry.by, name_control)),
                "alone": entry.alone,
                "answers": () if account.attackers else [answer.value for answer in list_answers(entry, asked=asked)],
            }
            for entry in account.entries
        ],
    }


def _begin_sentence(words: Said) -> Plain:
    return {language: text[:1].upper() + text[1:] for language, text in say_both(words).items()}


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
    """Return the cells of a candidate's tables; None of other shapes."""
    return read_plain(find_candidate(folder, number) / CELLS)
