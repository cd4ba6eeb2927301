"""Files as offices export them go through init and the gate: what is known of each column, what is lost, what leaks.

The corpus is a folder with ``files/`` and ``truth.json``: of each file its rows, the shapes that are right, and of each
column the roles that are right, what it says of an event, how many cells are missing; and strings that must not leave.

    PYTHONPATH=. python verify/exports.py CORPUS [--gate FILES] [--only NAME,NAME] [--out REPORT.json]

A column is accepted if its role is one of those, and if left out, where it is an identifier or holds nothing. It is
lost if it is left out and wanted, and lost silently if no list of the answer names it either.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, fields
from pathlib import Path
from shutil import copyfile
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from sekisho.cli import status_of

MEANS = {"time": "date", "item": "item", "price": "amount"}
PARTS = {"contributor": "identifier", "dimension": "quasi"}
STATUSES = {0: "release", 1: "refuse", 3: "review"}
KINDS = {
    "integer": ("integer", "decimal"),
    "number": ("decimal",),
    "date": ("date",),
    "category": ("category", "integer"),
    "code": ("category",),
    "text": ("category",),
}


@dataclass(slots=True)
class Finding:
    """What was found about one file: counts with their wholes, and names of columns that went wrong."""

    file: str
    error: str = ""
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    silent: list[str] = field(default_factory=list[str])
    gate: str = ""
    open: int = 0
    leaks: list[str] = field(default_factory=list[str])


def ask(words: Iterable[str]) -> tuple[int, str, str]:
    """Return the status of a command, and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = status_of([*words, "--language", "en"])
    return status, out.getvalue(), err.getvalue()


def look(truth: Mapping[str, Any], file: Path, recipe: Path) -> Finding:
    """Return how a file was understood."""
    finding = Finding(file=truth["file"])
    before = process_time()
    status, out, err = ask(["init", str(file), "--out", str(recipe), "--json"])
    finding.seconds = round(process_time() - before, 1)
    columns = truth["columns"]
    finding.counts.update({"columns": len(columns), "identifiers": sum(c["role"] == "identifier" for c in columns)})
    if status != 0:
        finding.error = err.strip()[-200:]
        return finding
    answer = json.loads(out)
    finding.counts["ran"] += 1
    finding.counts["read"] += answer["rows"] == truth["rows"]
    finding.counts["shape"] += answer["shape"] in truth["accepted_shapes"]
    for column, seen in pair_columns(columns, answer["columns"]):
        judge(finding, answer, column, seen, truth)
    return finding


def fold(name: object) -> str:
    """Return a name in one width, without blanks."""
    return "".join(unicodedata.normalize("NFKC", str(name or "")).split())


def pair_columns(
    columns: list[dict[str, Any]], seen: list[dict[str, Any]]
) -> Iterable[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Give each true column with the one that was seen: by its name, else by its place if the numbers agree."""
    free = list(seen)
    for place, column in enumerate(columns):
        names = {fold(name) for name in (column["name"], *column.get("aliases", [])) if fold(name)}
        names |= {
            fold(f"{column['name']}{column.get('unit', '')}"),
            fold(f"{column['name']}({column.get('unit', '')})"),
        }
        match = next((each for each in free if {fold(each.get("source")), fold(each["name"])} & names), None)
        if match is None and len(seen) == len(columns):
            match = seen[place]
        if match in free:
            free.remove(match)
        yield column, match


def judge(
    finding: Finding,
    answer: dict[str, Any],
    column: dict[str, Any],
    seen: dict[str, Any] | None,
    truth: Mapping[str, Any],
) -> None:
    """Count what is right about a column."""
    name, table = column["name"], answer["shape"] == "table"
    used = [each for key in ("dimensions", "value") for each in truth.get("table", {}).get(key, [])]
    may_go = (
        column["role"] in {"identifier", "empty"} or "left_out" in column["accepted"] or (table and name not in used)
    )
    role = None if seen is None else seen["role"]
    role = PARTS.get(str(role), role) if table else role
    accepted = may_go if role is None else role in column["accepted"] or (table and role in {"value", "count"})
    finding.counts["accepted"] += accepted
    if not accepted:
        finding.wrong.append(f"{name}: {role}")
    if column["role"] == "identifier" and role not in {None, "identifier"}:
        finding.missed.append(name)
    if role is None and not may_go:
        finding.lost.append(name)
        told = [each["column"] for key in ("left_out", "questions") for each in answer[key]]
        finding.silent += [] if seen is not None and seen["name"] in told else [name]
    if column["role"] != "empty" and seen is not None:
        finding.counts["kinds"] += seen["kind"] in (*KINDS[column["kind"]], *column.get("accepted_kinds", []))
    finding.counts["kinds"] += column["role"] == "empty"
    judge_event(finding, column, seen)


def judge_event(finding: Finding, column: dict[str, Any], seen: dict[str, Any] | None) -> None:
    """Count whether a column of a history is found for what it says, and whether gaps are counted."""
    means = column.get("means")
    if means in {"person", "date", "item", "amount"}:
        finding.counts["events"] += 1
        told = {} if seen is None else seen
        right = told.get("role") == "identifier" if means == "person" else MEANS.get(str(told.get("means"))) == means
        finding.counts["events found"] += right
        finding.wrong += [] if right else [f"{column['name']} is the {means}"]
    if column["check"]["missing"] and column["role"] not in {"identifier", "empty"}:
        finding.counts["gaps"] += 1
        finding.counts["gaps counted"] += seen is not None and seen["missing"] == column["check"]["missing"]


def take_through(finding: Finding, truth: Mapping[str, Any], recipe: Path, out: Path) -> None:
    """Note the verdict, and which strings that must not leave stand below public/."""
    status, told, err = ask(["gate", str(recipe), "--out", str(out), "--seed", "1", "--advice", "0", "--json"])
    account = json.loads(told).get("account", []) if told.strip().startswith("{") else []
    finding.open = sum(entry["cover"] in {"open", "not considered"} for entry in account)
    finding.gate = STATUSES.get(status, f"error {status}: {err.strip()[-200:]}")
    for path in (out / "public").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            texts = {content.decode(encoding, "ignore") for encoding in ("utf-8", "cp932", "utf-16", "cp1252")}
            finding.leaks += [text for text in truth["must_not_leave"] if any(text in each for each in texts)]


def run(corpus: Path, names: set[str], gated: int) -> list[Finding]:
    """Return what was found about each file of a corpus; the smallest ones go through the gate."""
    entries = json.loads((corpus / "truth.json").read_text(encoding="utf-8"))["files"]
    entries = [each for each in entries if not names or each["file"] in names]
    entries.sort(key=lambda each: each["rows"] * len(each["columns"]))
    findings = list[Finding]()
    for place, truth in enumerate(entries):
        with TemporaryDirectory() as folder:
            file, recipe = Path(folder) / truth["file"], Path(folder) / "recipe.toml"
            copyfile(corpus / "files" / truth["file"], file)
            finding = look(truth, file, recipe)
            if place < gated and not finding.error:
                take_through(finding, truth, recipe, Path(folder) / "gate")
        findings.append(finding)
        print(finding.file, finding.gate or finding.error or "looked at", finding.wrong, finding.leaks, flush=True)
    return findings


def summarise(findings: list[Finding]) -> dict[str, object]:
    """Return the figures of all files."""
    total = sum((each.counts for each in findings), Counter[str]())
    gated = [each for each in findings if each.gate]
    verdicts = Counter(each.gate.split(":")[0] for each in gated)
    return {
        "files": len(findings),
        **{name: total[name] for name in ("ran", "read", "shape")},
        "accepted roles": f"{total['accepted']} of {total['columns']}",
        "kinds": f"{total['kinds']} of {total['columns']}",
        "whose, when, what, how much": f"{total['events found']} of {total['events']}",
        "missing cells counted": f"{total['gaps counted']} of {total['gaps']}",
        "identifiers missed": f"{sum(len(each.missed) for each in findings)} of {total['identifiers']}",
        "lost": sum(len(each.lost) for each in findings),
        "open entries a file, median": median(each.open for each in gated) if gated else None,
        "lost silently": sum(len(each.silent) for each in findings),
        "most CPU seconds of init": max((each.seconds for each in findings), default=0),
        "verdicts": dict(verdicts),
        "files with a leak": sum(bool(each.leaks) for each in findings),
    }


def main() -> int:
    """Print the figures, and end with 1 if an identifier was missed, a column lost silently or a string leaked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--gate", type=int, default=0, help="how many of the smallest files go through the gate")
    parser.add_argument("--only", default="", help="names of files, with commas between them")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    findings = run(asked.corpus, set(filter(None, asked.only.split(","))), asked.gate)
    figures = summarise(findings)
    files = [{each.name: getattr(finding, each.name) for each in fields(finding)} for finding in findings]
    report = {"figures": figures, "files": files}
    if asked.out is not None:
        asked.out.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    return int(any(each.missed or each.silent or each.leaks or each.error for each in findings))


if __name__ == "__main__":
    sys.exit(main())
