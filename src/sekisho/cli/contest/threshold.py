"""``sekisho threshold`` and ``sekisho thresholds``: how many hits reject a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer, parse_fraction
from sekisho.data.files.whole_files import check_paths, write_whole
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.words import Said

Chance = Annotated[str, typer.Option("--p", help="The chance p of naming one person that H0 allows.")]
Level = Annotated[str, typer.Option("--alpha", help="The level at which H0 is rejected.")]
Which = Annotated[Bound, typer.Option("--bound", help="The contest's union bound or the exact worst case.")]


def threshold(
    claimed: Annotated[int, typer.Argument(metavar="N", help="How many pseudonyms the attack names.")],
    p: Chance = "1/3",
    alpha: Level = "1/2000",
    bound: Which = Bound.UNION,
    as_json: AsJson = False,
) -> None:
    """Tell how many hits among N guesses make an attack effective.

    Example: `sekisho threshold 999 --bound exact`
    """
    rule = RejectionRule(p=parse_fraction("p", p), alpha=parse_fraction("alpha", alpha), bound=bound)
    fewest = rule.threshold(claimed)
    words = (
        Said("{fewest} hits of {claimed}", fewest=fewest, claimed=claimed)
        if fewest <= claimed
        else Said("no number of hits among {claimed} is enough", claimed=claimed)
    )
    give_answer({"threshold": fewest}, words, as_json=as_json)


def thresholds(
    largest: Annotated[int, typer.Option("--max", min=0, max=10_000, help="The largest number of guesses.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write: lines n,r(n).")],
    p: Chance = "1/3",
    alpha: Level = "1/2000",
    bound: Which = Bound.UNION,
    as_json: AsJson = False,
) -> None:
    """Write the thresholds for 0 to --max guesses.

    Example: `sekisho thresholds --max 1000 --out R.csv`
    """
    check_paths(writes={"--out": out})
    rule = RejectionRule(p=parse_fraction("p", p), alpha=parse_fraction("alpha", alpha), bound=bound)
    write_whole({out: "".join(f"{n},{rule.threshold(n)}\n" for n in range(largest + 1)).encode()})
    give_answer(
        {"rows": largest + 1, "out": str(out)},
        Said("{largest} rows written to {out}", largest=largest + 1, out=out),
        as_json=as_json,
    )
