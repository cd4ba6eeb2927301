"""What the planning commands ask of a population: how many records, which strata, how the sample is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.errors import ParameterError
from sekisho.safety.sampling import Scheme, count_sample
from sekisho.safety.strata_file import DIGITS, StrataFile, read_strata
from sekisho.words import Said

Records = Annotated[int | None, typer.Option("--records", help="n, how many records there are.")]
Strata = Annotated[
    Path | None,
    typer.Option(
        "--strata",
        help="CSV with the columns stratum, records, perhaps known, and perhaps sample (a number or such as 1%), which "
        "then is the design, or weight, in whose proportion the strata are drawn from.",
    ),
]
SampleSize = Annotated[
    str | None, typer.Option("--sample", help="m, how many are drawn, or which share of them, such as 1%.")
]
Drawing = Annotated[Scheme, typer.Option("--scheme", help="A sample of fixed size, or each record by its own coin.")]


def read_strata_aloud(path: Path) -> StrataFile:
    """Return the strata of a file, having said how it was read."""
    file = read_strata(path)
    say(Said("{source}: {reason}", source=path, reason=file.form))
    return file


def parse_size(text: str | None, records: int) -> int | None:
    """Return how many of the records a written size means; None where none is given."""
    if text is None:
        return None
    written = text.strip()
    return count_sample(int(written) if written.isdecimal() and len(written) < DIGITS else written, records)


def refuse_both(name: str, value: object, other: str, its: object) -> None:
    """Refuse an option beside another one that answers the same question."""
    if its is not None:
        raise ParameterError(name, Said("not be given together with --{other}", other=other), str(value))
