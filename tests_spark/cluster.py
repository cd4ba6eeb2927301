"""A real Spark standalone cluster on loopback: one master, two workers, and a Spark Connect server on it.

All of it comes from the wheel of pyspark and a Java 17; nothing is installed, nothing listens beyond 127.0.0.1.
Whatever is started has a session of its own and dies with this process, however this process ends.

``python tests_spark/cluster.py`` starts one to play with, prints its addresses and stops it on Ctrl-C.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

HOST = "127.0.0.1"
HOME = Path(pyspark.__file__).parent
ROOT = Path(__file__).resolve().parent.parent
PATH = ":".join(filter(None, [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH")]))
JAVA = 17
PLACES = "/usr/lib/jvm"
PATIENCE = 120.0
"""So many seconds a daemon may take until it says that it is ready, on a machine that is busy."""
APPLICATIONS = 3
"""So many drivers can use the cluster at once, each with one executor on every worker."""
MEGABYTES = 640
LIGHT = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Runs of seconds are over before Java's second compiler pays."""


class ClusterError(Exception):
    """The cluster cannot be started; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Daemon:
    """A process of the cluster, its group (executors included), and what it wrote."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        for group in (self.process.pid, *find_groups_below(self.process.pid)):
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def wait_for(self, pattern: str, *, times: int = 1) -> re.Match[str]:
        """Return what the daemon wrote that matches, as soon as it did so so many times."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            hits = list(re.finditer(pattern, self.log.read_text(errors="replace")))
            if len(hits) >= times:
                return hits[times - 1]
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise ClusterError(f"{self.name} did not start; it wrote: {self.log.read_text(errors='replace')[-2000:]}")


@dataclass(slots=True)
class Cluster:
    """A running cluster."""

    master_url: str
    connect_url: str
    folder: Path
    java_home: Path
    workers: list[Daemon] = field(default_factory=list[Daemon])

    def environment(self) -> dict[str, str]:
        """Return the environment of a program that uses the cluster."""
        return make_environment(self.folder, self.java_home)

    def kill_worker(self) -> None:
        """Kill one worker and its executors, as a machine that loses its power would."""
        self.workers.pop().kill()

    def add_worker(self) -> None:
        """Start another worker, which makes itself known in its own time."""
        self.workers.append(start_worker(self.master_url, self.folder, self.java_home))


def find_java() -> Path:
    """Return the home of a Java 17: as $JAVA_HOME says, that of the java on the path, or one of Debian's.

    Raises:
        ClusterError: there is none.
    """
    on_path = shutil.which("java")
    homes = [os.environ.get("JAVA_HOME"), on_path and Path(os.path.realpath(on_path)).parent.parent]
    for home in [*filter(None, homes), *sorted(Path(PLACES).glob(f"java-{JAVA}-*"))]:
        program = Path(home) / "bin" / "java"
        if program.exists() and read_java_version(program) >= JAVA:
            return Path(home)
    raise ClusterError(f"no Java {JAVA} found (Debian's package is openjdk-{JAVA}-jre-headless): set JAVA_HOME")


def read_java_version(program: Path) -> int:
    """Return the major version of a Java; 0 if it does not say."""
    told = subprocess.run([str(program), "-version"], capture_output=True, check=False, text=True).stderr
    match = re.search(r'version "(\d+)', told)
    return int(match[1]) if match else 0


def make_environment(folder: Path, java_home: Path) -> dict[str, str]:
    """Return the environment in which Spark's programs, and those that use them, keep to loopback and to a folder."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "NUMBA_CACHE_DIR") if name in os.environ}
    return kept | {
        "JAVA_HOME": str(java_home),
        "SPARK_HOME": str(HOME),
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": f"{LIGHT} -Dspark.worker.timeout=20",
        "SPARK_PUBLIC_DNS": HOST,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": PATH,
        "TMPDIR": str(folder / "tmp"),
        "LC_ALL": "C.UTF-8",  # in the C locale Java finds no file whose name is not ASCII
    }


def write_settings(folder: Path) -> None:
    """Write the settings that every driver on the cluster starts with: small, local, without pages."""
    for name in ("conf", "local", "tmp", "work"):
        (folder / name).mkdir()
    settings = {
        "spark.driver.bindAddress": HOST,
        "spark.driver.host": HOST,
        "spark.driver.memory": "768m",
        "spark.executor.memory": f"{MEGABYTES}m",
        "spark.executor.cores": "1",
        "spark.cores.max": "2",
        "spark.driver.extraJavaOptions": LIGHT,
        "spark.executor.extraJavaOptions": LIGHT,
        "spark.ui.enabled": "false",
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "1s",
        "spark.executorEnv.PYTHONPATH": PATH,
        "spark.sql.shuffle.partitions": "4",
        "spark.hadoop.fs.viewfs.mounttable.proof.link./data": f"file://{folder / 'mounted'}",
    }
    (folder / "mounted").mkdir()
    text = "".join(f"{key} {value}\n" for key, value in settings.items())
    (folder / "conf" / "spark-defaults.conf").write_text(text)
    (folder / "conf" / "log4j2.properties").write_text(LOGGING)


LOGGING = """rootLogger.level = info
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def start_daemon(name: str, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Daemon:
    """Start a process that the end of this one ends, in a group of its own, its words in a file."""
    log = folder / f"{name}.log"
    tied = [shutil.which("setpriv") or "", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*tied, *words],
            stdout=stream,
            stderr=stream,
            stdin=subprocess.DEVNULL,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
    return Daemon(name, process, log)


def find_free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def find_groups_below(pid: int) -> set[int]:
    """Return the process groups of all descendants of a process: executors' Python has one of its own."""
    told = subprocess.run(["/bin/ps", "-eo", "pid=,ppid=,pgid="], capture_output=True, check=True, text=True).stdout
    rows = [tuple(map(int, line.split())) for line in told.splitlines()]
    family, groups = {pid}, set[int]()
    while children := {each for each, parent, _ in rows if parent in family} - family:
        family |= children
        groups |= {group for each, _, group in rows if each in children}
    return groups


def start_worker(master_url: str, folder: Path, java_home: Path) -> Daemon:
    """Start a worker, which makes itself known to the master in its own time."""
    name = f"worker-{len(list(folder.glob('worker-*.log')))}"
    words = [str(HOME / "bin" / "spark-class"), "org.apache.spark.deploy.worker.Worker", "--host", HOST]
    words += [
        "--cores",
        str(APPLICATIONS),
        "--memory",
        f"{APPLICATIONS * MEGABYTES}m",
        "--webui-port",
        "0",
        "--work-dir",
        str(folder / "work" / name),
    ]
    return start_daemon(name, [*words, master_url], folder, make_environment(folder, java_home))


@contextmanager
def start_cluster(*, connect: bool = True) -> Generator[Cluster]:
    """Start a master, two workers and, if asked for, a Spark Connect server; stop all of them at the end."""
    java_home = find_java()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="sekisho-spark-", ignore_cleanup_errors=True)))
        write_settings(folder)
        url = f"spark://{HOST}:{find_free_port()}"
        environment = make_environment(folder, java_home)
        words = [str(HOME / "bin" / "spark-class"), "org.apache.spark.deploy.master.Master", "--host", HOST]
        words += ["--port", url.rsplit(":", 1)[1], "--webui-port", "0"]
        master = start_daemon("master", words, folder, environment)
        stack.callback(master.kill)
        master.wait_for("I have been elected leader")
        cluster = Cluster(url, "", folder, java_home)
        stack.callback(lambda: [worker.kill() for worker in cluster.workers])
        for _ in range(2):
            cluster.add_worker()
        if connect:
            server, cluster.connect_url = start_connect_server(url, folder, environment)
            stack.callback(server.kill)
            server.wait_for("Spark Connect server started")
        for worker in cluster.workers:
            worker.wait_for("Successfully registered with master")
        yield cluster


def start_connect_server(master_url: str, folder: Path, environment: Mapping[str, str]) -> tuple[Daemon, str]:
    """Start a Spark Connect server, a driver of the cluster, and give it with its address."""
    port = find_free_port()
    words = [str(HOME / "bin" / "spark-submit"), "--master", master_url]
    words += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    words += [
        "--conf",
        f"spark.connect.grpc.binding.port={port}",
        "--conf",
        f"spark.connect.grpc.binding.address={HOST}",
    ]
    roomy = {**environment, "SPARK_DAEMON_MEMORY": "768m"}
    return start_daemon("connect", [*words, "spark-internal"], folder, roomy), f"sc://{HOST}:{port}"


def main() -> None:
    """Run a cluster until it is interrupted."""
    with start_cluster() as cluster:
        sys.stdout.write(f"--master {cluster.master_url}\n--master {cluster.connect_url}\n{cluster.folder}\n")
        sys.stdout.flush()
        try:
            signal.pause()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
