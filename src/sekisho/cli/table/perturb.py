"""``sekisho table perturb``: counts of records with keyed noise, and what the shown numbers tell."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.options import (
    CodeOptions,
    CsvOptions,
    Dims,
    Microdata,
    MicroOptions,
    code_files,
    read_aloud,
    read_form,
    read_records,
)
from sekisho.data.files.plain_table import frame_bytes
from sekisho.data.files.whole_files import check_paths, write_whole
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance, digest_file
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.tables.perturbed import PERTURBED, perturbed_blocks, tell_difference, tell_posterior
from sekisho.tables.files.records import RecordsRead
from sekisho.tables.perturb.finding import NoiseFinding, review_noise
from sekisho.tables.perturb.keys import Words, keep_keys, place_words
from sekisho.tables.perturb.method import Additivity, perturb_counts, sum_keys
from sekisho.tables.perturb.noise_file import read_noise
from sekisho.tables.perturb.posterior import KeyScheme
from sekisho.words import Said, join_words

SUM, COLUMN = "sum", "rkey"
"""What asks for keys that add up, and the column of record keys where none is named."""


@expand_options
def perturb(
    source: Annotated[Path, typer.Argument(metavar="RECORDS", help="The records: CSV or Parquet, a row each.")],
    *,
    dims: Dims,
    noise: Annotated[Path, typer.Option("--noise", help="The perturbation table, as plan noise writes it.")],
    keys: Annotated[
        str,
        typer.Option(
            "--keys",
            help="The file of the record keys, confidential; drawn and written where there is none. Or sum:COLUMN: "
            "keys of another program, which add up (status 3).",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The table to write, as it may be published.")],
    microdata: Microdata = False,
    identity: Annotated[
        str, typer.Option("--id", help="The column that tells records apart; their rows in the file if not given.")
    ] = "",
    additive: Annotated[
        Additivity,
        typer.Option(
            "--additive",
            help="no: every cell has its own noise; sum: margins are sums of shown cells; closest: the nearest "
            "additive table.",
        ),
    ] = Additivity.NO,
    seconds: Annotated[
        float, typer.Option("--time", help="Seconds after which the audit ends; 0 for no limit.")
    ] = 60.0,
    codes: CodeOptions,
    csv: CsvOptions,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Show counts of records with noise by keys: the same people have the same noise in every table.

    The key of a cell is a keyed hash of the sum of its records' keys. The file of keys is drawn once, by the operating
    system, and must be kept, for all tables of these people and from everybody else.

    Example: `sekisho table perturb people.csv --microdata --dims town,sex --noise P.csv --keys people.keys.json --out
    shown.csv`
    """
    place = None if keys == SUM or keys.startswith(f"{SUM}:") else Path(keys)
    check_paths(reads=[source, noise, *code_files(codes)], writes={"--out": out, "--report": report, "--keys": place})
    if not microdata:
        raise ParameterError("microdata", Said("be given: keys are those of records, and cells have none"), None)
    start = process_time()
    table = read_noise(noise)
    read = read_records(dims, "", MicroOptions(), read_form(codes, csv)).read_records(source)
    counts = read_aloud(read.read)
    dimensions = read.tabulation.dimensions
    leaves = read.tabulation.place_records(read.frame)
    kept = None
    if place is None:
        words = _read_summed(read, keys.partition(":")[2] or COLUMN, source)
        places = place_words(sum_keys(dimensions, leaves, words))
    else:
        records = read.read_column(identity, source) if identity else []
        kept = keep_keys(place, source, digest_file(source), identity=identity, records=records, rows=read.frame.height)
        places = kept.keys.place_cells(sum_keys(dimensions, leaves, kept.words))
    perturbed = perturb_counts(counts, dimensions, table, places, additive=additive)
    finding = review_noise(perturbed, KeyScheme.SUMMED if kept is None else KeyScheme.HASHED, seconds=seconds or None)
    columns = [pl.Series(dim, [key[axis] for key in counts.keys]) for axis, dim in enumerate(counts.dims)]
    frame = pl.DataFrame([*columns, pl.Series("n", perturbed.shown)])
    files = {out: frame_bytes(frame, out)}
    if report is not None:
        origin = Provenance(
            name="table perturb",
            parameters={"dims": dims, "additive": additive.value, "keys": finding.scheme.value},
            inputs={path.name: digest_file(path) for path in (source, noise)},
        )
        blocks = perturbed_blocks(finding, origin)
        files[report] = render_page(
            PERTURBED, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL
        ).encode()
    if kept is not None and kept.new and place is not None:
        write_whole({place: kept.keys.to_bytes()}, private=[place])
        say(
            Said(
                "{place}: the keys of {count:,} records; keep it, and keep it secret",
                place=place,
                count=len(kept.keys.keys),
            )
        )
    answer = finding.as_dict() | {
        "key_file": None if place is None else str(place),
        "commitment": None if kept is None else kept.keys.commitment,
        "out": str(out),
        "seconds": process_time() - start,
    }
    Answer(
        keys=answer,
        words=join_words(_tell(finding), "\n"),
        review=bool(finding.reasons),
        files=files,
    ).deliver(as_json=as_json)


def _read_summed(read: RecordsRead, name: str, source: Path) -> Words:
    """Return the keys of another program: parts of 1, each as parts of 2^64."""
    texts = read.read_column(name, source)
    try:
        shares = [Fraction(text) for text in texts]
    except ValueError as error:
        raise ParameterError("keys", Said("name a column of numbers from 0 to below 1"), name) from error
    if any(not 0 <= share < 1 for share in shares):
        raise ParameterError("keys", Said("name a column of numbers from 0 to below 1"), name)
    return np.array([min(round(share * 2**64), 2**64 - 1) for share in shares], dtype=np.uint64)


def _tell(finding: NoiseFinding) -> Sequence[Said]:
    """Return the answer in words."""
    perturbed, difference = finding.perturbed, finding.difference
    lines = [
        Said(
            "{cells:,} cells, {changed:,} show another number than their count, by at most {most}; {zeros:,} with "
            "somebody in them show 0",
            cells=len(perturbed.shown),
            changed=perturbed.changed,
            most=perturbed.largest_change,
            zeros=perturbed.false_zeros,
        ),
        tell_difference(difference),
    ]
    if finding.evidence is not None:
        lines.append(tell_posterior(finding.evidence))
    return [*lines, *finding.reasons]
