"""``sekisho risk``: how easily the people of a file of records are found, and by which columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import LargeOptions, expand_options
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.risk.reading import QuestionOptions, RiskFileOptions, RoleOptions, WantedOptions, read_keyed_records
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance, digest_file
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.risk_answer import check_wanted, describe_risk, list_household_warnings
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.data.engines.engine import EngineChoice


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
    if wanted.l is not None or wanted.t is not None:
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
    for remark in (*found.remarks, *list_household_warnings(found)):
        say(Said("warning: {remark}", remark=remark))
    kept = check_wanted(found, k=wanted.k, l=wanted.l, t=wanted.t)
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


def _require_sensitive(roles: RoleOptions, form: RiskFileOptions) -> None:
    if not (roles.sensitive or form.schema):
        raise ParameterError(Said("l and t"), Said("be asked for beside --sensitive"), None)
