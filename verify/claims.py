"""Every statement of docs/claims.md, executed and compared.

Beside the tables of the page stand blocks of checks in TOML: which claim, what is run, where in its answer the figure
stands, and how the page says it. ``python verify/claims.py`` runs them all, the slow ones included, and ends with
status 1 if a statement is not so; ``--only R3,K2`` runs some; the tests run the quick ones. A check of real data that
are not there is skipped, with the reason.

A figure is compared to the digits that the page prints: 0.373 stands for what lies within half a unit of its last
digit, 299/4096 and 612 for themselves, unless ``within`` says more.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, fields
from fractions import Fraction
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from claim_files import write_files
from real_data import BESIDE, VARIABLE
from sekisho.cli import status_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "claims.md"
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"(?<![\w./,-])-?(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\d+/\d+)(?![\w/]|[.,]\d)")
"""Figures that a standing may not hold unless a check compares them: decimals, fractions and thousands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A claim of a source.

    Attributes:
        claim: what it says.
        standing: how it stands.
        shown: what shows it.
    """

    claim: str
    standing: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One comparison.

    Attributes:
        claim: the row that it is about.
        run: a command of ours, a script, or a test; ``sekisho`` answers in JSON.
        status: with which it must end.
        get: where the figure stands, keys and places joined by dots.
        prints: of a script, what its output must match; the figure is the first group, if there is one.
        says: the figure as the standing prints it.
        equals: what the figure must be where the standing says it in words.
        within: how far the figure may lie from what is said.
        least: the figure must be at least this, where the standing does not print it.
        first: commands that make the files that it reads.
        same: a file that is written and the real one that it must be equal to.
        quotes: figures of the standing that are the source's own.
        data: real files that are needed.
        slow: takes more than some seconds: not among the tests.
    """

    claim: str
    run: str
    status: int = 0
    get: str = ""
    prints: str = ""
    says: str = ""
    equals: object = None
    within: float | None = None
    least: float | None = None
    first: Sequence[str] = ()
    same: Sequence[str] = ()
    quotes: Sequence[str] = ()
    data: Sequence[str] = ()
    slow: bool = False

    @property
    def kind(self) -> str:
        """Who runs it."""
        return shlex.split(self.run)[0]

    @property
    def needed(self) -> tuple[str, ...]:
        """The real files that it needs."""
        return (*self.data, *self.same[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command came to."""

    status: int
    text: str
    answer: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsPage:
    """The claims and their checks."""

    rows: Mapping[str, Row]
    checks: tuple[Check, ...]

    @classmethod
    def read(cls, text: str) -> ClaimsPage:
        """Return the page, having refused what it does not understand."""
        rows = {
            name: Row(claim=claim.strip(), standing=standing.strip(), shown=shown.strip())
            for name, claim, standing, shown in ROW.findall(text)
        }
        known = {item.name for item in fields(Check)}
        checks: list[Check] = []
        for block in BLOCK.findall(text):
            for entry in tomllib.loads(block)["check"]:
                assert set(entry) <= known, f"unknown keys {set(entry) - known} of {entry}"
                assert entry["claim"] in rows, f"no claim {entry['claim']}"
                checks.append(Check(**entry))
        return cls(rows=rows, checks=tuple(checks))

    def find_uncompared(self) -> list[str]:
        """Return the figures of standings that no check compares, with their claim."""
        loose: list[str] = []
        for name, row in self.rows.items():
            own = [check for check in self.checks if check.claim == name]
            told = " ".join([*(check.says for check in own), *(word for check in own for word in check.quotes)])
            words = {word for part in told.split() for word in (part, *FIGURE.findall(part))}
            loose += [f"{name}: {figure}" for figure in FIGURE.findall(row.standing) if figure not in words]
        return loose


def find_missing(check: Check) -> list[str]:
    """Return the real files that a check needs and that are not there."""
    folder = Path(os.environ.get(VARIABLE, "") or BESIDE)
    return [name for name in check.needed if not (folder / name).is_file()]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Workshop:
    """A folder with the files that the page's commands name, in which each command is run once."""

    folder: Path
    done: dict[str, Ran] = field(default_factory=dict[str, Ran])

    @classmethod
    def open(cls, folder: Path) -> Workshop:
        """Fill a folder: files of our own, and links to the real ones, each by its name."""
        write_files(folder)
        real = Path(os.environ.get(VARIABLE, "") or BESIDE)
        for path in real.glob("*/*.csv") if real.is_dir() else ():
            place = folder / path.name
            if not place.exists():
                place.symlink_to(path.resolve())
        return cls(folder=folder)

    def verify(self, check: Check, row: Row) -> None:
        """Run a check and compare.

        Raises:
            AssertionError: the statement is not so.
        """
        if check.says:
            assert check.says in row.standing, f"{check.claim}: the page does not say {check.says}"
        for command in check.first:
            self.run(command)
        ran = self.run(check.run)
        assert ran.status == check.status, f"{check.claim}: {check.run} ended with {ran.status}: {ran.text[-600:]}"
        if check.same:
            own, theirs = self.folder / check.same[0], Path(os.environ.get(VARIABLE, "") or BESIDE) / check.same[1]
            assert own.read_bytes().split() == theirs.read_bytes().split(), f"{check.claim}: {own.name} differs"
        if check.get or check.prints:
            compare(check, find_figure(check, ran))

    def run(self, command: str) -> Ran:
        """Return what a command came to; it is run once."""
        if command not in self.done:
            words = shlex.split(command)
            self.done[command] = self._answer(words[1:]) if words[0] == "sekisho" else _run_script(words)
        return self.done[command]

    def _answer(self, words: list[str]) -> Ran:
        out, err = StringIO(), StringIO()
        with chdir(self.folder), redirect_stdout(out), redirect_stderr(err):
            status = status_of([*words, "--json"])
        text = out.getvalue()
        return Ran(status=status, text=text + err.getvalue(), answer=json.loads(text) if text.strip() else None)


def _run_script(words: list[str]) -> Ran:
    if words[0] == "pytest":
        words = [sys.executable, "-m", "pytest", "-q", "-n", "0", *words[1:]]
    else:
        words = [sys.executable, *words[1:]]
    paths = os.pathsep.join(str(path) for path in (ROOT / "src", ROOT, ROOT / "verify", ROOT / "examples"))
    told = subprocess.run(  # the page is ours: what it runs is as trusted as this file
        words, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    return Ran(status=told.returncode, text=told.stdout + told.stderr)


def find_figure(check: Check, ran: Ran) -> object:
    """Return the figure that a check asks for."""
    if check.prints:
        match = re.search(check.prints, ran.text)
        assert match is not None, f"{check.claim}: nothing printed matches {check.prints}: {ran.text[-600:]}"
        return match[1] if match.groups() else True
    value = ran.answer
    for part in check.get.split("."):
        assert isinstance(value, dict | list), f"{check.claim}: there is no {check.get} in the answer"
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def compare(check: Check, value: object) -> None:
    """Compare a figure with what the page says.

    Raises:
        AssertionError: it is another one.
    """
    if check.least is not None:
        assert float(str(value)) >= check.least, f"{check.claim}: {check.get} is {value}, below {check.least}"
        return
    if check.equals is not None or not check.says:
        expected = True if check.equals is None else check.equals
        assert value == expected, f"{check.claim}: {check.get or check.prints} is {value}, not {expected}"
        return
    figure = FIGURE.search(check.says) or re.search(r"-?\d+", check.says)
    assert figure is not None, f"{check.claim}: no figure in {check.says}"
    said, found = parse_figure(figure[0]), float(Fraction(str(value).replace(",", "")))
    allowed = _half_unit(figure[0]) if check.within is None else check.within
    assert abs(found - said) <= allowed, f"{check.claim}: the page says {check.says}, it is {value}"


def parse_figure(text: str) -> float:
    """Return what a printed figure stands for."""
    return float(Fraction(text.replace(",", "")))


def _half_unit(text: str) -> float:
    digits = len(text.partition(".")[2]) if "." in text else None
    return 1e-9 if digits is None else 0.5 * 10.0**-digits + 1e-9


def find_test(check: Check) -> bool:
    """Tell whether the test that a check names exists; the suite runs it."""
    place, _, name = shlex.split(check.run)[1].partition("::")
    path = ROOT / place
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return not name or any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body)


def main() -> None:
    """Run all checks, or some, and say what is not so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="claims by name, R3,K2")
    parser.add_argument("--quick", action="store_true", help="leave out what is slow")
    options = parser.parse_args()
    page = ClaimsPage.read(PAGE.read_text(encoding="utf-8"))
    only = set(filter(None, options.only.split(",")))
    wrong = 0
    with TemporaryDirectory() as folder:
        workshop = Workshop.open(Path(folder))
        for check in page.checks:
            if (only and check.claim not in only) or (options.quick and check.slow):
                continue
            missing = find_missing(check)
            if missing:
                print(f"skipped  {check.claim:<4} needs {', '.join(missing)} (${VARIABLE})", flush=True)
                continue
            try:
                workshop.verify(check, page.rows[check.claim])
            except AssertionError as error:
                wrong += 1
                print(f"NOT SO   {error}", flush=True)
            else:
                print(f"so       {check.claim:<4} {check.says or check.get or check.prints or check.run}", flush=True)
    print(f"{wrong} statements of docs/claims.md are not so" if wrong else "docs/claims.md is so, as far as it was run")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
