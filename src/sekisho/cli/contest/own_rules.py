"""``sekisho contest init``, ``check-rules`` and ``deal``: what an organiser does before a contest begins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from sekisho.cli.contest.evaluate import describe_standings
from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, settle_seed
from sekisho.cli.kit.files import Rules
from sekisho.cli.kit.language import tell_words
from sekisho.cli.kit.progress import show_progress
from sekisho.contest.board.rules import AttackerRules, Combine, OwnRelease
from sekisho.contest.folder.new_rules import RuleChoices, write_new_rules
from sekisho.contest.folder.rehearsal import rehearse_round
from sekisho.contest.rulebook import Rulebook, builtin_rules, read_rulebook, read_tables_rules, rules_path
from sekisho.contest.standing import list_standings
from sekisho.contest.tables.building_blocks import find_block_faults
from sekisho.contest.tables.dealing import commit_salt, deal_originals
from sekisho.contest.tables.rules import TABLES, TablesRules
from sekisho.data.files.settings import read_toml
from sekisho.data.files.whole_files import check_paths, decode_text, read_bytes
from sekisho.errors import (
    BugError,
    Fault,
    FaultsError,
    InputError,
    MissingFileError,
    ParameterError,
    SekishoError,
    SettingsError,
)
from sekisho.seeds import draw_salt
from sekisho.words import Said, join_words

LIKE = "pwscup2024"
T = TypeVar("T", bound=StrEnum)


def init(
    *,
    out: Annotated[Path, typer.Option("--out", help="The rulebook to write, a TOML file.")],
    like: Annotated[
        str, typer.Option("--like", help="The contest whose building blocks are taken; pwscup2024 if not given.")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="What the contest is called; asked for if not given.")] = "",
    title: Annotated[str, typer.Option("--title", help="Its title; that of the other contest if not given.")] = "",
    zone: Annotated[str, typer.Option("--zone", help="The zone of its days, such as Asia/Tokyo.")] = "",
    rounds: Annotated[
        list[str] | None, typer.Option("--round", help="A round and its weight, NAME=WEIGHT, once for each.")
    ] = None,
    combine: Annotated[Combine | None, typer.Option("--combine", help="How figures become the total.")] = None,
    floors: Annotated[
        list[str] | None, typer.Option("--floor", help="FIGURE=LIMIT,SLOPE: below it each point costs so many more.")
    ] = None,
    over: Annotated[
        int | None, typer.Option("--over", min=0, help="How many of the best releases count for attackers; 0 for all.")
    ] = None,
    own: Annotated[OwnRelease | None, typer.Option("--own", help="What an attacker's own release counts.")] = None,
    choices: Annotated[
        int | None, typer.Option("--choices", min=1, max=9, help="Among how many originals a team picks one.")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", min=1, help="How many rows an original has; what counts rows is put in proportion."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a rulebook of one's own from the building blocks of another; what is not given is asked at a terminal.

    Example: `sekisho contest init --like pwscup2023 --name ours --round final=1 --out ours.toml`
    """
    check_paths(writes={"--out": out})
    asks = not name and sys.stdin.isatty() and not as_json
    if asks:
        builtin = [each for each in builtin_rules() if isinstance(read_rulebook(each), TablesRules)]
        like = like or _ask(Said("Like which contest ({names})?", names=", ".join(builtin)), LIKE)
    like = like or LIKE
    asked = RuleChoices(
        name=name,
        title=title,
        zone=zone,
        rounds=None if rounds is None else {word: number for word, (number,) in _split("--round", rounds, 1).items()},
        combine=combine,
        floors=None if floors is None else {key: (low, by) for key, (low, by) in _split("--floor", floors, 2).items()},
        over=over,
        own=own,
        choices=choices,
        rows=rows,
    )
    asked = _ask_rest(asked, read_tables_rules(like)) if asks else asked
    if not asked.name:
        raise ParameterError("--name", Said("be given"), None)
    data = write_new_rules(like, asked)
    keys = {"out": str(out), "name": asked.name, "like": like}
    words = Said("{out} is written: `sekisho contest check-rules {out}` rehearses a round with it", out=out)
    Answer(keys=keys, words=words, files={out: data}).deliver(as_json=as_json)


def _ask_rest(asked: RuleChoices, book: TablesRules) -> RuleChoices:
    """Ask at the terminal for what no option says; an answer that is as in the other contest leaves it as it is."""
    attackers = book.contest.attackers or AttackerRules()
    name = asked.name or _ask(Said("What is the contest called?"), "ours")
    title = asked.title or _ask(Said("What is its title?"), name)
    rounds, over, own, combine, rows = asked.rounds, asked.over, asked.own, asked.combine, asked.rows
    if rounds is None:
        usual = " ".join(f"{each.name}={each.weight:g}" for each in book.contest.rounds) or "final=1"
        told = _ask(Said("Which rounds, with their weights?"), usual)
        words = _split("--round", told.split(), 1)
        rounds = None if told == usual else {word: number for word, (number,) in words.items()}
    if rows is None:
        question = Said("How many rows has an original (0: as many as in the other contest)?")
        rows = _ask_number("--rows", question, 0) or None
    if combine is None:
        question = Said("How do figures become the total ({names})?", names=", ".join(Combine))
        combine = _ask_choice("--combine", question, Combine, book.score.total.combine)
    if over is None:
        over = _ask_number("--over", Said("Over how many of the best releases (0: all)?"), attackers.over or 0)
    if own is None:
        question = Said("What does an attacker's own release count ({names})?", names=", ".join(OwnRelease))
        own = _ask_choice("--own", question, OwnRelease, attackers.own)
    return replace(asked, name=name, title=title, rounds=rounds, rows=rows, combine=combine, over=over, own=own)


def _ask(question: Said, usual: str) -> str:
    return str(typer.prompt(tell_words(question), default=str(usual))).strip()


def _ask_number(option: str, question: Said, usual: int) -> int:
    text = _ask(question, str(usual))
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        raise ParameterError(option, Said("be a whole number of 0 or more"), text)
    return int(text)


def _ask_choice(option: str, question: Said, kind: type[T], usual: T) -> T:
    text = _ask(question, usual)
    if text not in list(kind):
        raise ParameterError(option, Said("be one of {choices}", choices=", ".join(kind)), text)
    return kind(text)


def _split(option: str, given: Sequence[str], count: int) -> dict[str, list[float]]:
    """Return words of the form NAME=1,2 as numbers by name."""
    found: dict[str, list[float]] = {}
    for each in given:
        name, _, rest = each.partition("=")
        try:
            found[name] = [float(word) for word in rest.split(",")]
        except ValueError:
            found[name] = []
        if not name or len(found[name]) != count:
            rule = Said("be of the form {form}", form="NAME=1" if count == 1 else "NAME=50,2")
            raise ParameterError(option, rule, each)
    return found


def check_rules(rules: Rules, seed: AskedSeed = None, as_json: AsJson = False) -> None:
    """Tell every fault of a rulebook; of one without faults, rehearse a round with teams of the house.

    Contests whose releases are tables are rehearsed: on invented data three teams release as it is, changed and mixed;
    the second answers at random, the others attack as the sample programs do. So the standings are seen before anybody
    is invited. Status 1 if there are faults.

    Example: `sekisho contest check-rules pwscup2023 --seed 1`
    """
    book, faults = _read_rules(rules)
    if book is None or faults:
        _tell_faults(rules, faults, as_json=as_json)
    if not isinstance(book, TablesRules):
        keys = {"valid": True, "errors": [], "rehearsal": None}
        Answer(keys=keys, words=Said("no fault; only contests over tables are rehearsed")).deliver(as_json=as_json)
    with show_progress(Said("rehearsing")):
        try:
            rehearsal = rehearse_round(rules_path(rules), book, seed=settle_seed(seed))
        except (BugError, OSError):
            raise
        except SekishoError as error:
            told = error.faults if isinstance(error, FaultsError) else [_blame_rehearsal(error)]
            _tell_faults(rules, told, as_json=as_json)
    shown = {"round": rehearsal.round, "rows": rehearsal.rows, "standings": list_standings(rehearsal.standings)}
    first = Said("no fault; round {round} rehearsed with {rows} rows:", round=rehearsal.round, rows=rehearsal.rows)
    words = join_words([first, describe_standings(rehearsal.standings)], "\n")
    Answer(keys={"valid": True, "errors": [], "rehearsal": shown}, words=words).deliver(as_json=as_json)


def _read_rules(rules: str) -> tuple[Rulebook | None, list[Fault]]:
    """Return the rules, and everything that is wrong with them: with their keys, and with the blocks that they name."""
    book, faults = None, list[Fault]()
    try:
        book = read_rulebook(rules)
    except SettingsError as error:
        faults += error.faults
    table = read_toml(rules_path(rules))
    known = {fault.column for fault in faults}
    if table.get("kind") == TABLES:
        faults += [fault for fault in find_block_faults(table) if fault.column not in known]
    return book, faults


def _blame_rehearsal(error: SekishoError) -> Fault:
    message = Said("the rehearsed round does not come to its end: {reason}", reason=str(error))
    place = error.name if isinstance(error, ParameterError) else ""
    return Fault(row=0, column=place, rule="rehearsal", value="", message=message)


def _tell_faults(rules: str, faults: Sequence[Fault], *, as_json: bool) -> NoReturn:
    head = Said("{count} faults in {rules}", count=len(faults), rules=rules)
    keys = {"valid": False, "errors": [fault.as_dict() for fault in faults], "rehearsal": None}
    Answer(keys=keys, words=join_words([head, *map(str, faults)], "\n"), good=False).deliver(as_json=as_json)


def deal(
    rules: Rules,
    teams: Annotated[list[str], typer.Argument(metavar="TEAM…", help="The teams.")],
    originals: Annotated[Path, typer.Option("--originals", help="A folder of originals, a file each, with any names.")],
    salt: Annotated[
        Path, typer.Option("--salt", help="The salt, the organiser's secret: drawn and written if there is none.")
    ],
    out: Annotated[Path, typer.Option("--out", help="A new folder for TEAM.csv and what everybody is given.")],
    as_json: AsJson = False,
) -> None:
    """Deal originals out to teams by a hash of their names and a secret salt, and tell the digest that binds the salt.

    Publish the commitment before teams register, and the salt at the end: whoever deals with it again gets the same.

    Example: `sekisho contest deal pwscup2026 team01 team02 --originals cohorts --salt salt.txt --out originals`
    """
    check_paths(writes={"--salt": salt})
    book = read_tables_rules(rules)
    if not originals.is_dir():
        raise MissingFileError(originals)
    if out.exists():
        raise InputError(out, Said("is in use: originals go into a new folder"))
    words = decode_text(read_bytes(salt), salt).strip() if salt.is_file() else draw_salt()
    commitment = commit_salt(words)
    found = {path.stem: path for path in sorted(originals.glob("*.csv"))}
    missing = [name for name in book.original.given if name not in found]
    if missing:
        raise MissingFileError(originals / f"{missing[0]}.csv")
    dealt = deal_originals([name for name in found if name not in book.original.given], teams, words)
    files = {out / f"{team}.csv": read_bytes(found[name]) for team, name in dealt.items()}
    files |= {out / f"{name}.csv": read_bytes(found[name]) for name in book.original.given}
    out.mkdir(parents=True)
    files |= {} if salt.is_file() else {salt: f"{words}\n".encode()}
    keys = {"out": str(out), "teams": sorted(teams), "commitment": commitment}
    told = Said(
        "{teams} teams have their originals in {out}; the salt's SHA-256 is {commitment}",
        teams=len(teams),
        out=out,
        commitment=commitment,
    )
    Answer(keys=keys, words=told, files=files).deliver(as_json=as_json)
