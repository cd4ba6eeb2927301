"""``sekisho plan sampling`` and ``sekisho plan pram``: how much to sample and to change for a wanted promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer, parse_fraction, say
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.plan import release as recordplan
from sekisho.cli.plan.survival import survival
from sekisho.data.files.output_paths import check_paths
from sekisho.data.files.whole_files import write_whole
from sekisho.errors import ParameterError
from sekisho.gate.frontier import Frontier, Population, ReleasePlan
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.pages.frontier import PLAN_TITLE, plan_blocks
from sekisho.safety.planner import MOST_VALUES, Attribute, PramPlanner, allot_sample
from sekisho.safety.sampling import (
    ASSUMPTION,
    PartialKnowledge,
    SampleRisk,
    Scheme,
    Stratum,
    largest_samples,
    stratified_risk,
)
from sekisho.safety.strata_file import read_strata

app = typer.Typer(
    help="Plan a release before making it: `sekisho plan sampling`, `pram`, `release` or `survival`.",
    no_args_is_help=True,
    **TYPER,
)
app.command("release")(recordplan.release)
app.command("survival")(survival)

Records = Annotated[int | None, typer.Option("--records", help="n, how many records there are.")]
Strata = Annotated[
    Path | None,
    typer.Option(
        "--strata",
        help="CSV with the columns stratum, records, perhaps known, and perhaps sample, which then is the design.",
    ),
]
Drawing = Annotated[Scheme, typer.Option("--scheme", help="A sample of fixed size, or each record by its own coin.")]


@app.command("sampling")
def sampling(
    records: Records = None,
    known: Annotated[int | None, typer.Option("--known", help="n0, how many of them the adversary knows.")] = None,
    risk: Annotated[str | None, typer.Option("--risk", help="The greatest chance allowed, such as 0.2 or 1/5.")] = None,
    sample: Annotated[int | None, typer.Option("--sample", help="m, how many are drawn.")] = None,
    strata: Strata = None,
    scheme: Drawing = Scheme.FIXED,
    as_json: AsJson = False,
) -> None:
    """Tell the risk of a sample, or the largest sample for a risk, against somebody who knows a part of the records.

    Example: `sekisho plan sampling --records 1000 --known 100 --risk 0.2`
    """
    parts = _make_stratum(records, known) if strata is None else read_strata_aloud(strata)
    if strata is not None:
        _refuse_both("strata", strata, "records", records)
        _refuse_both("strata", strata, "known", known)
    if risk is not None:
        _refuse_both("risk", risk, "sample", sample)
        drawn = largest_samples(parts, parse_fraction("risk", risk))
    else:
        size = sum(part.sample for part in parts) if sample is None else sample
        if sample is None and not size:
            raise ParameterError("risk", "be given, or --sample", None)
        drawn = allot_sample(parts, size)
    finding = stratified_risk(drawn, scheme=scheme)
    total = sum(part.sample for part in drawn)
    answer = {
        "sample": total,
        "risk": float(finding.risk),
        "risk_exact": str(finding.risk),
        "guaranteed": False,  # sampling alone promises under an assumption only
        "promise": finding.promise,
        "assumes": ASSUMPTION,
        "gap": finding.gap and str(finding.gap),
        **({"strata": {part.name: part.sample for part in drawn}, "worst": finding.stratum} if strata else {}),
    }
    give_answer(answer, _sampling_words(total, drawn, finding), as_json=as_json, good=finding.promised)


def _make_stratum(records: int | None, known: int | None) -> list[Stratum]:
    if records is None or known is None:
        raise ParameterError("records" if records is None else "known", "be given, or --strata", None)
    PartialKnowledge(records=records, known=known)
    return [Stratum(name="", records=records, sample=0, known=known)]


def _sampling_words(total: int, drawn: Sequence[Stratum], finding: SampleRisk) -> str:
    if not finding.promised:
        return finding.promise
    each = "".join(f"\n{part.name:<20} {part.sample:>12,} of {part.records:,}" for part in drawn if part.name)
    worst = f", in stratum {finding.stratum}" if finding.stratum else ""
    words = f"a sample of {total:,}: the adversary's chance is at most {float(finding.risk):.6f} ({finding.risk}){worst}{each}"
    return (
        f"{words}\n{finding.promise}.\nCode outliers first, and measure it on your file: sekisho protect sample FILE --known"
        " N tries how often such an adversary is right."
    )


@app.command("pram")
def pram(
    domains: Annotated[str, typer.Option("--domains", help="Values per attribute: 2,5,6 or sex=2,age=5.")],
    records: Records = None,
    k: Annotated[str | None, typer.Option("--k", help="The k to keep.")] = None,
    retention: Annotated[
        str | None, typer.Option("--retention", help="Chance that a value is kept, all else drawn anew.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", help="m, how many are drawn; with --retention, if not given, all or the strata's samples."
        ),
    ] = None,
    strata: Strata = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the frontier as a page to this HTML file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the k of PRAM and sampling, or what keeps a wanted k: the largest retention or sample, the frontier.

    With --retention (and --sample): the k. With --k and --sample: the largest retention. With --k and --retention: the
    largest sample. With --k alone: the plan with the least expected error. --k also gives the whole frontier.

    Example: `sekisho plan pram --records 30000 --domains sex=2,race=5,education=16 --k 5`
    """
    check_paths(reads=[strata], writes={"--out": out})
    parts = read_strata_aloud(strata)
    planner = PramPlanner(attributes=parse_domains(domains))
    if records is None and not parts:
        raise ParameterError("records", "be given, or --strata", None)
    population = Population(planner=planner, records=records or sum(part.records for part in parts), strata=parts)
    wanted = None if k is None else parse_fraction("k", k)
    kept = None if retention is None else parse_fraction("retention", retention)
    frontier = None if wanted is None else population.frontier(wanted)
    point = _choose_plan(population, frontier, kept, sample)
    if out is not None:
        _write_page(out, frontier, point, {"records": population.records, "domains": domains, "k": k})
    answer = {
        **point.as_dict(),
        "k_exact": str(point.k),
        "risk": float(1 / point.k),
        "records": population.records,
        "domains": {name: attribute.values for name, attribute in planner.attributes.items()},
        "guaranteed": point.k > 1,
        **({} if frontier is None else {"frontier": [each.as_dict() for each in frontier.points]}),
        **({} if out is None else {"report": str(out)}),
    }
    give_answer(answer, _pram_words(population, point, frontier), as_json=as_json, good=point.k > 1)


def _choose_plan(
    population: Population, frontier: Frontier | None, kept: Fraction | None, sample: int | None
) -> ReleasePlan:
    if frontier is None:
        if kept is None:
            raise ParameterError("k", "be given, or --retention", None)
        whole = population.fixed_sample or population.records
        return population.at(whole if sample is None else sample, kept)
    if kept is not None:
        _refuse_both("retention", kept, "sample", sample)
        return population.at(population.largest_sample(frontier.k, kept), kept)
    return frontier.best if sample is None else population.point(frontier.k, sample)


def _write_page(out: Path, frontier: Frontier | None, point: ReleasePlan, parameters: Mapping[str, object]) -> None:
    if frontier is None:
        raise ParameterError("out", "be asked for together with --k", str(out))
    blocks = plan_blocks(frontier, point, Provenance(name="plan pram", parameters=parameters))
    write_whole({out: render_page(PLAN_TITLE, blocks).encode()})


def _pram_words(population: Population, point: ReleasePlan, frontier: Frontier | None) -> str:
    head = (
        f"k = {float(point.k):.6f}: nobody is found with a chance above {float(1 / point.k):.6f},"
        f" with retention {float(point.retention):g} and {point.sample:,} of {population.records:,} records"
    )
    if point.k <= 1:
        head = "no guarantee: values are released unchanged (retention 1), or there is one record only"
    rows = () if frontier is None else frontier.points
    names = list(point.errors)
    lines = (
        [f"{'sample':>14} {'retention':>10} {'k':>12}  standard error of a share: {', '.join(names)}"] if rows else []
    )
    lines += [
        f"{each.sample:>14,} {float(each.retention):>10.6f} {float(each.k):>12.4f}  "
        + " ".join(f"{each.errors[name]:9.3g}" for name in names)
        for each in rows
    ]
    return "\n".join([head, *lines])


def _refuse_both(name: str, value: object, other: str, its: object) -> None:
    if its is not None:
        raise ParameterError(name, f"not be given together with --{other}", str(value))


def parse_domains(text: str) -> dict[str, Attribute]:
    """Return the attributes written as ``2,5,6`` or ``sex=2,age=5``."""
    attributes: dict[str, Attribute] = {}
    for place, part in enumerate(filter(None, text.split(",")), 1):
        name, equals, size = part.rpartition("=")
        try:
            values = int(size)
        except ValueError as error:
            raise ParameterError("domains", "be whole numbers such as 2,5,6 or sex=2,age=5", text) from error
        if not 1 <= values <= MOST_VALUES:
            raise ParameterError("domains", f"lie between 1 and {MOST_VALUES:,} each", values)
        attributes[name if equals else f"attribute {place}"] = Attribute(values=values)
    if not attributes:
        raise ParameterError("domains", "name at least one attribute", text)
    return attributes


def read_strata_aloud(path: Path | None) -> tuple[Stratum, ...]:
    """Return the strata of a file, having said how it was read; none without a file."""
    if path is None:
        return ()
    file = read_strata(path)
    say(f"{path}: {file.form}")
    return file.strata
