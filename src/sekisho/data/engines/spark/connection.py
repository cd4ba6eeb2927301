"""A way to a Spark cluster: as its driver (classic: ``spark://``, ``local[2]``, ``yarn``) or its guest (``sc://``).

Settings of the cluster (memory of an executor, archives, queues) are Spark's own: they come from the driver's
``spark-defaults.conf`` or, with Connect, from the server's. What an answer depends on is set here.

What goes wrong in Spark, as one sentence of ours.

A mistake that our own code names on an executor (a value that breaks a rule, in some block) crosses Spark inside the
text of an error of Python's, and is raised again here as what it was.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from sekisho.errors import BugError, InputError, MissingFileError, ParameterError, SekishoError, say_failure
from sekisho.words import Said, quote_words

MARK = "sekisho-error"
CARRIED = re.compile(rf"{MARK}<([0-9a-f]+)>")
NAMED = re.compile(r"\[[A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)?\] ([^\n]+?)(?: SQLSTATE: \w+)?$", re.MULTILINE)
"""Spark's own errors have a name in capitals, and most a state."""
ROOM = "No module named 'sekisho"


class CarriedError(Exception):
    """An error of ours, packed into a text that survives the way back to the driver."""

    def __init__(self, error: SekishoError) -> None:
        packed = pickle.dumps((type(error), error.args, error.__dict__))
        super().__init__(f"{MARK}<{packed.hex()}>")


def unpack_error(text: str) -> SekishoError | None:
    """Return the error of ours that the text of another carries; None if it carries none."""
    match = CARRIED.search(text)
    if match is None:
        return None
    kind, words, state = pickle.loads(bytes.fromhex(match[1]))
    # Its own __init__ would want other arguments; a class that is two of Python's must be made as the stricter one.
    make: Callable[..., SekishoError] = OSError.__new__ if issubclass(kind, OSError) else Exception.__new__
    error = make(kind, *words)
    error.args = words
    error.__dict__.update(state)
    return error


@contextmanager
def explained(source: object = "Spark") -> Generator[None]:
    """Raise whatever goes wrong inside as an error of ours; pyspark's warnings of pandas, which we never use, go by."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield
    except SekishoError:
        raise
    except Exception as error:
        raise explain_error(error, source) from error


def explain_error(error: Exception, source: object = "Spark") -> SekishoError:
    """Return what went wrong in Spark as an error of ours."""
    text = str(error)
    if (ours := unpack_error(text)) is not None:
        return ours
    if "PATH_NOT_FOUND" in text:
        match = re.search(r"Path does not exist: (\S+?)\.? ", text)
        return MissingFileError(match[1] if match else source)
    if ROOM in text:
        reason = Said(
            "its executors have no sekisho: install the same version there, or send it along (spark.archives)"
        )
        return InputError(source, reason)
    if "Traceback (most recent call last)" in text:
        named = re.findall(r"^([A-Za-z_.]+(?:Error|Exception)\b[^\n]*)$", text, re.MULTILINE)
        return BugError(f"on an executor of Spark: {named[-1] if named else find_reason(text)}")
    return InputError(source, quote_words(find_reason(text)))


def find_reason(text: str) -> str:
    """Return the line of a long message of Java's or Python's that says the reason: the deepest that Spark names."""
    if named := NAMED.findall(text):
        return named[-1].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", "  "))]
    causes = [line for line in lines if re.match(r"(Caused by: |: )?[a-zA-Z_.]+(Exception|Error)\b", line)]
    line = re.sub(r"^(Caused by: |: )", "", (causes or lines or ["unknown reason"])[0])
    return re.sub(r"^[a-z]+(\.[a-zA-Z]+)+(Exception|Error): ", "", line)


SparkObject: TypeAlias = Any
"""What pyspark gives; it is loaded by name, without its types."""
JAVA = 17
CONNECT = "sc://"
FORMS = re.compile(r"local(\[.+\])?|yarn|(spark|sc|k8s)://[^\s]+")
WAIT = 10.0
"""So many seconds the address may take to answer; Spark itself would wait for minutes."""
SETTLE = 2.0
"""So many seconds executors get to stop before what they wrote is removed."""
NAME = "sekisho"
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "pyspark.sql.connect.logging")
"""They write an error to the terminal that is raised as well."""

SETTINGS = {
    # A file that cannot be read must not be left out of a count in silence.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Two columns may differ by case only, as in every other engine.
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.ansi.enabled": "true",
}


@dataclass(frozen=True, slots=True, eq=False)
class Connection:
    """A session of Spark.

    Attributes:
        spark: the session, of either kind.
        remote: whether it is one of Spark Connect.
        own: whether it was started here, and is to be stopped here.
    """

    spark: SparkObject
    remote: bool
    own: bool

    def cancel(self) -> None:
        """Stop what the session is doing, unless the caller had it before; give executors a moment to hear of it."""
        if self.own:
            _ = self.spark.interruptAll() if self.remote else self.spark.sparkContext.cancelAllJobs()
            time.sleep(SETTLE)

    def close(self) -> None:
        """Stop the session, unless the caller had it before."""
        if self.own:
            self.spark.stop()


def open_connection(master: str, log: Path) -> Connection:
    """Return a session of Spark at an address; one that this process has already is used.

    Args:
        master: ``spark://HOST:PORT``, ``local[N]``, ``yarn``, ``k8s://URL``, or ``sc://HOST:PORT`` for Spark Connect.
        log: where a driver that is started writes its messages.

    Raises:
        ParameterError: the address is none, or pyspark is not installed.
        InputError: there is no Java for a driver, or nothing answers at the address.
    """
    if not FORMS.fullmatch(master):
        rule = Said("be spark://HOST:PORT, sc://HOST:PORT (Spark Connect), local[N], yarn or k8s://URL")
        raise ParameterError("master", rule, master)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of pandas, which nothing here uses
        _load_pyspark()
        session = _join_server(master) if master.startswith(CONNECT) else _start_driver(master, log)
    for key, value in SETTINGS.items():
        session.spark.conf.set(key, value)
    return session


def _load_pyspark() -> None:
    try:
        import_module("pyspark.sql")
        import_module("pyspark.sql.connect.session")
        for name in LOGGERS:
            import_module("pyspark.logger").PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)
    except ImportError as error:
        hint = Said(
            "the extra spark: pip install '.[spark]' in the folder of Sekisho's sources; a driver needs Java 17, too"
        )
        raise ParameterError("engine", Said("be installed"), "spark", hint=hint) from error


def _join_server(master: str) -> Connection:
    knock(master)
    sessions = import_module("pyspark.sql.connect.session")
    with explained(master):
        return Connection(sessions.SparkSession.builder.remote(master).create(), remote=True, own=True)


def _start_driver(master: str, log: Path) -> Connection:
    sessions, contexts = import_module("pyspark.sql"), import_module("pyspark.core.context")
    active = contexts.SparkContext._active_spark_context
    if active is not None:
        if active.master != master:
            raise ParameterError(
                "master", Said("be {master}, where this process is at work already", master=active.master), master
            )
        return Connection(sessions.SparkSession.builder.getOrCreate(), remote=False, own=False)
    if contexts.SparkContext._gateway is None:
        check_java()
    knock(master)
    settings = import_module("pyspark.conf").SparkConf().setMaster(master).setAppName(NAME)
    settings.set("spark.ui.showConsoleProgress", "false")
    with explained(master):
        gateway = contexts.SparkContext._gateway or _launch_java(settings, log)
        context = contexts.SparkContext(conf=settings, gateway=gateway)
        return Connection(sessions.SparkSession(context), remote=False, own=True)


def _launch_java(settings: SparkObject, log: Path) -> SparkObject:
    # A driver's messages are Java's and would stand between ours; what goes wrong comes back as an error.
    with log.open("ab") as stream:
        return import_module("pyspark.java_gateway").launch_gateway(settings, {"stdout": stream, "stderr": stream})


def knock(master: str) -> None:
    """Refuse an address where nobody listens, before Spark tries it again and again."""
    if not master.startswith((CONNECT, "spark://")):
        return
    failure: OSError | ValueError | None = None
    for place in master.partition("://")[2].partition("/")[0].split(","):
        try:
            parts = urlsplit(f"//{place.partition(';')[0]}")
            port = parts.port or (15002 if master.startswith(CONNECT) else 7077)
            with socket.create_connection((parts.hostname or "", port), timeout=WAIT):
                return
        except (OSError, ValueError) as error:
            failure = error
    unknown = Said("no such address")
    reason = say_failure(failure, unknown) if isinstance(failure, OSError) else unknown
    raise InputError(master, Said("no Spark answers there: {reason}", reason=reason))


def check_java() -> None:
    """Refuse to start a driver without a Java that runs it.

    Raises:
        InputError: there is none, or an older one.
    """
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    needed = Said(
        "Spark's driver needs Java {java}: install it (Debian: openjdk-{java}-jre-headless) or set JAVA_HOME", java=JAVA
    )
    if program is None or not Path(program).exists():
        raise InputError("Java", Said("there is none. {needed}", needed=needed))
    shown = subprocess.run([program, "-version"], capture_output=True, check=False, text=True).stderr
    match = re.search(r'version "(\d+)', shown)
    if match is None or int(match[1]) < JAVA:
        if match is None:
            raise InputError(program, Said("is version unknown. {needed}", needed=needed))
        raise InputError(program, Said("is version {version}. {needed}", version=match[1], needed=needed))
