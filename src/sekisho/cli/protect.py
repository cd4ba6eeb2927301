"""``sekisho protect METHOD``: make a release."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Annotated

import typer

from sekisho.cli import linkage, recordfiles
from sekisho.cli.kit.answer import AsJson, AskedSeed, fraction, give, settled
from sekisho.cli.kit.choices import Choices, choice_app, files_told
from sekisho.cli.kit.files import GivenRules, Out
from sekisho.cli.worlds.own import (
    Columns,
    Encoding,
    Header,
    Identifier,
    RecordFile,
    ReportFile,
    Separator,
    mechanism_place,
    protect_records,
)
from sekisho.cli.search import Attackers, Confidence, SafeBound, safe_release, watched_release
from sekisho.contest.history.files import read_original, write_release
from sekisho.contest.history.rules import rules_path
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.gate.fit import fit_method
from sekisho.gate.history.safe_k import Safety
from sekisho.protect import METHODS, MICRODATA_METHODS, RECORD_METHODS, Method
from sekisho.safety.rejection import Bound
from sekisho.utility import MEASURES


def run(
    name: str,
    method: Method,
    *,
    source: Annotated[Path, typer.Argument(metavar="IN", help="The original data.")],
    out: Out,
    rules: GivenRules = "",
    columns: Columns = "",
    identifier: Identifier = "",
    separator: Separator = None,
    header: Header = None,
    encoding: Encoding = None,
    report: ReportFile = None,
    deleted: recordfiles.Deleted = None,
    safe: SafeBound = None,
    attackers: Attackers = 13,
    confidence: Confidence = "0.95",
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Apply a method to a file and write its release."""
    free = name in MICRODATA_METHODS and not rules
    book_name = rules or ("pwscup2021" if name in RECORD_METHODS else "pwscup2018")
    check_places(
        reads=[source, *files_told(method), *([] if free else [rules_path(book_name)])],
        writes={
            "--out": out,
            "--deleted": deleted,
            "--report": report,
            "the mechanism": mechanism_place(out) if free else None,
        },
    )
    if free:
        form = CsvForm(separator=separator, header=header, encoding=encoding)
        parts = tuple(filter(None, columns.split(",")))
        protect_records(
            name,
            method,
            RecordFile(path=source, form=form, columns=parts, identifier=identifier),
            out,
            report,
            seed,
            as_json=as_json,
        )
    book = read_rulebook(book_name)
    if isinstance(book, RecordRules):
        linkage.protect(name, method, book, source, (out, deleted), seed, as_json=as_json)
        return
    method = fit_method(method, book)
    settled_seed = settled(seed)
    data = read_original(source, book)
    start = process_time()
    made = (
        watched_release(method, data, rng=settled_seed.child(name).rng())
        if safe is None
        else safe_release(method, data, book, _safety(safe, attackers, confidence), seed=settled_seed.child(name))
    )
    seconds, release = process_time() - start, made.release
    score = MEASURES.make(book.utility.measure).compare(data, release)
    write_whole({out: write_release(release, book)})
    keys = {"utility": score.value, "seconds": seconds, "seed": settled_seed.value, **made.detail}
    words = "\n".join(f"{key:<16}{value}" for key, value in keys.items())
    give(keys, words, as_json=as_json)


def _safety(bound: Bound, attackers: int, confidence: str) -> Safety:
    return Safety(bound=bound, attackers=attackers, confidence=fraction("confidence", confidence))


app = choice_app(
    Choices(
        registry=METHODS | MICRODATA_METHODS | RECORD_METHODS,
        run=run,
        example="sekisho protect {name} IN.csv --out OUT.csv --seed 1",
    ),
    summary="Protect a file: `sekisho protect METHOD IN --out OUT [--rules RULES]`. Each METHOD has its own --help.\n\n"
    "Example: `sekisho protect pseudonymise T.csv --out A.csv --seed 1`",
)
