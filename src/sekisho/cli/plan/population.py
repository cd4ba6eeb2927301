"""What the planning commands ask of a population: how many records, which strata, how the sample is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.errors import ParameterError
from sekisho.safety.sampling import Scheme, Stratum
from sekisho.safety.strata_file import read_strata

Records = Annotated[int | None, typer.Option("--records", help="n, how many records there are.")]
Strata = Annotated[
    Path | None,
    typer.Option(
        "--strata",
        help="CSV with the columns stratum, records, perhaps known, and perhaps sample, which then is the design.",
    ),
]
Drawing = Annotated[Scheme, typer.Option("--scheme", help="A sample of fixed size, or each record by its own coin.")]


def read_strata_aloud(path: Path | None) -> tuple[Stratum, ...]:
    """Return the strata of a file, having said how it was read; none without a file."""
    if path is None:
        return ()
    file = read_strata(path)
    say(f"{path}: {file.form}")
    return file.strata


def refuse_both(name: str, value: object, other: str, its: object) -> None:
    """Refuse an option beside another one that answers the same question."""
    if its is not None:
        raise ParameterError(name, f"not be given together with --{other}", str(value))
