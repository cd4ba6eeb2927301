"""``sekisho plan pram``: how much to sample and to change by chance for a wanted k.

What the planning commands ask of a population: how many records, which strata, how the sample is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer, parse_fraction, say
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import expand_options
from sekisho.data.files.whole_files import check_paths, write_whole
from sekisho.errors import ParameterError
from sekisho.gate.frontier import Frontier, Population, ReleasePlan
from sekisho.protect.records.pram import read_matrix
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.frontier import PLAN_TITLE, plan_blocks
from sekisho.safety.epsilon import INFINITE
from sekisho.safety.planner import MOST_VALUES, Attribute, MatrixAttribute, PramPlanner
from sekisho.safety.sampling import GuaranteeGap, Scheme, count_sample
from sekisho.safety.strata_file import DIGITS, StrataFile, read_strata
from sekisho.words import Said, join_words

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What is released, and how it is drawn."""

    domains: Annotated[
        str, typer.Option("--domains", help="Values per attribute without a matrix: 2,5,6 or sex=2,age=5.")
    ] = ""
    matrix: Annotated[
        list[str] | None,
        typer.Option(
            "--matrix", help="An attribute with a matrix of its own, name=FILE.csv, labelled; may be repeated."
        ),
    ] = None
    records: Records = None
    strata: Strata = None
    scheme: Drawing = Scheme.FIXED

    def list_files(self) -> dict[str, Path]:
        """Return the files of the matrices by attribute."""
        files: dict[str, Path] = {}
        for text in self.matrix or ():
            name, equals, path = text.partition("=")
            if not name or not equals or not path or name in files:
                raise ParameterError("matrix", Said("be name=FILE.csv, each name once"), text)
            files[name] = Path(path)
        return files

    def read(self) -> Population:
        """Return the population."""
        file = None if self.strata is None else read_strata_aloud(self.strata)
        parts = () if file is None else file.strata
        attributes: dict[str, Attribute | MatrixAttribute] = dict(parse_domains(self.domains))
        for name, path in self.list_files().items():
            if name in attributes:
                raise ParameterError("matrix", Said("be of attributes that are not among --domains"), name)
            attributes[name] = MatrixAttribute(matrix=read_matrix(path, name).matrix)
        if not attributes:
            raise ParameterError("domains", Said("name at least one attribute, or --matrix"), self.domains)
        if self.records is None and not parts:
            raise ParameterError("records", Said("be given, or --strata"), None)
        return Population(
            planner=PramPlanner(attributes=attributes),
            records=self.records or sum(part.records for part in parts),
            strata=parts,
            weights=None if file is None else file.weights,
            scheme=self.scheme,
        )


@expand_options
def pram(
    *,
    design: Design,
    k: Annotated[str | None, typer.Option("--k", help="The k to keep.")] = None,
    retention: Annotated[
        str | None,
        typer.Option(
            "--retention", help="Chance that a value of an attribute without a matrix is kept, else drawn anew."
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            "--sample",
            help="m, how many are drawn, or which share, such as 1%; without --k, if not given, all or the strata's "
            "samples.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write the frontier as a page to this HTML file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the k of PRAM and sampling, or what keeps a wanted k: the largest retention or sample, the frontier.

    With --retention (and --sample): the k. With --k and --sample: the largest retention. With --k and --retention: the
    largest sample. With --k alone: the plan with the least expected error. --k also gives the whole frontier.
    Attributes with a --matrix of their own have no retention; if all have one, --sample gives the k and --k the
    largest sample.

    Example: `sekisho plan pram --records 30000 --domains sex=2,race=5,education=16 --k 5`
    """
    check_paths(reads=[design.strata, *design.list_files().values()], writes={"--out": out})
    population = design.read()
    planner = population.planner
    if planner.settled and retention is not None:
        raise ParameterError("retention", Said("not be given where every attribute has a matrix"), retention)
    wanted = None if k is None else parse_fraction("k", k)
    rho = None if retention is None else parse_fraction("retention", retention)
    frontier = None if wanted is None else population.frontier(wanted)
    point = _choose_plan(population, frontier, rho, parse_size(sample, population.records))
    if out is not None:
        described = {"records": population.records, "domains": design.domains, "matrix": design.matrix, "k": k}
        _write_page(out, frontier, point, described)
    gap = GuaranteeGap.BERNOULLI if design.scheme is Scheme.BERNOULLI else None
    answer = {
        **point.as_dict(),
        "k_exact": str(point.k),
        "risk": float(1 / point.k),
        "records": population.records,
        "domains": {name: attribute.values for name, attribute in planner.attributes.items()},
        "scheme": design.scheme,
        "gap": gap and str(gap),
        "guaranteed": point.k > 1,
        **point.review.as_dict(),
        "noisy": list(point.review.noisy),
        **({} if frontier is None else {"frontier": [each.as_dict() for each in frontier.points]}),
        **({} if out is None else {"report": str(out)}),
    }
    words = _describe_plan(population, point, frontier)
    give_answer(answer, words, as_json=as_json, good=point.k > 1, review=point.review.needed)


def _choose_plan(
    population: Population, frontier: Frontier | None, rho: Fraction | None, sample: int | None
) -> ReleasePlan:
    if frontier is None:
        if rho is None and not population.planner.settled:
            raise ParameterError("k", Said("be given, or --retention"), None)
        whole = population.fixed_sample or population.records
        return population.at(whole if sample is None else sample, rho)
    if rho is not None:
        refuse_both("retention", rho, "sample", sample)
        return population.at(population.largest_sample(frontier.k, rho), rho)
    return frontier.best if sample is None else population.point(frontier.k, sample)


def _write_page(out: Path, frontier: Frontier | None, point: ReleasePlan, parameters: Mapping[str, object]) -> None:
    if frontier is None:
        raise ParameterError("out", Said("be asked for together with --k"), str(out))
    blocks = plan_blocks(frontier, point, Provenance(name="plan pram", parameters=parameters))
    write_whole({out: render_page(PLAN_TITLE, blocks, language=chosen_language()).encode()})


def _describe_plan(population: Population, point: ReleasePlan, frontier: Frontier | None) -> str:
    kept = (
        Said("these matrices")
        if point.retention is None
        else Said("retention {retention:g}", retention=float(point.retention))
    )
    head = Said(
        "k = {k:.6f}: nobody is found with a chance above {chance:.6f}, with "
        "{kept} and {sample:,} of {records:,} records",
        k=float(point.k),
        chance=float(1 / point.k),
        kept=kept,
        sample=point.sample,
        records=population.records,
    )
    if point.k <= 1:
        head = Said(
            "no guarantee: values are released unchanged (retention 1, a zero in a matrix), or there is one record only"
        )
    drawn = (
        [
            Said(
                "each record by its own coin: all may come out, so this is the k of PRAM alone; sampling "
                "adds nothing to it"
            )
        ]
        if population.scheme is Scheme.BERNOULLI
        else []
    )
    sentences = [head, point.epsilon.describe(), *drawn, *point.review.list_warnings()]
    return join_words([*sentences, *_list_points(point, frontier)], "\n")


def _list_points(point: ReleasePlan, frontier: Frontier | None) -> Sequence[str]:
    if frontier is None:
        return ()
    names = list(point.errors)
    title = Said(
        "{columns}  standard error of a share: {names}",
        columns=f"{'sample':>14} {'retention':>10} {'k':>12} {'epsilon':>9}",
        names=", ".join(names),
    )
    return [
        title,
        *(
            f"{each.sample:>14,} {_format_retention(each):>10} {float(each.k):>12.4f} {_format_epsilon(each):>9}  "
            + " ".join(f"{each.errors[name]:9.3g}" for name in names)
            for each in frontier.points
        ),
    ]


def _format_retention(point: ReleasePlan) -> str:
    return "-" if point.retention is None else f"{float(point.retention):.6f}"


def _format_epsilon(point: ReleasePlan) -> str:
    return INFINITE if point.epsilon.odds.infinite else f"{point.epsilon.epsilon:.4f}"


def parse_domains(text: str) -> dict[str, Attribute]:
    """Return the attributes written as ``2,5,6`` or ``sex=2,age=5``; none for an empty text."""
    attributes: dict[str, Attribute] = {}
    for place, part in enumerate(filter(None, text.split(",")), 1):
        name, equals, size = part.rpartition("=")
        try:
            values = int(size)
        except ValueError as error:
            raise ParameterError("domains", Said("be whole numbers such as 2,5,6 or sex=2,age=5"), text) from error
        if not 1 <= values <= MOST_VALUES:
            raise ParameterError(
                "domains", Said("lie between 1 and {most_values:,} each", most_values=MOST_VALUES), values
            )
        attributes[name if equals else f"attribute {place}"] = Attribute(values=values)
    return attributes
