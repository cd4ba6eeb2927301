"""Run a command with a PostgreSQL of its own: made in a temporary folder, reached by a socket in it, removed at the end.

``python tests/server/run_postgres.py python -m pytest tests/server``. Debian's package ``postgresql`` is enough. The
server refuses to run as root: then it runs as ``postgres``, or as ``nobody`` where there is no such user. Tests need no
disk: with ``--durable`` before the command it waits for the disk at every commit, as a server does that people rely on.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL
from tempfile import mkdtemp

PLACES = "/usr/lib/postgresql"
VARIABLE = "SEKISHO_TEST_POSTGRES"
USERS = ("postgres", "nobody")
DURABLE = "--durable"
START_SECONDS = 60.0


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest version's; None if there is none."""
    found = sorted(Path(PLACES).glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return None if on_path is None else Path(on_path).parent


def find_user() -> int | None:
    """Return the user that the server runs as; None for our own."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return next(names[name] for name in USERS if name in names)


@dataclass(frozen=True, kw_only=True)
class PostgresServer:
    """A server in a folder of its own.

    Attributes:
        programs: the folder of PostgreSQL's programs.
        durable: whether it waits for the disk.
    """

    programs: Path
    folder: Path
    user: int | None
    durable: bool

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"postgresql://sekisho@/postgres?host={self.folder}"

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return self.folder / "data"

    def make(self) -> None:
        """Make its data."""
        self._run("initdb", "-D", self.data, "-U", "sekisho", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start it and wait until it answers; what a kill left of an earlier one may need a moment to go."""
        disk = "on" if self.durable else "off"
        settings = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync={disk}"
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                words = ("-D", self.data, "-w", "-l", self.folder / "log", "-o", f"{settings} -c max_connections=200")
                self._run("pg_ctl", *words, "start")
            except subprocess.CalledProcessError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
            else:
                return

    def stop(self) -> None:
        """Stop it."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def kill(self) -> None:
        """Kill it with SIGKILL, the process that all the others are children of."""
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), SIGKILL)

    def _run(self, program: str, *words: str | Path) -> None:
        null = subprocess.DEVNULL  # a pipe would stay open as long as the server
        line = [str(self.programs / program), *map(str, words)]
        subprocess.run(line, check=True, user=self.user, cwd=self.folder, stdout=null, stderr=null)


@contextmanager
def start_server(programs: Path, *, durable: bool = False) -> Generator[PostgresServer]:
    """Start a server, give it, and remove it."""
    folder, user = Path(mkdtemp(prefix="sekisho-postgres-", dir="/tmp")), find_user()
    if user is not None:
        os.chown(folder, user, -1)
    server = PostgresServer(programs=programs, folder=folder, user=user, durable=durable)
    try:
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(words: list[str]) -> int:
    """Run a command with a server; without PostgreSQL say so and leave with 0."""
    programs = find_programs()
    if programs is None:
        sys.stderr.write(f"skipped: there is no PostgreSQL in {PLACES} (Debian's package is called postgresql)\n")
        return 0
    durable = words[:1] == [DURABLE]
    with start_server(programs, durable=durable) as server:
        line = words[1:] if durable else words
        return subprocess.run(line, check=False, env=os.environ | {VARIABLE: server.url}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
