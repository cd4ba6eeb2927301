"""The files and rules that many commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Rules = Annotated[str, typer.Argument(metavar="RULES", help="A built-in contest such as pwscup2018, or a TOML file.")]
GivenRules = Annotated[str, typer.Option("--rules", help="A built-in contest such as pwscup2018, or a TOML file.")]
Original = Annotated[Path, typer.Option("--original", help="The original data.")]
Released = Annotated[Path, typer.Option("--released", help="The release handed in, row by row beside the original.")]
Published = Annotated[Path, typer.Option("--published", help="What was published of the release.")]
Guessed = Annotated[Path, typer.Option("--guess", help="The attack.")]
Out = Annotated[Path, typer.Option("--out", help="The file to write.")]
Deleted = Annotated[
    Path | None, typer.Option("--deleted", help="Of records: X, the deleted rows of the original from 0.")
]
Round = Annotated[
    str, typer.Option("--round", help="Of records: the round whose conditions hold; the rules' usual one if not given.")
]
