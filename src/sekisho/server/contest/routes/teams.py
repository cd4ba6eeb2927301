"""Teams: they register while that phase is open; their captains add members and hold tokens for programs."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, HTTPException
from sqlalchemy import select

from sekisho.contest.event import Registered
from sekisho.errors import ParameterError
from sekisho.server.contest.auth.accounts import MOST_MEMBERS, add_account, add_token, list_tokens, revoke_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.auth.throttle import Throttle
from sekisho.server.contest.database.audit import AuditNote, add_note
from sekisho.server.contest.database.rows import AccountRow
from sekisho.server.contest.routes.access import Address, Anybody, Captain, Moment, Number, OwnTeam, TheSite
from sekisho.server.contest.routes.models import (
    Accepted,
    NewMember,
    NewToken,
    Plain,
    Registration,
    TeamAnswer,
    TokenAnswer,
)
from sekisho.words import Said

router = APIRouter(prefix="/api/v1/teams", tags=["teams"])


@router.post("", status_code=201)
def register_team(registration: Registration, site: TheSite, who: Anybody, at: Moment, address: Address) -> Accepted:
    """Register a team and its captain's account."""
    limits = site.settings.limits
    throttle = Throttle(most=limits.registrations, seconds=limits.window_seconds)
    with site.database.write() as session:
        if throttle.is_used_up(session, f"register {address}", now=at) and not who.is_referee:
            raise HTTPException(429, headers={"Retry-After": str(limits.window_seconds)})
        throttle.count(session, f"register {address}", now=at)
    password = site.passwords.hash(registration.password)
    with site.book.write() as pen:
        pen.send(Registered(at=at, team=registration.team))
        account = add_account(
            pen.session,
            pen.contest,
            login=registration.login,
            password=password,
            role=AccountRole.CAPTAIN,
            at=at,
            team=registration.team,
        )
        detail = {"team": registration.team, "account": account}
        add_note(pen.session, pen.contest, AuditNote(at=at, actor=who.actor, action="register-team", detail=detail))
    return Accepted(head=pen.head.digest)


@router.get("/{team}")
def read_team(team: str, site: TheSite, who: OwnTeam, at: Moment) -> TeamAnswer:
    """Return a team's members and tokens, without any secret."""
    del who
    state = site.book.read().state
    if team not in state.teams:
        raise HTTPException(404)
    with site.database.read() as session:
        contest = site.book.contest
        members = session.scalars(select(AccountRow).where(AccountRow.contest == contest, AccountRow.team == team))
        tokens = list_tokens(session, contest, team=team, now=at)
        return TeamAnswer(
            team=team,
            registered=state.teams[team],
            members=[{"login": each.login, "role": each.role, "created": each.created} for each in members],
            tokens=cast("list[Plain]", tokens),
        )


@router.post("/{team}/members", status_code=201)
def add_member(team: str, member: NewMember, site: TheSite, who: Captain, at: Moment) -> Accepted:
    """Make an account for another member of a team."""
    password = site.passwords.hash(member.password)
    with site.book.write() as pen:
        if team not in pen.state.teams:
            raise HTTPException(404)
        held = select(AccountRow.id).where(AccountRow.contest == pen.contest, AccountRow.team == team)
        if len(pen.session.scalars(held).all()) >= MOST_MEMBERS:
            raise ParameterError(
                "members", Said("be at most {most_members}", most_members=MOST_MEMBERS), MOST_MEMBERS + 1
            )
        role = AccountRole.CAPTAIN if member.captain else AccountRole.MEMBER
        account = add_account(
            pen.session, pen.contest, login=member.login, password=password, role=role, at=at, team=team
        )
        detail = {"team": team, "account": account, "role": str(role)}
        add_note(pen.session, pen.contest, AuditNote(at=at, actor=who.actor, action="add-member", detail=detail))
    return Accepted(head=pen.head.digest)


@router.post("/{team}/tokens", status_code=201)
def make_token(team: str, token: NewToken, site: TheSite, who: Captain, at: Moment) -> TokenAnswer:
    """Make a token with which a program acts as a member of a team; it is told this once."""
    with site.book.write() as pen:
        if team not in pen.state.teams:
            raise HTTPException(404)
        number, secret = add_token(
            pen.session, pen.contest, role=AccountRole.MEMBER, label=token.label, at=at, team=team, days=token.days
        )
        detail = {"team": team, "token": number}
        add_note(pen.session, pen.contest, AuditNote(at=at, actor=who.actor, action="make-token", detail=detail))
    return TokenAnswer(id=number, token=secret, team=team)


@router.delete("/{team}/tokens/{number}", status_code=204)
def revoke_team_token(team: str, number: Number, site: TheSite, who: Captain, at: Moment) -> None:
    """Revoke a team's token."""
    with site.book.write() as pen:
        if not team or not revoke_token(pen.session, pen.contest, number, team=team, at=at):
            raise HTTPException(404)
        detail = {"team": team, "token": number}
        add_note(pen.session, pen.contest, AuditNote(at=at, actor=who.actor, action="revoke-token", detail=detail))
