"""A campaign: the processes that make the calls, begun anew when one dies, and the findings, each told once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from tempfile import mkdtemp
from threading import Thread
from time import monotonic
from typing import Any

from .materials import make_materials
from .recipes import recipes
from .tree import commands

SILENCE = 300.0
"""A process that tells nothing for so many seconds does not end by itself."""
SHIFT = 2000
"""So many calls a process makes before another takes over."""


@dataclass(slots=True, kw_only=True)
class Campaign:
    """Calls spoilt by chance, from a seed."""

    script: Path
    calls: int
    seed: int
    first: int = 0
    only: str = ""
    warm_up: bool = True
    folder: Path = field(default_factory=lambda: Path(mkdtemp(prefix="sekisho-fuzz-")))
    warm: dict[str, float] = field(default_factory=dict[str, float])
    made: Counter[str] = field(default_factory=Counter[str])
    spent: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    findings: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict[tuple[str, str], dict[str, Any]])
    times: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    def run(self) -> bool:
        """Run it; return whether nothing was found."""
        lacking = sorted(set(commands()) - set(recipes()))
        for name in lacking:
            print(f"FINDING no recipe of a valid call for the command {name}")
        (self.folder / "materials").mkdir()
        make_materials(self.folder / "materials")
        start, at, last = monotonic(), self.first, self.first + self.calls
        try:
            if self.warm_up:
                self._shift(at, at)
            else:
                self.warm = dict.fromkeys(recipes(), 0.0)
            print("slowest valid calls:", sorted(self.warm.items(), key=lambda pair: -pair[1])[:12], flush=True)
            while at < last:
                at = self._shift(at, min(at + SHIFT, last))
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._tell(monotonic() - start)
        return not self.findings and not lacking

    def _shift(self, first: int, last: int) -> int:
        """Have a process make some calls; return the number of the call to go on with."""
        begun: dict[str, Any] = {}
        for line in self._lines(first, last):
            if "warmed" in line:
                self.warm[line["command"]] = line["warmed"]
            elif "begun" in line:
                begun = line
            elif "died" in line:
                number = begun.get("begun")
                self._note(line["died"], f"{begun.get('command')}: {line['died']}", {**line, **begun, "spoilt": ""})
                return number + 1 if isinstance(number, int) else last
            else:
                self._done(line)
        return last

    def _done(self, line: dict[str, Any]) -> None:
        if line.get("invalid"):
            self._note("recipe", " ".join(line["words"]), {**line, "detail": line["invalid"]})
        for each in line["found"]:
            self._note(each["kind"], each["place"], {**line, **each})
        if "done" in line:
            self.made[line["command"]] += 1
            self.spent[line["command"]] += line["seconds"]
            self.statuses[str(line["status"])] += 1
            if not (line["done"] + 1) % 1000:
                print(f"{line['done'] + 1} calls, {len(self.findings)} findings", flush=True)

    def _note(self, kind: str, place: str, line: dict[str, Any]) -> None:
        self.times[kind, place] += 1
        if (kind, place) in self.findings:
            return
        self.findings[kind, place] = line
        number = line.get("done", line.get("begun", "warm-up"))
        words = " ".join(map(ascii, line.get("words", [])))
        print(f"\nFINDING {kind} at {place}\n  sekisho {words[:1500]}\n  {line.get('spoilt', '')[:300]}")
        print(f"  again: {self.script} --seed {self.seed} --first {number} --calls 1 --command '{self.only}'")
        print("  " + str(line.get("detail", "")).strip()[-1500:].replace("\n", "\n  "), flush=True)

    def _lines(self, first: int, last: int) -> Iterator[dict[str, Any]]:
        request = {"first": first, "last": last, "seed": self.seed, "only": self.only, "seconds": self.warm}
        setting = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "200"}
        setting["TMPDIR"] = str(self.folder)
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", str(self.script), "--serve", str(self.folder), json.dumps(request)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | setting,
        )
        lines: Queue[str | None] = Queue()
        reader = Thread(target=_pass_on, args=(process, lines), daemon=True)
        reader.start()
        try:
            yield from self._read(process, lines)
        finally:
            process.kill()
            process.wait()

    def _read(self, process: subprocess.Popen[str], lines: Queue[str | None]) -> Iterator[dict[str, Any]]:
        while True:
            try:
                line = lines.get(timeout=SILENCE)
            except Empty:
                yield {"died": f"no end within {SILENCE:g} seconds", "detail": ""}
                return
            if line is None:
                break
            yield json.loads(line)
        status = process.wait()
        if status:
            errors = "" if process.stderr is None else process.stderr.read()
            yield {"died": f"the process died with status {status}", "detail": errors[-1500:]}

    def _tell(self, seconds: float) -> None:
        print(f"\n{'command':<28}{'calls':>8}{'seconds':>10}")
        for name in sorted(recipes()):
            if name.startswith(self.only):
                print(f"{name:<28}{self.made[name]:>8}{self.spent[name]:>10.1f}")
        total = self.made.total()
        ends = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        print(f"{total} calls of {len(+self.made)} commands in {seconds:.0f} s, seed {self.seed}; by status {ends}")
        print(f"{len(self.findings)} findings")
        for (kind, place), count in self.times.most_common():
            print(f"  {count:>5} x {kind} at {place}")


def _pass_on(process: subprocess.Popen[str], lines: Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)
