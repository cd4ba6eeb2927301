"""``sekisho contest new``, ``register``, ``open``, ``close``, ``announce`` and ``show``: a contest that is going on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from sekisho.cli.contest.evaluate import ContestRules, Folder
from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed
from sekisho.cli.kit.language import tell_words
from sekisho.contest.event import Announced, Closed, Event, Opened, Registered
from sekisho.contest.folder.desk import publish_round, write_final_guesses
from sekisho.contest.folder.live import LiveContest, create_contest, hold_contest, read_contest
from sekisho.contest.rulebook import read_rulebook
from sekisho.contest.rules import PhaseKind, read_moment, show_moment, write_moment
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.words import Language, Said, join_words

At = Annotated[
    str, typer.Option("--at", help="The moment, such as 2018-09-06T12:00, in the contest's zone; now if not given.")
]
Round = Annotated[str, typer.Option("--round", help="The round; the only one, or the rules' usual one if not given.")]

OPEN = Said("open")


def new(
    folder: Folder,
    rules: ContestRules,
    originals: Annotated[
        list[str],
        typer.Option("--original", help="The original of every round; or ROUND=FILE, or ROUND=FOLDER of TEAM.csv."),
    ],
    start: Annotated[
        str, typer.Option("--start", help="First day, such as 2018-08-24; phases are opened by hand if not given.")
    ] = "",
    at: At = "",
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Begin a contest in a new folder.

    Example: `sekisho contest new cup --rules pwscup2018 --original T.csv --start 2018-08-24`
    """
    contest = read_rulebook(rules).settle_contest()
    moment = settle_moment(at, contest.zone)
    if start:
        _check_day(start)
    secret = Seed.draw() if seed is None else Seed(seed)  # the referee's: never printed
    places = _read_originals(originals, contest.round_names)
    live = rule(
        lambda: create_contest(folder, rules, places, at=moment, first_day=start, secret=secret), as_json=as_json
    )
    give_state(
        live, Said("the contest {name} begins in {folder}", name=live.rules.name, folder=folder), as_json=as_json
    )


def register(
    folder: Folder,
    teams: Annotated[list[str], typer.Argument(metavar="TEAM…", help="The teams.")],
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Register teams, all of them or none.

    Example: `sekisho contest register cup team01 team02`
    """
    with hold_contest(folder) as held:
        moment = settle_moment(at, held.state.contest.zone)
        events = [Registered(at=moment, team=team) for team in teams]
        live = rule(lambda: send_all(held, events), as_json=as_json)
        give_state(live, Said("{teams} teams take part", teams=len(live.state.teams)), as_json=as_json)


def open_phase(
    folder: Folder,
    phase: Annotated[PhaseKind, typer.Argument(metavar="PHASE", help="Such as register, anonymise, publish, attack.")],
    asked_round: Round = "",
    until: Annotated[str, typer.Option("--until", help="When it closes; when the next one opens if not given.")] = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Open a phase: register, practice, anonymise, publish, attack, evaluate or reveal; other phases end.

    Opening publish publishes the final entries of the round.

    Example: `sekisho contest open cup anonymise --round final --until 2018-10-10`
    """
    with hold_contest(folder) as held:
        moment, name = settle_moment(at, held.state.contest.zone), settle_round(held, phase, asked_round)
        if phase is PhaseKind.PUBLISH:
            live = rule(lambda: publish_round(held, name, at=moment), as_json=as_json)
        else:
            closes = read_moment(until, held.state.contest.zone) if until else ""
            event = Opened(at=moment, phase=phase, round=name, closes=closes)
            live = rule(lambda: send_all(held, [event]), as_json=as_json)
        if phase is PhaseKind.EVALUATE:
            write_final_guesses(live, name)
        give_state(live, Said("{phase} is open", phase=f"{phase} {name}".strip()), as_json=as_json)


def close_phase(
    folder: Folder,
    phase: Annotated[PhaseKind, typer.Argument(metavar="PHASE", help="The phase that ends.")],
    asked_round: Round = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Close a phase before its time.

    Example: `sekisho contest close cup register`
    """
    with hold_contest(folder) as held:
        moment, name = settle_moment(at, held.state.contest.zone), settle_round(held, phase, asked_round)
        live = rule(lambda: send_all(held, [Closed(at=moment, phase=phase, round=name)]), as_json=as_json)
        give_state(live, Said("{phase} is closed", phase=f"{phase} {name}".strip()), as_json=as_json)


def announce(
    folder: Folder,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What everybody is told.")],
    japanese: Annotated[str, typer.Option("--ja", help="The same in Japanese.")] = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Announce something to everybody.

    Example: `sekisho contest announce cup "The phase ends a day later."`
    """
    with hold_contest(folder) as held:
        event = Announced(at=settle_moment(at, held.state.contest.zone), en=text, ja=japanese)
        live = rule(lambda: send_all(held, [event]), as_json=as_json)
        give_state(
            live, Said("{announcements} announcements", announcements=len(live.state.announcements)), as_json=as_json
        )


def show(folder: Folder, at: At = "", as_json: AsJson = False) -> None:
    """Show where a contest stands: phases, teams, files, announcements.

    Example: `sekisho contest show cup`
    """
    live = read_contest(folder)
    give_state(
        live,
        Said(
            "{name}: {teams} teams, {entries} files",
            name=live.rules.name,
            teams=len(live.state.teams),
            entries=len(live.state.entries),
        ),
        at,
        as_json=as_json,
    )


def settle_moment(at: str, zone: str) -> str:
    """Return the moment that is asked for, or now."""
    return read_moment(at, zone) if at else write_moment(datetime.now(UTC))


def settle_round(live: LiveContest, phase: PhaseKind, asked: str) -> str:
    """Return the round of a phase: the one asked for, else the rules' usual one; none for phases of no round."""
    of_round = [each.round for each in live.state.contest.phases if each.kind is phase and each.round]
    if not of_round or asked or phase is PhaseKind.REVEAL:  # without a round the whole contest is revealed
        return asked
    usual = live.rules.usual_round
    return usual if usual in of_round else of_round[-1]


def rule(work: Callable[[], LiveContest], *, as_json: bool) -> LiveContest:
    """Return what work on a contest gives; if the referee refuses it, that is the answer: no."""
    try:
        return work()
    except RefusedEventError as error:
        refuse_event(error, as_json=as_json)


def refuse_event(error: RefusedEventError, *, as_json: bool) -> NoReturn:
    """Say why the referee refuses an event, and leave with status 1."""
    refusal = error.refusal
    japanese = refusal.reason.say(Language.JA)
    keys = {"accepted": False, "rule": refusal.rule, "message": refusal.reason, "message_ja": japanese}
    words = Said("refused ({rule}): {sentence}", rule=refusal.rule, sentence=refusal.reason)
    Answer(keys=keys, words=words, good=False).deliver(as_json=as_json)


def send_all(live: LiveContest, events: Sequence[Event]) -> LiveContest:
    """Send events one after another; if one is refused, none is written."""
    trial = live.state
    for event in events:
        from_here = LiveContest(folder=live.folder, rules=live.rules, state=trial, events=(), head=live.head)
        trial = from_here.ask(event).state
    for event in events:
        live, _ = live.send(event)
    return live


def give_state(live: LiveContest, words: str, at: str = "", *, as_json: bool) -> NoReturn:
    """Answer how a contest stands."""
    zone, state = live.state.contest.zone, live.state
    moment = settle_moment(at, zone)
    windows = [
        {
            "phase": phase.name,
            "opens": window.opens,
            "closes": window.closes or None,
            "local": f"{show_moment(window.opens, zone)} – {show_moment(window.closes, zone) if window.closes else ''}",
            "open": window.holds(moment),
        }
        for phase in state.contest.every_phase
        if (window := state.windows.get((phase.kind, phase.round))) is not None
    ]
    keys = {
        "accepted": True,
        "contest": live.rules.name,
        "phases": windows,
        "teams": sorted(state.teams),
        "entries": len(state.entries),
        "pending": len(state.pending),
        "announcements": [{"at": each.at, "en": each.en, "ja": each.ja} for each in state.announcements],
        "head": live.head.digest,
    }
    lines = [
        words,
        *(f"{each['phase']:<24} {each['local']}{f'  {tell_words(OPEN)}' if each['open'] else ''}" for each in windows),
    ]
    Answer(keys=keys, words=join_words(lines, "\n")).deliver(as_json=as_json)


def _check_day(start: str) -> None:
    try:
        date.fromisoformat(start)
    except ValueError as error:
        raise ParameterError("--start", Said("be a day such as 2018-08-24"), start) from error


def _read_originals(given: list[str], rounds: tuple[str, ...]) -> dict[str, Path]:
    """Return each round's original: those named for it, else the one for all."""
    named = {name: Path(path) for name, mark, path in (text.partition("=") for text in given) if mark}
    shared = [Path(text) for text in given if "=" not in text]
    if len(shared) > 1:
        raise ParameterError(
            "--original", Said("be given once for all rounds, or as ROUND=FILE"), [str(each) for each in shared]
        )
    everywhere = dict.fromkeys(rounds, shared[0]) if shared else {}
    return everywhere | named
