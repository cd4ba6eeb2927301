"""When a run started, with which salt and seed: kept, so that the same run made again writes the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import environ

from sekisho.errors import ParameterError
from sekisho.gate.cache.content import UnwritableError, describe_content
from sekisho.gate.cache.steps import Steps
from sekisho.gate.cache.store import StoredStep
from sekisho.gate.counted.stage import CountedStage
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.records.stage import RecordsStage
from sekisho.provenance import digest_file
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


def keep_seed(
    steps: Steps, stage: HistoryStage | RecordsStage | CountedStage, name: str, inputs: Mapping[str, str]
) -> int:
    """Return the seed that is drawn for some data and the ways to protect them, the same as long as these are the same.

    Whoever changes a limit, an adversary or a title meets the releases that were made. Another way to protect has
    another seed: two releases that are both published must not share their pseudonyms.

    Args:
        steps: where seeds are kept, if anywhere.
        stage: the data and the ways.
        name: of the run.
        inputs: the digests of all that is read, which count where the content of a way to protect cannot be told.
    """
    data = digest_file(stage.source) if isinstance(stage, CountedStage) else steps.digest_dataset(stage.original)
    about: tuple[object, ...] = (data, stage.recipe.methods)
    try:
        describe_content(about)
    except UnwritableError:
        about = (inputs,)
    return steps.recall(
        ("seed", name, *about),
        lambda: Seed.draw().value,
        lambda seed: StoredStep(plain={"seed": seed}),
        lambda step: Seed(step.plain["seed"]).value,
    )


def start_run(steps: Steps, told: tuple[object, ...], *, seed: int | None) -> RunStart:
    """Return how a run starts, or started when it was made before.

    Args:
        steps: where starts are kept, if anywhere.
        told: all that the run depends on.
        seed: the one asked for, or kept (:func:`keep_seed`); None where no chance plays a part.
    """

    def begin() -> RunStart:
        return RunStart(made=tell_time(), salt=draw_salt(), seed=seed)

    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    return steps.recall(("run", *told, seed, fixed), begin, _encode, _decode)


def _decode(step: StoredStep) -> RunStart:
    return RunStart(**step.plain)


def _encode(start: RunStart) -> StoredStep:
    return StoredStep(plain=asdict(start))


def tell_time() -> str:
    """Return what time it is, in UTC; SOURCE_DATE_EPOCH, if set, says it."""
    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return moment.strftime(FORM)
