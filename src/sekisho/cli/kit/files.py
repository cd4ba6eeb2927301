"""The files and rules that many commands take."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from sekisho.errors import Fault, FaultsError
from sekisho.words import Said

Rules = Annotated[str, typer.Argument(metavar="RULES", help="A built-in contest such as pwscup2018, or a TOML file.")]
GivenRules = Annotated[str, typer.Option("--rules", help="A built-in contest such as pwscup2018, or a TOML file.")]
Original = Annotated[Path, typer.Option("--original", help="The original data.")]
Released = Annotated[Path, typer.Option("--released", help="The release handed in, row by row beside the original.")]
Published = Annotated[Path, typer.Option("--published", help="What was published of the release.")]
Guessed = Annotated[Path, typer.Option("--guess", help="The attack.")]
Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
Report = Annotated[Path | None, typer.Option("--report", help="Also write a page about the result, as one HTML file.")]
Separator = Annotated[
    str | None, typer.Option("--separator", help="Between the cells of a CSV; found out if not given.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of a CSV, such as cp932 or utf-16; found out if not given.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Of a workbook; the first that holds a table if not given.")]
DecimalMark = Annotated[
    str | None,
    typer.Option("--decimal", help="The decimal mark of a CSV, . or ,; found out if not given."),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        help="What a column is: COLUMN=date:%d/%m/%Y, or COLUMN= and integer, decimal, category, code, date, wareki or "
        "excel-serial; repeated. Found out if not given.",
    ),
]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether line 1 names the columns; found out if not given.")
]
Deleted = Annotated[
    Path | None, typer.Option("--deleted", help="Of records: X, the deleted rows of the original from 0.")
]
Round = Annotated[
    str, typer.Option("--round", help="Of records: the round whose conditions hold; the rules' usual one if not given.")
]


def refuse_overwriting(paths: Iterable[Path], *, force: bool) -> None:
    """Refuse to write over files that are there, unless it is asked for; all of them at once."""
    faults = [
        Fault(
            row=0,
            column="--out",
            rule="there",
            value=str(path),
            message=Said("{path} is there already; --force writes over it", path=path),
        )
        for path in paths
        if path.exists() and not force
    ]
    if faults:
        raise FaultsError(Said("files to write"), faults)
