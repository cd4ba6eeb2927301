"""``sekisho risk``: how easily the people of a file of records are found, and by which columns.

What ``sekisho risk`` answers in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.large_options import LargeOptions
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.risk.options import QuestionOptions, RiskFileOptions, RoleOptions, WantedOptions
from sekisho.cli.risk.reading import read_keyed_records
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance, digest_file
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.record_risk import IndividualRisk, RecordRisk, SpecialFigures
from sekisho.safety.records.uniques.suda_scores import StandOut
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.data.engines.engine import EngineChoice

SHOWN_RISKS = (0.5, 0.9, 0.99)


def describe_risk(risk: RecordRisk) -> dict[str, object]:
    """Return the answer as plain data."""
    keys: dict[str, object] = {
        "rows": risk.rows,
        "keys": list(risk.keys),
        "k": risk.k,
        "classes": risk.classes,
        "uniques": risk.uniques,
        "l": risk.diversity,
        "t": risk.closeness,
        "sizes": [
            {"size": size, "rows": count, "classes": None if risk.missing_matches else count // size}
            for size, count in risk.count_sizes()
        ],
        "missing": dict(risk.missing),
        "missing_matches": risk.missing_matches,
        "sensitive": [asdict(each) for each in risk.sensitive],
        "reidentification": asdict(risk.reidentification),
        "warnings": [str(remark) for remark in risk.remarks],
    }
    return keys | _describe_population(risk) | _describe_special(risk)


def _describe_population(risk: RecordRisk) -> dict[str, object]:
    keys: dict[str, object] = {}
    if risk.people is not None:
        keys["population"] = {
            "people": risk.people,
            "fraction": risk.fraction,
            "estimates": [
                {
                    "estimator": each.estimator,
                    "uniques": each.uniques,
                    "of_sample": each.of_sample,
                    "assumes": each.assumes,
                }
                for each in risk.estimates
            ],
        }
    if risk.population is not None:
        low, high = risk.population.presence
        keys |= {"k_map": risk.population.least_map, "presence": {"low": low, "high": high}}
    if risk.individual is not None:
        keys["individual"] = _describe_individual(risk.individual, risk.reidentification.limit)
    return keys


def _describe_individual(individual: IndividualRisk, limit: float) -> dict[str, object]:
    return {
        "expected_matches": individual.expected,
        "highest": individual.highest,
        "above_limit": individual.count_above(limit),
        "quantiles": dict(zip(map(str, SHOWN_RISKS), individual.compute_quantiles(SHOWN_RISKS), strict=True)),
        "model": "negative binomial (Benedetti and Franconi); no bound",
    }


def _describe_special(risk: RecordRisk) -> dict[str, object]:
    special = risk.special
    if special is None:
        return {}
    by_size = special.count_minimal()
    return {
        "suda": {
            "largest_set": special.largest,
            "minimal_uniques": sum(by_size),
            "by_size": {str(size): count for size, count in enumerate(by_size, 1)},
            "highest_score": special.find_highest_score(),
            "dis": special.compute_dis(risk.fraction),
            "dis_fraction": risk.fraction,
            "dis_fraction_assumed": risk.people is None,
            "highest_dis_score": special.find_highest_dis_score(risk.fraction),
            "contributions": _name_contributions(risk, special),
        },
        "sets": [
            {"keys": [risk.keys[key] for key in chosen], "uniques": count}
            for chosen, count in zip(special.sets, special.uniques, strict=True)
        ],
        "stand_out": [_describe_stand_out(each) for each in risk.stand_outs],
    }


def _name_contributions(risk: RecordRisk, special: SpecialFigures) -> Mapping[str, float]:
    return dict(zip(risk.keys, special.compute_contributions().tolist(), strict=True))


def _describe_stand_out(each: StandOut) -> dict[str, object]:
    return {
        "row": each.row + 1,
        "score": each.score,
        "minimal_uniques": each.minimal,
        "because": dict(zip(each.columns, each.values, strict=True)),
    }


SLACK = 1e-12


@expand_options
def risk(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The records: CSV or Parquet, one row a person.")],
    *,
    roles: RoleOptions,
    wanted: WantedOptions,
    question: QuestionOptions,
    form: RiskFileOptions,
    large: LargeOptions,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Tell how easily the people of a file are found by what may be known of them, and what is then learned.

    Counts classes of equal keys (k), uniques and their chances of being found; with `--sensitive` l-diversity,
    t-closeness and their kin; with `--population` or `--weights` estimates for the population; with `--suda` or
    `--report` which sets of columns single out whom. Pages and `--suda` show rows and key values: keep them inside.

    Example: `sekisho risk people.csv --keys age,sex,town --sensitive illness --report risk.html`
    """
    if question.largest is not None and not (question.suda or report):
        raise ParameterError("sets", Said("be given with --suda or --report"), question.largest)
    if wanted.diversity is not None or wanted.closeness is not None:
        _require_sensitive(roles, form)
    check_paths(reads=[file], writes={"--report": report})
    engine = large.choose()
    asked = RiskQuestion(
        limit=question.limit,
        special=question.suda or (report is not None and not question.missing_matches),
        largest=question.largest,
        missing_matches=question.missing_matches,
        distance=question.distance,
    )
    if engine is None:
        records = read_keyed_records(file, roles, form, question)
        with show_progress(Said("counting")):
            found = asked.assess(records)
    else:
        found = _assess_large(file, roles, form, question, asked, engine)
    for remark in found.remarks:
        say(Said("warning: {remark}", remark=remark))
    kept = check_wanted(found, wanted)
    answer = describe_risk(found) | ({"kept": kept} if kept else {})
    answer |= {} if engine is None else {"engine": engine.engine.value}
    provenance = Provenance(
        name="risk",
        parameters={
            "keys": list(found.keys),
            "sensitive": [each.column for each in found.sensitive],
            "weights": roles.weights,
            "population": question.population,
            "missing_matches": question.missing_matches,
        },
        inputs={file.name: digest_file(file)} if report and file.is_file() else {},
    )
    words, files = "", dict[Path, bytes]()
    if report is not None or not as_json:
        from sekisho.report.pages.risk.record_risk import render_risk_page, render_risk_words

        words = render_risk_words(found, provenance, language=chosen_language())
        files = (
            {} if report is None else {report: render_risk_page(found, provenance, language=chosen_language()).encode()}
        )
    Answer(keys=answer, words=words, good=all(kept.values()), files=files).deliver(as_json=as_json)


def _assess_large(
    file: Path,
    roles: RoleOptions,
    form: RiskFileOptions,
    question: QuestionOptions,
    asked: RiskQuestion,
    engine: EngineChoice,
) -> RecordRisk:
    from sekisho.cli.risk.engine_reading import open_large_records
    from sekisho.safety.records.engine.assessment import EngineCounts

    with open_large_records(file, roles, form, question, engine) as records, show_progress(Said("counting")):
        return asked.assess(EngineCounts(records))


def check_wanted(found: RecordRisk, wanted: WantedOptions) -> dict[str, bool]:
    """Return of each thing that must hold whether it does."""
    kept = dict[str, bool]()
    if wanted.k is not None:
        kept["k"] = found.k >= wanted.k
    if wanted.diversity is not None:
        kept["l"] = found.diversity is not None and found.diversity >= wanted.diversity
    if wanted.closeness is not None:
        kept["t"] = found.closeness is not None and found.closeness <= wanted.closeness + SLACK
    return kept


def _require_sensitive(roles: RoleOptions, form: RiskFileOptions) -> None:
    if not (roles.sensitive or form.schema):
        raise ParameterError(Said("l and t"), Said("be asked for beside --sensitive"), None)
