"""Run a command with a PostgreSQL of its own: made in a temporary folder, reached by a socket in it, removed at the end.

``python tests/server/run_postgres.py python -m pytest tests/server``. Debian's package ``postgresql`` is enough. The
server refuses to run as root: then it runs as ``postgres``, or as ``nobody`` where there is no such user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

PLACES = "/usr/lib/postgresql"
VARIABLE = "SEKISHO_TEST_POSTGRES"
USERS = ("postgres", "nobody")


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


@contextmanager
def start_server(programs: Path) -> Generator[str]:
    """Start a server and give its URL."""
    folder, user = Path(mkdtemp(prefix="sekisho-postgres-", dir="/tmp")), find_user()
    data = folder / "data"
    if user is not None:
        os.chown(folder, user, -1)
    settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"

    def run(*words: str | Path) -> None:
        subprocess.run([str(word) for word in words], check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    try:
        run(programs / "initdb", "-D", data, "-U", "sekisho", "-A", "trust", "-E", "UTF8", "--no-sync")
        run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", settings, "start")
        try:
            yield f"postgresql://sekisho@/postgres?host={folder}"
        finally:
            run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(words: list[str]) -> int:
    """Run a command with a server; without PostgreSQL say so and leave with 0."""
    programs = find_programs()
    if programs is None:
        sys.stderr.write(f"skipped: there is no PostgreSQL in {PLACES} (Debian's package is called postgresql)\n")
        return 0
    with start_server(programs) as url:
        return subprocess.run(words, check=False, env=os.environ | {VARIABLE: url}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
