"""The public page must name nobody and show no original row; the confidential one of the same outcome does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import null_space
from tests.report.pages.history.test_history_outcome import travelled as travelled_history
from tests.report.pages.records.test_records_outcome import travelled as travelled_records
from tests.report.pages.tables.test_outcome import stage_of

from sekisho.data.history import files as history_files
from sekisho.data.records import files as records_files
from sekisho.gate.outcome import Outcome
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.candidates import run
from sekisho.provenance import Provenance
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.history.outcome import outcome_blocks
from sekisho.report.pages.records.outcome import records_outcome_blocks
from sekisho.report.pages.tables.outcome import table_outcome_blocks
from sekisho.seeds import Seed
from sekisho.tables.model.table import Status

SECRET_SEED = 987_654_321
INPUT = Provenance(name="original", inputs={"T.csv": "d1ce" * 16})


def read_words(html: str) -> list[str]:
    """Return the words that a reader sees, in their order."""
    body = re.sub(r"<style>.*?</style>", " ", html, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", body).split()


def list_shown_rows(words: list[str], rows: Iterable[str]) -> list[str]:
    """Return the written rows whose cells stand one behind the other among the words."""
    told = f" {' '.join(words)} "
    return [row for row in rows if f" {row.replace(',', ' ')} " in told]


def history_page(edition: Edition) -> tuple[list[str], list[str]]:
    stage, outcome = travelled_history(1)
    seeded = replace(outcome, seed=Seed(SECRET_SEED))
    html = render_page("T", outcome_blocks(stage, seeded, origin=(INPUT,), edition=edition), edition=edition)
    written = history_files.write_original(stage.original, stage.recipe.rules).decode().splitlines()
    return read_words(html), written


def test_the_public_page_of_a_history_has_no_customer_no_row_no_seed_and_no_digest() -> None:
    words, rows = history_page(Edition.PUBLIC)
    secrets = {cell for row in rows for cell in row.split(",")[:3]}  # customers, dates and items
    assert secrets.isdisjoint(re.split(r"[^\w/]+", " ".join(words)))
    assert list_shown_rows(words, rows) == []
    assert list_shown_rows(words, [row.partition(",")[2] for row in rows]) == []
    assert str(SECRET_SEED) not in words
    assert INPUT.inputs["T.csv"] not in words


def test_both_pages_of_a_history_say_which_columns_give_people_away() -> None:
    for edition in Edition:
        words, _ = history_page(edition)
        assert "Which columns give people away" in " ".join(words)


def test_the_confidential_page_of_a_history_shows_what_the_public_one_must_not() -> None:
    words, rows = history_page(Edition.CONFIDENTIAL)
    tokens = re.split(r"[^\w/]+", " ".join(words))
    assert {row.split(",")[0] for row in rows} & set(tokens)
    assert list_shown_rows(words, [row.partition(",")[2] for row in rows])
    assert str(SECRET_SEED) in words
    assert INPUT.inputs["T.csv"] in words


@pytest.mark.parametrize("edition", Edition)
def test_no_page_of_records_shows_a_row_and_the_public_one_no_seed(edition: Edition) -> None:
    stage, outcome = travelled_records(0.01)
    seeded = replace(outcome, seed=Seed(SECRET_SEED))
    html = render_page("T", records_outcome_blocks(stage, seeded, origin=(INPUT,), edition=edition), edition=edition)
    rows = records_files.write_records(stage.original, stage.recipe.rules).decode().splitlines()
    words = read_words(html)
    assert len(rows) == 400
    assert list_shown_rows(words, rows) == []
    assert (str(SECRET_SEED) in words) is (edition is Edition.CONFIDENTIAL)
    assert (INPUT.inputs["T.csv"] in words) is (edition is Edition.CONFIDENTIAL)


def table_page(stage: TableStage, outcome: Outcome[TableCandidate], edition: Edition) -> str:
    return render_page("T", table_outcome_blocks(stage, outcome, origin=(INPUT,), edition=edition), edition=edition)


def conceal_table(candidate: TableCandidate) -> TableCandidate:
    """Return the same published cells over other hidden values, with unsafe and secondary cells exchanged."""
    table = candidate.finding.audit.table
    hidden = table.suppressed
    other = {Status.PRIMARY: Status.SECONDARY, Status.SECONDARY: Status.PRIMARY}
    status = np.array([other.get(Status(int(each)), Status(int(each))) for each in table.status], table.status.dtype)
    free = null_space(table.matrix.toarray()[:, hidden])[:, 0]  # what an outsider cannot know
    value = table.value.copy()
    value[hidden] += free / np.abs(free).max()
    width = np.full(len(value), 2.0)
    changed = replace(table, status=status, value=value, weight=table.weight + 3, sliding_level=width)
    audit = replace(candidate.finding.audit, table=changed)
    return replace(candidate, finding=replace(candidate.finding, audit=audit), label="another search")


def test_the_public_page_of_a_table_says_no_more_than_its_published_cells() -> None:
    """Noninterference: whatever is hidden may change, the page does not."""
    stage = stage_of("safe")
    outcome = list(run(stage, seed=Seed(1)))[-1].outcome
    best = outcome.best
    alone = replace(outcome, candidates=(best,))
    concealed = replace(outcome, candidates=(conceal_table(best),))
    assert best.finding.audit.table.primary.sum() != (best.finding.audit.table.status == Status.SECONDARY).sum()
    pages = {
        edition: [table_page(stage, each, edition).replace("another search", best.label) for each in (alone, concealed)]
        for edition in Edition
    }
    assert pages[Edition.CONFIDENTIAL][0] != pages[Edition.CONFIDENTIAL][1]
    assert pages[Edition.PUBLIC][0] == pages[Edition.PUBLIC][1]
    assert INPUT.inputs["T.csv"] in pages[Edition.CONFIDENTIAL][0]
    assert INPUT.inputs["T.csv"] not in pages[Edition.PUBLIC][0]
    marks = re.findall(r'class="number hidden">x<', pages[Edition.PUBLIC][0])
    assert len(marks) == int(best.finding.audit.table.suppressed.sum())
