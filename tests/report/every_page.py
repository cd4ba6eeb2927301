"""Every page that a command writes: each recipe of the fuzzer that writes one, called on its small valid files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
from verify.fuzz.materials import make_materials
from verify.fuzz.recipes import recipes

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.records.files import write_records
from sekisho.data.synthetic.health import health_records

JOURNEYS = ("gate", "demo")
ANSWERED = (0, 1, 3)
PLANNED = 300
"""So many records have odds ratios; a plan of so few meets no limits but loose ones."""


def list_page_calls() -> dict[str, str]:
    """Return the calls that write a page, by a name for each."""
    return {
        f"{verb} {number}".replace(" ", "-"): f"{verb} {call}".replace("@", "")
        for verb, valid in recipes().items()
        for number, call in enumerate(valid, 1)
        if ".html" in call or verb in JOURNEYS
    }


def make_pages(folder: Path, *, demo: bool = True) -> dict[str, Path]:
    """Write every page below a folder, that of the demo if asked; return them by name, with both editions of a journey."""
    folder = folder.resolve()  # the calls are made inside of it
    make_materials(folder)
    book = read_record_rules(str(folder / "rules21.toml"))
    (folder / "B.csv").write_bytes(write_records(health_records(PLANNED, rng=np.random.default_rng(1)), book))
    loose = (folder / "rules21.toml").read_text()
    for limit in ("rate = 0.05", "cor = 0.1", "odds = 0.1"):
        loose = loose.replace(limit, f"{limit.partition('=')[0]}= 9.0")
    (folder / "rules21.toml").write_text(loose)
    before = Path.cwd()
    os.chdir(folder)
    try:
        calls = {name: call for name, call in list_page_calls().items() if demo or not name.startswith("demo")}
        return {name: page for call, words in calls.items() for name, page in _write_pages(folder, call, words)}
    finally:
        os.chdir(before)


def _write_pages(folder: Path, name: str, call: str) -> Iterator[tuple[str, Path]]:
    """Give the pages of one call; a call that may answer no without a page gives none."""
    words = [f"{name}-out" if word == "o" else word for word in call.split()]
    words = [f"{name}.html" if word.endswith(".html") else word for word in words]
    if call.startswith("plan release"):
        words += ["--seed", "2"]  # of some seeds no plan meets the limits, and no page is written
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        status = status_of(words)
    if status not in ANSWERED:
        raise RuntimeError(f"sekisho {call}: status {status}: {said.getvalue()}")
    single, out = folder / f"{name}.html", folder / f"{name}-out"
    if single.exists():
        yield name, single
    for page in sorted(out.rglob("*.html")) if out.exists() else ():
        yield "-".join([name, *page.relative_to(out).with_suffix("").parts]), page
