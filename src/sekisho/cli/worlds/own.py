"""Files of records at the door: how they are read, and how a method's release of them is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Annotated, NoReturn

import polars as pl
import typer

from sekisho.attack import Adversary
from sekisho.cli.kit.answer import give, say
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.places import place_beside
from sekisho.data.files.whole import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import exact_table
from sekisho.data.records.microdata import Microdata, read_microdata, write_microdata
from sekisho.errors import BugError
from sekisho.gate.frontier import errors_of, frontier_of
from sekisho.protect import Method
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import SampledRelease, SampleRelease
from sekisho.provenance import Provenance, digest
from sekisho.report.kit.html import page
from sekisho.report.pages.frontier import RELEASE_TITLE, release_blocks
from sekisho.report.pages.sampling import SAMPLE_TITLE, sample_blocks
from sekisho.seeds import Seed, secret_rng

Columns = Annotated[str, typer.Option("--columns", help="Of a file of records: which columns to release, a,b,c.")]
Identifier = Annotated[str, typer.Option("--id", help="Of a file of records: the column that says whose each is.")]
Separator = Annotated[str | None, typer.Option("--separator", help="Between the cells; found out if not given.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether line 1 names the columns; found out if not given.")
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Of the text, such as cp932; found out if not given.")]
ReportFile = Annotated[Path | None, typer.Option("--report", help="Also write a page about the release, as HTML.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """A file of records and what of it is read."""

    path: Path
    form: CsvForm = field(default_factory=CsvForm)
    columns: tuple[str, ...] = ()
    identifier: str = ""

    def read(self) -> Microdata:
        """Read it and tell how it was found to be written."""
        found = read_microdata(self.path, form=self.form, columns=self.columns, identifier=self.identifier)
        say(f"{self.path}: {found.form}; {len(found.data):,} records")
        return found


def mechanism_place(out: Path) -> Path:
    """Return where the description of a release's mechanism is written: beside the release."""
    return place_beside(out, ".mechanism.json")


def protect_records(
    name: str,
    method: Method,
    source: RecordFile,
    out: Path,
    report: Path | None,
    seed: int | None,
    *,
    as_json: bool,
) -> NoReturn:
    """Apply a method to records; write the release, its mechanism beside it, and the page if asked for."""
    found = source.read()
    if seed is None:
        say("randomness: secret, from the operating system; nobody can repeat this release")
    else:
        say(f"randomness: seed {seed}; whoever knows it can undo the protection")
    start = process_time()
    release = method.apply(found.data, rng=secret_rng() if seed is None else Seed(seed).child(name).rng())
    if not isinstance(release, SampledRelease):
        raise BugError(f"{name} is listed among the methods for records but gives {type(release).__name__}")
    frame = release.published()
    seconds = process_time() - start
    made = replace(release.provenance, seed=seed, inputs={source.path.name: digest(source.path)})
    mechanism = mechanism_place(out)
    told = release.mechanism.as_dict() | {"provenance": made.as_dict(), "randomness": release.detail["randomness"]}
    files = {
        out: write_microdata(frame, found.form),
        mechanism: json.dumps(told, ensure_ascii=False, indent=1).encode(),
    }
    extra: dict[str, object] = {"out": str(out), "mechanism": str(mechanism)}
    if report is not None:
        files[report] = _page(found.data, release, made).encode()
        extra["report"] = str(report)
    write_whole(files)
    keys: Mapping[str, object] = {**release.detail, "seconds": seconds, "seed": seed, **extra}
    words = "\n".join(f"{key:<16}{value}" for key, value in keys.items())
    give(keys, words, as_json=as_json, good=release.detail.get("guaranteed") is not False)
    raise BugError("an answer always leaves")


def _page(data: Dataset, release: SampledRelease, made: Provenance) -> str:
    randomness = str(release.detail["randomness"])
    if isinstance(release, SampleRelease):
        return page(
            SAMPLE_TITLE, sample_blocks(release.mechanism, release.risk, release.known, made, randomness=randomness)
        )
    if not isinstance(release, PramRelease):
        raise BugError(f"no page is known for {type(release).__name__}")
    wanted = release.detail["wanted_k"]
    k = Fraction(release.guarantee.k) if wanted is None else Fraction(str(wanted))
    blocks = release_blocks(
        release.mechanism,
        release.guarantee,
        made,
        randomness=randomness,
        frontier=frontier_of(data, release.mechanism, k) if k > 1 else None,
        errors=errors_of(data, release.mechanism),
    )
    return page(RELEASE_TITLE, blocks)


def attack_records(
    name: str, adversary: Adversary, known: RecordFile, seen: RecordFile, out: Path, seed: Seed, *, as_json: bool
) -> NoReturn:
    """Attack published records; write for each of them the person named (an id, or a row from 1) and the chance."""
    released = seen.read().data
    knowledge = replace(known, columns=released.schema.names).read().data
    start = process_time()
    guess = adversary.guess(exact_table(released), knowledge, rng=seed.child(name).rng())
    seconds = process_time() - start
    frame = pl.DataFrame({"record": guess.pseudonym, "person": guess.customer, "chance": guess.chance})
    write_whole({out: frame.write_csv().encode()})
    keys = {"claimed": len(guess), "expected_hits": guess.expected_hits, "seconds": seconds, "seed": seed.value}
    words = f"{len(guess):,} claims, {guess.expected_hits:.1f} hits expected, written to {out}"
    give({**keys, **guess.detail}, words, as_json=as_json)
    raise BugError("an answer always leaves")
