"""Write every kind of page below a folder, for a browser to open: ``python tests_browser/make_pages.py FOLDER``.

Run with the environment of the package; the browser has one of its own.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.report.every_page import make_pages
from tests.report.gallery import blocks
from tests.report.pages.records.test_keyed_outcome import travelled
from tests.report.pages.tables.test_outcome import stage_of

from sekisho.journey.candidates import run
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.report.pages.tables.outcome import TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.seeds import Seed


def main(folder: Path) -> None:
    """Write the pages as ``NAME.html``."""
    work = folder / "work"
    shutil.rmtree(folder, ignore_errors=True)
    work.mkdir(parents=True)
    for name, page in make_pages(work).items():
        shutil.copy(page, folder / f"{name}.html")
    for name, page in make_gate_pages().items():
        (folder / f"{name}.html").write_text(page)
    shutil.rmtree(work)


def make_gate_pages() -> dict[str, str]:
    """Return both editions of what the gate says of records and tables, and one of every block."""
    stage, outcome = travelled(50)
    tables = stage_of("safe")
    tried = list(run(tables, seed=Seed(1)))[-1].outcome
    pages = {"every-block": render_page("Every block", blocks())}
    for edition in Edition:
        keyed = records_outcome_blocks(stage, outcome, edition=edition)
        pages[f"keyed-{edition}"] = render_page(records_outcome_title(stage), keyed, edition=edition)
        table = table_outcome_blocks(tables, tried, edition=edition)
        pages[f"table-{edition}"] = render_page(TABLE_OUTCOME_TITLE, table, edition=edition)
    return pages


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
