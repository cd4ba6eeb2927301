"""What everybody may ask: rules, schedule, teams, announcements, samples, and the results after the reveal."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse
from sqlalchemy import select

from sekisho.contest.folder.binding import name_published
from sekisho.contest.folder.evaluation import list_attack
from sekisho.contest.ledger import digest_bytes
from sekisho.contest.rules import PRACTICE_ROUND, show_moment
from sekisho.contest.rulings.disclosure import WHOLE_CONTEST, Thing, is_revealed, require_disclosed, show_entry
from sekisho.contest.rulings.refusal import RefusedError, RefusedEventError
from sekisho.contest.scoring import HOUSE
from sekisho.contest.standing import (
    RoundResults,
    digest_standings,
    gather_round,
    list_standings,
    rank_contest,
    rank_round_of,
    tally_results,
)
from sekisho.contest.state import ContestState, EntryStatus
from sekisho.contest.tables.rules import TablesRules
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.database.rows import COMMITMENT, HandoutRow
from sekisho.server.contest.routes.access import Anybody, Moment, TheSite
from sekisho.server.contest.routes.documented import CSV_FILE, send_file
from sekisho.server.contest.routes.models import (
    Boards,
    Commitment,
    MatrixAnswer,
    Plain,
    RoundStandings,
    RulesAnswer,
    Schedule,
    StandingsAnswer,
    Window,
)
from sekisho.server.contest.routes.numbering import number_entries
from sekisho.server.contest.site import Site

router = APIRouter(prefix="/api/v1", tags=["public"])


@router.get("/rules")
def read_rules(site: TheSite) -> RulesAnswer:
    """Return the rules of the contest, as data and as their file."""
    rules, contest = site.rules, site.book.read().state.contest
    text = (site.store.find_contest(site.book.name) / "rules.toml").read_bytes()
    return RulesAnswer(
        name=site.book.name,
        title={"en": rules.title.en, "ja": rules.title.ja},
        shape=rules.kind if isinstance(rules, TablesRules) else rules.shape.value,
        rounds=list(contest.round_names),
        files=list(site.release_files),
        final_entry=str(contest.final_entry),
        digest=digest_bytes(text),
        text=text.decode(),
    )


@router.get("/schedule")
def read_schedule(site: TheSite, at: Moment) -> Schedule:
    """Return every phase with its window, in UTC and in the contest's zone, and the server's time."""
    state = site.book.read().state
    phases: list[Window] = []
    for phase in state.contest.every_phase:
        window = state.windows.get((phase.kind, phase.round))
        opens, closes = ("", "") if window is None else (window.opens, window.closes)
        phases.append(
            Window(
                phase=phase.name,
                kind=str(phase.kind),
                round=phase.round,
                opens=opens or None,
                closes=closes or None,
                opens_local=show_moment(opens, state.contest.zone) if opens else "",
                closes_local=show_moment(closes, state.contest.zone) if closes else "",
                open=window is not None and window.holds(at),
                scored=phase.scored,
                attempted=phase.attempted,
                feedback=str(phase.feedback),
            )
        )
    return Schedule(
        zone=state.contest.zone,
        now=at,
        grace=state.contest.grace_seconds,
        revealed=is_revealed(state, WHOLE_CONTEST, at),
        phases=phases,
    )


@router.get("/teams")
def list_teams(site: TheSite) -> list[str]:
    """Return the names of the teams."""
    return sorted(site.book.read().state.teams)


@router.get("/announcements")
def list_announcements(site: TheSite) -> list[Plain]:
    """Return what the referee told everybody, the newest first."""
    told = site.book.read().state.announcements
    return [{"at": each.at, "en": each.en, "ja": each.ja} for each in reversed(told)]


@router.get("/commitments")
def list_commitments(site: TheSite) -> list[Commitment]:
    """Return to what the referee has bound himself: salted digests, which anybody can check once he tells his secret.

    Each is the SHA-256 of ``sekisho SECRET DIGEST``, of the secret itself with an empty DIGEST.
    """
    with site.database.read() as session:
        rows = session.scalars(
            select(HandoutRow)
            .where(HandoutRow.contest == site.book.contest, HandoutRow.kind == COMMITMENT)
            .order_by(HandoutRow.round, HandoutRow.about)
        ).all()
        return [Commitment(round=row.round, of=row.about, digest=row.digest) for row in rows]


@router.get("/samples")
def list_samples(site: TheSite) -> list[str]:
    """Return the names of the sample files."""
    with site.database.read() as session:
        rows = select(HandoutRow.about).where(HandoutRow.contest == site.book.contest, HandoutRow.kind == Thing.SAMPLE)
        return sorted(session.scalars(rows))


@router.get("/samples/{name}", response_class=FileResponse, responses=CSV_FILE)
def read_sample(name: str, site: TheSite, at: Moment) -> FileResponse:
    """Return a sample file."""
    return send_handout(site, at, kind=Thing.SAMPLE, round_name="", about=name, team="")


@router.get("/standings")
def read_standings(site: TheSite, who: Anybody, at: Moment) -> StandingsAnswer:
    """Return how the contest stands: to the referee always, to others what is revealed of it."""
    state = site.book.read().state
    revealed = is_revealed(state, WHOLE_CONTEST, at)
    rounds = [
        _rank_round(state, each.name, each.weight, at)
        for each in state.contest.rounds
        if who.is_referee or is_revealed(state, each.name, at)
    ]
    if not revealed and not who.is_referee:
        return StandingsAnswer(revealed=False, standings=[], digest="", rounds=rounds)
    standings = rank_contest(state)
    rows = cast("list[Plain]", list_standings(standings))
    return StandingsAnswer(revealed=revealed, standings=rows, digest=digest_standings(standings), rounds=rounds)


def _rank_round(state: ContestState, name: str, weight: float, at: str) -> RoundStandings:
    """Return how a round stands; nothing where nobody has a valid release in it."""
    results = gather_round(state, name)
    standings = rank_round_of(state.contest, results, name) if any(results.releases.values()) else ()
    return RoundStandings(
        round=name,
        weight=weight,
        revealed=is_revealed(state, name, at),
        standings=cast("list[Plain]", list_standings(standings)),
        boards=_list_boards(state, name) if standings else None,
    )


def _list_boards(state: ContestState, name: str) -> Boards | None:
    """Return the two boards of a round where totals rank: attackers of the house stand on theirs without a rank."""
    contest = state.contest
    if contest.board is None:
        return None
    board = tally_results(contest, contest.board, gather_round(state, name), name)
    return Boards(
        releases=[cast("Plain", {**line.as_dict(), "present": line.present}) for line in board.releases],
        attackers=[
            cast("Plain", {**line.as_dict(), "house": line.team in contest.board.house}) for line in board.attackers
        ],
    )


@router.get("/matrix")
def read_matrix(site: TheSite, who: Anybody, at: Moment, round: str = "") -> MatrixAnswer:
    """Return what attacks came to: all of them to the referee and after the reveal, before to a team its own."""
    state = site.book.read().state
    name = settle_matrix_round(state, round)
    revealed = is_revealed(state, name, at)
    if revealed or who.is_referee:
        results = gather_round(state, name)
        matrix: dict[str, dict[str, Plain]] = {}
        for (attacker, target), score in sorted(results.attacks.items()):
            matrix.setdefault(attacker, {})[target] = cast("Plain", list_attack(score))
        missing = [list(pair) for pair in results.list_missing()]
        house = _list_house(results)
        return MatrixAnswer(round=name, revealed=revealed, matrix=matrix, missing=missing, house=house)
    own, missing = _show_own_attacks(state, name, who, at)
    return MatrixAnswer(round=name, revealed=False, matrix={who.team: own} if own else {}, missing=missing)


def _list_house(results: RoundResults) -> dict[str, dict[str, Plain]]:
    """Return by attacker of the house, by target how many answers he had right on a test of his own."""
    house: dict[str, dict[str, Plain]] = {}
    for team, release in results.releases.items():
        for name, hits in ({} if release is None else release.detail).items():
            if name.startswith(HOUSE):
                house.setdefault(name.removeprefix(HOUSE), {})[team] = {"hits": int(hits)}
    return house


def settle_matrix_round(state: ContestState, asked: str) -> str:
    """Return the round whose attacks are meant: the one asked for, which may be practice, else the last."""
    name = asked or state.contest.round_names[-1]
    if name not in (*state.contest.round_names, PRACTICE_ROUND):
        raise HTTPException(404)
    return name


def _show_own_attacks(
    state: ContestState, round_name: str, who: Principal, at: str
) -> tuple[dict[str, Plain], list[list[str]]]:
    own: dict[str, Plain] = {}
    missing: list[list[str]] = []
    numbering = number_entries(state, who)
    for target in sorted(state.teams) if who.team else ():
        if state.find_target(round_name, target) is None:
            continue
        entry = state.find_final(round_name, who.team, target)
        if entry is not None and entry.status is EntryStatus.VALID:
            own[target] = cast("Plain", show_entry(state, entry, at) | {"entry": numbering.show(entry)})
        elif target != who.team:
            missing.append([who.team, target])
    return own, missing


def find_handout(site: Site, at: str, *, kind: Thing, round_name: str, about: str, team: str) -> str:
    """Return the digest of a file that is handed out to a team now: its own, or the one for all.

    Raises:
        RefusedEventError: it is not handed out yet, or no more.
    """
    state = site.book.read().state
    if round_name not in (*state.contest.round_names, PRACTICE_ROUND, ""):
        raise HTTPException(404)
    try:
        require_disclosed(state, kind, round_name, at)
    except RefusedError as error:
        raise RefusedEventError(error.refusal) from error
    with site.database.read() as session:
        digests = {
            row.team: row.digest
            for row in session.scalars(
                select(HandoutRow).where(
                    HandoutRow.contest == site.book.contest,
                    HandoutRow.kind == kind,
                    HandoutRow.round == round_name,
                    HandoutRow.about == about,
                    HandoutRow.team.in_(("", team)),
                )
            )
        }
    digest = digests.get(team, digests.get(""))
    withdrawn = kind in (Thing.PUBLISHED, Thing.TEST) and state.find_target(round_name, about) is None
    if digest is None or withdrawn:
        raise HTTPException(404)
    return digest


def send_handout(site: Site, at: str, *, kind: Thing, round_name: str, about: str, team: str) -> FileResponse:
    """Send a file that is handed out to a team: its own, or the one for all."""
    digest = find_handout(site, at, kind=kind, round_name=round_name, about=about, team=team)
    contest = site.book.read().state.contest
    last = name_published(contest, about) if kind is Thing.PUBLISHED else f"{about.removesuffix('.csv')}.csv"
    name = "-".join(part for part in (kind, round_name, last) if part)
    return send_file(site, digest, name.replace("-.", "."))
