"""When a run started, with which salt and seed: kept, so that the same run made again writes the same bytes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import environ

from sekisho.errors import ParameterError
from sekisho.gate.cache.steps import Steps
from sekisho.gate.cache.store import StoredStep
from sekisho.seeds import Seed, draw_salt
from sekisho.words import Said

FORM = "%Y-%m-%dT%H:%M:%SZ"
SALT_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """How a run started.

    Attributes:
        made: when, in UTC; SOURCE_DATE_EPOCH, if set, says it.
        salt: of its certificate's opening.
        seed: of all its chance; None where none plays a part.
    """

    made: str
    salt: str
    seed: int | None = None

    def __post_init__(self) -> None:
        if len(self.salt) != SALT_LENGTH:
            raise ParameterError("salt", Said("have {salt_length} digits", salt_length=SALT_LENGTH), len(self.salt))
        datetime.strptime(self.made, FORM).replace(tzinfo=UTC)
        if self.seed is not None:
            Seed(self.seed)


def start_run(steps: Steps, told: tuple[object, ...], *, seed: int | None, chance: bool) -> RunStart:
    """Return how a run starts, or started when it was made before.

    Args:
        steps: where starts are kept, if anywhere.
        told: all that the run depends on.
        seed: the one asked for; None draws one, unless an earlier run of the same drew one.
        chance: whether chance plays a part.
    """

    def begin() -> RunStart:
        drawn = Seed.draw().value if seed is None and chance else seed
        return RunStart(made=_tell_time(), salt=draw_salt(), seed=drawn)

    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    return steps.recall(("run", *told, seed, chance, fixed), begin, _encode, _decode)


def _decode(step: StoredStep) -> RunStart:
    return RunStart(**step.plain)


def _encode(start: RunStart) -> StoredStep:
    return StoredStep(plain=asdict(start))


def _tell_time() -> str:
    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return moment.strftime(FORM)
