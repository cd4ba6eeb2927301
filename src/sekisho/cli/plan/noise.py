"""``sekisho plan noise``: the perturbation table of greatest entropy for counts with keyed noise."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, parse_fraction
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.tables.perturb.noise_file import write_noise
from sekisho.tables.perturb.rows import NoisePlan, NoiseRow, NoiseTable, VarianceCare
from sekisho.words import Said, join_words

CARES = (VarianceCare.AT_MOST, VarianceCare.EQUAL)


def noise(
    *,
    most: Annotated[int, typer.Option("--max", help="D, by how much a count may change at most.")],
    variance: Annotated[
        list[str],
        typer.Option(
            "--variance",
            help="V, the variance of the noise; repeated with at-most: rows that cannot reach it are fine; with equal: "
            "every row has just it.",
        ),
    ],
    threshold: Annotated[int, typer.Option("--threshold", min=0, help="js: the counts 1 to js are never shown.")] = 0,
    stay: Annotated[str, typer.Option("--stay", help="The least chance that a count is shown as it is.")] = "0",
    out: Annotated[Path, typer.Option("--out", help="The perturbation table to write.")],
    as_json: AsJson = False,
) -> None:
    """Make the perturbation table of greatest entropy: with what chance each count is shown for each true one.

    It may be known to everybody. A row whose variance is below V is told, and the status is 3 unless at-most is asked.

    Example: `sekisho plan noise --max 5 --variance 3 --threshold 2 --stay 0.5 --out P.csv`
    """
    check_paths(writes={"--out": out})
    wanted, care = _parse_variance(variance)
    plan = NoisePlan(most=most, variance=wanted, threshold=threshold, stay=parse_fraction("stay", stay), care=care)
    try:
        table = plan.make_table()
    except InfeasibleError as error:
        keys = {"status": "infeasible", "rows": [], "reason": error.args[0], "out": None}
        Answer(keys=keys, words=Said("infeasible: {error}", error=error.args[0]), good=False).deliver(as_json=as_json)
    short = [row.count for row in table.rows[1:] if not plan.reaches(row)]
    keys = {
        "status": "variance not reached" if short else "reached",
        "rows": [_describe_row(plan, row) for row in table.rows[1:]],
        "last": table.last,
        "out": str(out),
    }
    Answer(
        keys=keys,
        words=join_words(_tell_table(plan, table, short), "\n"),
        review=bool(short) and care is VarianceCare.REACH,
        files={out: write_noise(table, out)},
    ).deliver(as_json=as_json)


def _parse_variance(words: Sequence[str]) -> tuple[Fraction, VarianceCare]:
    """Return the number and the care that the words of an option say."""
    cares = [VarianceCare(word) for word in words if word in CARES]
    numbers = [word for word in words if word not in CARES]
    if len(numbers) != 1 or len(cares) > 1:
        rule = Said("be one number, and beside it at-most or equal or neither")
        raise ParameterError("variance", rule, ", ".join(words))
    return parse_fraction("variance", numbers[0]), cares[0] if cares else VarianceCare.REACH


def _describe_row(plan: NoisePlan, row: NoiseRow) -> dict[str, object]:
    return {
        "i": row.count,
        "variance": float(row.variance),
        "variance_reached": plan.reaches(row),
        "entropy": row.entropy,
        "stay": float(row.stay),
        "bias": float(row.bias),
        "p": {str(target): units / 10**8 for target, units in zip(row.targets, row.units, strict=True)},
    }


def _tell_table(plan: NoisePlan, table: NoiseTable, short: Sequence[int]) -> list[Said]:
    lines = [
        Said(
            "{rows} rows, noise of at most {most}; row {last} serves all larger counts",
            rows=len(table.rows) - 1,
            most=plan.most,
            last=table.last,
        ),
        *(
            Said(
                "{count:>4}: variance {variance:.6f}, entropy {entropy:.4f} bits, stays with chance {stay:.4f}",
                count=row.count,
                variance=float(row.variance),
                entropy=row.entropy,
                stay=float(row.stay),
            )
            for row in table.rows[1:]
        ),
    ]
    if short:
        lines.append(
            Said(
                "the variance {variance:g} is not reached in rows {short}: the order of the chances or the largest "
                "change stands against it",
                variance=float(plan.variance),
                short=", ".join(map(str, short)),
            )
        )
        if plan.care is VarianceCare.REACH:
            lines.append(Said("rows that fall short are taken as they are with --variance at-most"))
    return lines
