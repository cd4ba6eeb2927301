"""What a route asks of a request: the site, the moment it began, and who asks. Each route names whom it lets in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Path, Request

from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.site import Site


def find_site(request: Request) -> Site:
    """Return the site."""
    return cast("Site", request.app.state.site)


def find_moment(request: Request) -> str:
    """Return when the request began."""
    return cast("str", request.state.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """When a request began, and when the last byte of it had arrived."""

    at: str
    whole: str


def find_arrival(request: Request) -> Arrival:
    """Return when a request began and when it was whole; its body has been read when a route runs."""
    at = find_moment(request)
    return Arrival(at=at, whole=max(at, cast("str", getattr(request.state, "whole", at))))


def find_address(request: Request) -> str:
    """Return where the request came from; it is counted, not kept."""
    return cast("str", request.state.address)


def find_principal(request: Request) -> Principal:
    """Return who asks."""
    return cast("Principal", request.state.principal)


def require_member(request: Request) -> Principal:
    """Let those in who are of a team."""
    principal = find_principal(request)
    if not principal.team:
        raise HTTPException(403 if principal.is_referee else 401)
    return principal


def require_taking_part(request: Request) -> Principal:
    """Let teams and the referee in."""
    principal = find_principal(request)
    if not principal.team and not principal.is_referee:
        raise HTTPException(401)
    return principal


def require_referee(request: Request) -> Principal:
    """Let the referee in."""
    principal = find_principal(request)
    if not principal.is_referee:
        raise HTTPException(403 if principal.team else 401)
    return principal


def require_captain(team: str, request: Request) -> Principal:
    """Let the captain of the team in the address in, and the referee."""
    principal = require_taking_part(request)
    if not principal.is_referee and not (principal.role is AccountRole.CAPTAIN and principal.is_of(team)):
        raise HTTPException(403)
    return principal


def require_own_team(team: str, request: Request) -> Principal:
    """Let those in who are of the team in the address, and the referee."""
    principal = require_taking_part(request)
    if not principal.is_referee and not principal.is_of(team):
        raise HTTPException(403)
    return principal


TheSite = Annotated[Site, Depends(find_site)]
Moment = Annotated[str, Depends(find_moment)]
Arriving = Annotated[Arrival, Depends(find_arrival)]
Address = Annotated[str, Depends(find_address)]
Anybody = Annotated[Principal, Depends(find_principal)]
Member = Annotated[Principal, Depends(require_member)]
TakingPart = Annotated[Principal, Depends(require_taking_part)]
Referee = Annotated[Principal, Depends(require_referee)]
Captain = Annotated[Principal, Depends(require_captain)]
OwnTeam = Annotated[Principal, Depends(require_own_team)]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
