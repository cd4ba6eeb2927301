"""Connections that send nothing, or headers drop by drop, are closed: nobody holds a place without asking anything.

The server's HTTP protocol waits for the first byte of a request, and for the end of its headers, as long as it takes;
here it has so many seconds. How long a body may take is the gate's to say.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """Closes a connection whose headers do not come in time."""

    header_seconds: ClassVar[float]
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Wait no more once a request has begun, which is when its headers are whole."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Begin to wait for the headers of the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.cycle.response_complete:
            self._stop_waiting()
            self._wait()

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.header_seconds, self._close_if_silent)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close_if_silent(self) -> None:
        """Close the connection; the timer is stopped while a request is answered."""
        self.transport.close()


def limit_headers(seconds: float) -> type[H11Protocol]:
    """Return the server's protocol with a time limit on headers."""
    return type("LimitedProtocol", (PatientProtocol,), {"header_seconds": seconds})
