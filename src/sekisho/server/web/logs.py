"""Logs for programs, one JSON object a line: routes, statuses, durations. No addresses, names, tokens or contents."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TextIO

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekisho.errors import list_places
from sekisho.seeds import draw_token
from sekisho.server.web.answers import refuse

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
LOG = structlog.stdlib.get_logger("sekisho")
CountRequest = Callable[[str, str, int, float], None]
DescribeRequest = Callable[[Scope], Mapping[str, str]]


def configure_logs(stream: TextIO | None = None) -> None:
    """Write log lines as JSON, to stderr if nothing else is given."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(file=stream or sys.stderr),
        cache_logger_on_first_use=False,
    )


def describe_error(error: BaseException) -> dict[str, object]:
    """Return the kind of an error and the places that it came through: its message may hold what somebody sent."""
    return {"error": type(error).__name__, "places": list_places(error)[-12:]}


class RequestLog:
    """Writes a line for each request and counts it; what nobody expected is answered with 500 and one sentence.

    Args:
        app: what answers.
        count: counts a request by its method, route, status and seconds.
        describe: what else the line says of a request, once it is answered.
    """

    def __init__(self, app: ASGIApp, *, count: CountRequest, describe: DescribeRequest) -> None:
        self.app, self.count, self.describe = app, count, describe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and note how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, name = perf_counter(), 0, draw_token()[:12]

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", name.encode()))
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except Exception as error:  # whatever nobody expected
            LOG.error("fault", request=name, **describe_error(error))
            if status:
                raise
            await refuse(500, rule="fault")(scope, receive, send_noted)
        seconds = perf_counter() - begun
        route = getattr(scope.get("route"), "path", "unknown")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self.count(method, route, status, seconds)
        LOG.info(
            "request",
            request=name,
            method=method,
            route=route,
            status=status,
            milliseconds=round(1000 * seconds, 1),
            **self.describe(scope),
        )
