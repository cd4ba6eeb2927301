"""A client of a contest's server, with a team's token; it needs nothing but Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import cast
from urllib.parse import quote, urlsplit

from sekisho.data.files.whole_files import read_bytes, write_whole
from sekisho.errors import InputError, ParameterError
from sekisho.seeds import draw_token
from sekisho.words import Said

SECONDS = 120
OWNER_ONLY = 0o600


class RefusedRequestError(Exception):
    """The server refuses a request: its answer as plain data."""

    def __init__(self, status: int, answer: Mapping[str, object]) -> None:
        self.status, self.answer = status, answer
        super().__init__(str(answer.get("error", f"status {status}")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server, and a token for it.

    Attributes:
        url: such as ``https://cup.example.org``.
        token: never shown.
    """

    url: str
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError("url", Said("be an address such as https://cup.example.org"), self.url)
        if parts.scheme == "http" and not local:
            raise ParameterError("url", Said("begin with https://, so that the token stays secret"), self.url)
        if not self.token.isascii() or not self.token or not self.token.isprintable():
            raise ParameterError("token", Said("be the token that the server gave"), "another text")

    def ask(self, path: str) -> object:
        """Return what the server answers to a question, as plain data."""
        return json.loads(self._send("GET", path))

    def fetch(self, path: str) -> bytes:
        """Return a file."""
        return self._send("GET", path)

    def change(self, path: str, body: Mapping[str, object]) -> object:
        """Send a request that changes something, and return the answer as plain data."""
        data = json.dumps(body, ensure_ascii=False).encode()
        return json.loads(self._send("POST", path, data, {"Content-Type": "application/json"}))

    def hand_in(self, path: str, fields: Mapping[str, str], files: Mapping[str, bytes], key: str) -> object:
        """Hand files in, and return the receipt."""
        border = draw_token()
        body = _write_form(fields, files, border)
        headers = {"Content-Type": f"multipart/form-data; boundary={border}", "Idempotency-Key": key}
        return json.loads(self._send("POST", path, body, headers))

    def _send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(str(parts.hostname), parts.port, timeout=SECONDS)
        try:
            given = {"Authorization": f"Bearer {self.token}", **(headers or {})}
            connection.request(method, parts.path.rstrip("/") + path, body, given)
            response = connection.getresponse()
            data = response.read()
        except (OSError, HTTPException) as error:
            raise InputError(self.url, Said("does not answer ({name})", name=type(error).__name__)) from error
        finally:
            connection.close()
        if response.status >= 300:
            raise RefusedRequestError(response.status, _read_refusal(data, response.status))
        return data


def quote_part(text: str) -> str:
    """Return a text as one part of an address."""
    return quote(text, safe="")


def save_remote(path: Path, remote: Remote) -> None:
    """Keep an address and a token in a file that only its owner reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=OWNER_ONLY)
    path.chmod(OWNER_ONLY)
    path.write_text(json.dumps({"url": remote.url, "token": remote.token}) + "\n", encoding="utf-8")


def read_remote(path: Path) -> Remote:
    """Return the address and the token that were kept.

    Raises:
        InputError: there are none.
    """
    try:
        table = json.loads(read_bytes(path))
        return Remote(url=str(table["url"]), token=str(table["token"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(path, Said("holds no server and token: run `sekisho remote login` first")) from error


def save_file(path: Path, data: bytes) -> None:
    """Write a file that was fetched, whole."""
    write_whole({path: data})


def _write_form(fields: Mapping[str, str], files: Mapping[str, bytes], border: str) -> bytes:
    parts: list[bytes] = []
    for name, value in fields.items():
        head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
        parts += [head.encode(), value.encode(), b"\r\n"]
    for name, data in files.items():
        head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.csv"\r\n'
        parts += [head.encode(), b"Content-Type: text/csv\r\n\r\n", data, b"\r\n"]
    return b"".join([*parts, f"--{border}--\r\n".encode()])


def _read_refusal(data: bytes, status: int) -> Mapping[str, object]:
    try:
        answer: object = json.loads(data)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        return {"error": f"the server answers with status {status}", "rule": str(status), "errors": []}
    return cast("Mapping[str, object]", answer)
