"""``sekisho contest evaluate``: a round whose files lie in a folder, as they came by e-mail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.files import GivenRules
from sekisho.cli.kit.language import chosen_language, tell_words
from sekisho.cli.kit.progress import show_progress
from sekisho.contest.folder.binding import LEDGER, RULES_FILE, SECRET, digest_rules, require_bound
from sekisho.contest.folder.desk import write_final_guesses
from sekisho.contest.folder.evaluation import Evaluation, evaluate_folder, write_tables
from sekisho.contest.folder.live import hold_contest
from sekisho.contest.folder.mailed_files import refuse_link
from sekisho.contest.rulebook import Rulebook, read_rulebook
from sekisho.contest.standing import TeamStanding, list_standings
from sekisho.data.files.whole_files import check_paths, is_file
from sekisho.errors import InputError, ParameterError, say_failure
from sekisho.report.kit.html import render_page
from sekisho.report.pages.contest import contest_blocks, contest_title
from sekisho.words import Said, join_words

FILES = ("matrix.csv", "standings.csv", "standings.json", "report.html", "ledger.jsonl")
SHOWN = 20
UTILITY, RISK = Said("error"), Said("risk")
AS_ATTACKER = Said("as attacker")
TOTAL = Said("total")
NO_RELEASE = Said("no release")
SURVIVES, OUT = Said("survives"), Said("out")

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The contest's folder.")]
ContestRules = Annotated[str, typer.Option("--rules", help="A built-in contest such as pwscup2018, or a TOML file.")]
ContestRound = Annotated[str, typer.Option("--round", help="The round; the rules' usual one if not given.")]


def evaluate(folder: Folder, rules: GivenRules = "", asked_round: ContestRound = "", as_json: AsJson = False) -> None:
    """Evaluate a folder of releases and attacks: check all, publish, judge every attack, rank, and write a page.

    The folder holds original.csv, releases/TEAM.csv and guesses/ATTACKER-on-TARGET.csv; of records also
    releases/TEAM-deleted.csv and answers/ATTACKER-on-TARGET.csv. Bad files are named and cost only their own team.
    Of a contest that `contest new` began, the files of a round are evaluated again, under its own rules.

    Example: `sekisho contest evaluate cup --rules pwscup2018`
    """
    going_on = is_live(folder)
    if not rules and not going_on:
        raise ParameterError("--rules", Said("be given for a folder of files"), None)
    book = read_rulebook(rules or str(folder / RULES_FILE))
    place = folder / "result"
    refuse_link(place)
    if folder.is_dir():
        check_paths(writes={name: place / name for name in FILES}, folders=[place])
    with show_progress(Said("evaluating")):
        evaluation = (
            _evaluate_round(folder, book, asked_round) if going_on else evaluate_folder(folder, book, asked_round)
        )
        blocks = contest_blocks(evaluation)
        page = render_page(contest_title(evaluation), blocks, language=chosen_language()).encode()
    make_folder(place)
    files = {place / name: data for name, data in (write_tables(evaluation) | {"report.html": page}).items()}
    for fault in evaluation.faults[:SHOWN]:
        say(str(fault))
    Answer(keys=_list_keys(evaluation, place), words=_describe(evaluation, place), files=files).deliver(as_json=as_json)


def is_live(folder: Path) -> bool:
    """Tell whether a folder is that of a contest that is going on, or was."""
    return is_file(folder / LEDGER) or is_file(folder / SECRET)


def _evaluate_round(folder: Path, book: Rulebook, asked_round: str) -> Evaluation:
    """Evaluate a round of a contest that is going on from its files: the published releases, the attacks that count."""
    with hold_contest(folder) as live:
        require_bound(folder)
        if digest_rules(book) != digest_rules(live.rules):
            raise ParameterError("--rules", Said("be those of the contest, or not be given"), book.name)
        name = asked_round or book.usual_round
        if name not in live.state.published:
            raise ParameterError("--round", Said("be a round whose releases are published"), name)
        for team in live.state.published[name]:
            live.open_scorer(name, team)  # an original that cannot be read is found out before anything is written
        write_final_guesses(live, name)
        seed = live.find_seed(name)
        answers = folder / "truth" / name / ("answers" if seed is None else "maps")
        return evaluate_folder(live.find_round_folder(name), book, name, answers=answers, seed=seed)


def make_folder(place: Path) -> None:
    """Make a folder for what is written."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            place, Said("cannot be made: {strerror}", strerror=say_failure(error, Said("unknown reason")))
        ) from error


def _list_keys(evaluation: Evaluation, place: Path) -> dict[str, object]:
    return {
        "round": evaluation.round,
        "standings": list_standings(evaluation.standings),
        "matrix": evaluation.list_matrix(),
        "missing": [{"attacker": by, "target": on} for by, on in evaluation.results.list_missing()],
        "errors": [fault.as_dict() for fault in evaluation.faults],
        "counts": dict(evaluation.counts),
        "skipped": list(evaluation.skipped),
        "digest": evaluation.digest,
        "result": str(place),
    }


def _describe(evaluation: Evaluation, place: Path) -> str:
    attacks = len(evaluation.results.attacks)
    judged = (
        Said(
            "{attacks} attacks judged, {files} files with errors, all in {place}",
            attacks=attacks,
            files=len(evaluation.counts),
            place=place,
        )
        if evaluation.counts
        else Said("{attacks} attacks judged, all in {place}", attacks=attacks, place=place)
    )
    return join_words(
        [
            describe_standings(evaluation.standings),
            judged,
            Said("digest {digest}", digest=evaluation.digest),
        ],
        "\n",
    )


def describe_standings(standings: tuple[TeamStanding, ...]) -> str:
    """Return standings as lines for people."""
    return join_words(map(_describe_team, standings), "\n")


def _describe_team(each: TeamStanding) -> str:
    rank = "–" if each.rank is None else str(each.rank)
    if each.total is not None:
        return f"{rank:>3}  {each.team:<16} {_describe_total(each)}"
    utility = tell_words(NO_RELEASE) if each.utility is None and each.risk is None else _show(UTILITY, each.utility)
    risk = "" if each.risk is None else f"  {_show(RISK, each.risk)}  {_show(AS_ATTACKER, each.attack)}"
    return f"{rank:>3}  {each.team:<16} {utility}{risk}  {_describe_fate(each)}"


def _describe_total(each: TeamStanding) -> str:
    total = _show(TOTAL, each.total) if each.survives else tell_words(NO_RELEASE)
    boards = each.boards or {"": (each.attack, each.attack_rank)}
    told = [
        f"{name} {_show(AS_ATTACKER, value)} ({'–' if rank is None else rank})".strip()
        for name, (value, rank) in boards.items()
    ]
    return "  ".join([total, *told])


def _describe_fate(each: TeamStanding) -> str:
    if each.survives or not each.broken_by:
        return tell_words(SURVIVES if each.survives else OUT)
    names = ", ".join(each.broken_by)
    return tell_words(Said("broken by {names}", names=names))


def _show(name: Said, value: float | None) -> str:
    return f"{tell_words(name)} –" if value is None else f"{tell_words(name)} {value:.6f}"
