"""Send generated requests to every address of the server, as everybody, at every stage of a contest.

``.venv-api/bin/python tests_api/run.py`` has the package's own Python serve a contest (``serve_contest.py``) and runs
schemathesis against its OpenAPI document. Each role meets its own copy of each stage, so that a seed says everything.
Status 1 if an answer is a 5xx, or its status, kind or contents are not those of the document.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
STAGES = ("registration", "anonymisation", "attack", "reveal")
ROLES = ("anonymous", "spectator", "member", "captain", "referee")
THOROUGH = "attack"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of the requests of one role at one stage."""

    stage: str
    role: str
    requests: int
    statuses: Counter[int]
    failures: int
    seconds: float
    output: str


@contextmanager
def serve(command: list[str], folder: Path, log: Path) -> Iterator[dict[str, object]]:
    """Serve the contest of a folder; give its address and tokens."""
    with log.open("wb") as lines:
        process = subprocess.Popen([*command, str(folder)], stdout=subprocess.PIPE, stderr=lines, text=True)
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            wait_for(f"{told['url']}/api/v1/openapi.json")  # made once: a busy machine takes its time for it
            yield told
        finally:
            process.terminate()
            process.wait()


def wait_for(url: str) -> None:
    """Wait until a server answers."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=120):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("the server does not answer")


def ask_role(url: str, token: str) -> str:
    """Return as whom the server knows a token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/me", headers=headers), timeout=30) as answer:
        return str(json.load(answer)["role"])


def test_role(told: dict[str, object], stage: str, role: str, given: argparse.Namespace, place: Path) -> Run:
    """Send generated requests as somebody."""
    url, token = str(told["url"]), str(told["tokens"][role])
    known_as = ask_role(url, token)
    report = place / "report.json"
    phases = "coverage,fuzzing" if stage == THOROUGH else "fuzzing"
    command = [
        str(Path(sys.executable).parent / "schemathesis"),
        *("run", f"{url}/api/v1/openapi.json", "--seed", str(given.seed), "--max-examples", str(given.examples)),
        *("--checks", ",".join(CHECKS), "--phases", phases, "--continue-on-failure", "--no-shrink", "--no-color"),
        *("--warnings", "off", "--generation-database", "none", "--suppress-health-check", "all"),
        *("--request-timeout", "120"),
        *("--report", "json", "--report-json-path", str(report)),
        *(("--header", f"Authorization: Bearer {token}") if token else ()),
    ]
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "known_names", "PYTHONPATH": str(HERE)}
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=False)
    if not report.is_file():
        sys.exit(done.stdout + done.stderr)
    cases = json.loads(report.read_text())["test_cases"]
    lost = ask_role(url, token) != known_as
    faults = [*read_log(place / "log", "fault"), *read_log(place / "log", "job-failed")]
    return Run(
        stage=stage,
        role=role,
        requests=cases["generated"],
        statuses=Counter(line["status"] for line in read_log(place / "log", "request")),
        failures=cases["unique_failures"] + cases["errored"] + (done.returncode != 0) + lost + len(faults),
        seconds=time.monotonic() - begun,
        output="\n".join(
            [
                done.stdout,
                *({json.dumps(line["error"]) + " " + json.dumps(line["places"]) for line in faults}),
                *(["the token was lost on the way"] if lost else []),
            ]
        ),
    )


def read_log(log: Path, event: str) -> list[dict[str, object]]:
    """Return the lines that the server itself wrote of one kind."""
    lines = (json.loads(line) for line in log.read_text().splitlines() if line.startswith("{"))
    return [line for line in lines if line["event"] == event]


def main() -> None:
    """Run everybody at every stage, and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=".venv/bin/python", help="the package's own Python")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=8, help="generated requests for an address and a role")
    parser.add_argument("--stage", choices=STAGES, action="append")
    parser.add_argument("--role", choices=ROLES, action="append")
    given = parser.parse_args()
    command = [given.python, str(HERE / "serve_contest.py")]
    runs: list[Run] = []
    with TemporaryDirectory(prefix="sekisho-api-") as name:
        place = Path(name)
        subprocess.run([*command, "--prepare", str(place / "stages")], check=True, stderr=subprocess.DEVNULL)
        os.environ["SEKISHO_API_FILES"] = str(place / "stages" / "files")
        for stage in given.stage or STAGES:
            for role in given.role or ROLES:
                folder = place / f"{stage}-{role}"
                shutil.copytree(place / "stages" / stage, folder)
                with serve(command, folder, folder / "log") as told:
                    runs.append(test_role(told, stage, role, given, folder))
                tell_run(runs[-1])
    total = sum((run.statuses for run in runs), Counter[int]())
    broken = sum(count for status, count in total.items() if status >= 500)
    failures = sum(run.failures for run in runs)
    answers = ", ".join(f"{status}: {total[status]:,}" for status in sorted(total))
    print(f"{total.total():,} answers ({answers}); 5xx: {broken}; against the document: {failures}; seed {given.seed}")
    sys.exit(1 if broken or failures else 0)


def tell_run(run: Run) -> None:
    """Print a line, and everything that went wrong."""
    worst = max(run.statuses, default=0)
    print(
        f"{run.stage:<14}{run.role:<11}{run.requests:>6} cases {run.statuses.total():>6} answers"
        f"  highest status {worst}  failures {run.failures}  {run.seconds:.0f} s",
        flush=True,
    )
    if run.failures:
        print(run.output, flush=True)


if __name__ == "__main__":
    main()
