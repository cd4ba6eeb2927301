"""Record keys, and the key of a cell: the same people have the same noise in every table, for ever.

Each record has a key of 64 bits that the operating system drew and that is kept with the records, confidentially. The
key of a cell is HMAC-SHA-256, under a secret of 256 bits kept in the same place, of the sum of its records' keys modulo
2^64, and of nothing else: not of the table, its name or the day. So the same set of records shows the same number
wherever it stands, which no averaging over repeated tables wears off, and different sets have independent noise.

The sum itself is no key: sums add up along the equations of the table, and whoever knows the perturbation table unpicks
it with them (:mod:`sekisho.tables.perturb.posterior`). Keys from a seed or from the data themselves are none either:
whoever knows some records can try all seeds. Keys are never drawn again for the same people: the second release would
have other noise, and both together less.

Source: Fraser and Wooton, "A proposed method for confidentialising tabular output to protect against differencing"
(2005); NIST, FIPS 198-1.
"""

from __future__ import annotations

import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.whole_files import read_bytes, write_whole
from sekisho.errors import InputError, ParameterError
from sekisho.tables.perturb.rows import UNIT
from sekisho.words import Said

Words = NDArray[np.uint64]
Wholes = NDArray[np.int64]
SECRET_BYTES, LEAST_SECRET = 32, 16
MARK = "record keys of sekisho, confidential"
BEGINNING = json.dumps({MARK: ""})[:-2].encode()
"""With what a file of keys begins."""
MOST_BYTES = 1 << 32
BLANK_BITS = 8
"""Keys that all lack so many bits above or below were not drawn with 64."""
FEWEST = 8
"""Of fewer keys nothing is concluded from bits that they lack."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RecordKeys:
    """The keys of some records, and the secret under which those of cells are made.

    Attributes:
        keys: one of 64 bits for each record.
        secret: of at least 128 bits.
        identity: the column that tells records apart; empty if their rows in one file do.
        records: what the column says of each record; none if rows count.
        source: the digest of the file that they were drawn for.
    """

    keys: Words
    secret: bytes
    identity: str = ""
    records: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.secret) < LEAST_SECRET:
            raise ParameterError("secret", Said("have at least 128 bits"), 8 * len(self.secret))
        if len(np.unique(self.keys)) < len(self.keys):
            raise ParameterError("keys", Said("be drawn for each record by itself, and some are the same"), "")
        if len(self.keys) >= FEWEST and _lacks_bits(self.keys):
            raise ParameterError("keys", Said("have 64 bits each, and these have fewer"), "")
        if self.identity and len(self.records) != len(self.keys):
            raise ParameterError("keys", Said("be as many as the records"), len(self.keys))
        if len(set(self.records)) < len(self.records):
            raise ParameterError("id", Said("tell every record from every other"), self.identity)

    @classmethod
    def draw(cls, count: int, *, identity: str = "", records: Sequence[str] = (), source: str = "") -> RecordKeys:
        """Return fresh keys and a fresh secret from the operating system."""
        return cls(
            keys=_draw(count),
            secret=os.urandom(SECRET_BYTES),
            identity=identity,
            records=tuple(records),
            source=source,
        )

    @classmethod
    def read(cls, path: Path) -> RecordKeys:
        """Return the keys of a file.

        Raises:
            InputError: it holds no keys, or such as protect nobody.
        """
        try:
            said = json.loads(read_bytes(path, max_bytes=MOST_BYTES))
            return cls(
                keys=np.frombuffer(b64decode(said[MARK], validate=True), dtype="<u8").astype(np.uint64),
                secret=bytes.fromhex(said["secret"]),
                identity=str(said["id"]),
                records=tuple(map(str, said["records"])),
                source=str(said["source"]),
            )
        except ParameterError as error:
            raise InputError(path, Said("holds keys that protect nobody: {error}", error=error.args[0])) from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(path, Said("holds no record keys as sekisho table perturb writes them")) from error

    def to_bytes(self) -> bytes:
        """Return the file that holds them."""
        said = {
            MARK: b64encode(self.keys.astype("<u8").tobytes()).decode(),
            "id": self.identity,
            "source": self.source,
            "secret": self.secret.hex(),
            "records": self.records,
        }
        return (json.dumps(said, ensure_ascii=False) + "\n").encode()

    @property
    def commitment(self) -> str:
        """A digest that commits to the keys and tells nothing of them: the secret is in it."""
        return hmac.new(self.secret, self.keys.astype("<u8").tobytes(), sha256).hexdigest()

    def take_rows(self, count: int, source: str) -> Words:
        """Return the keys of the rows of a file.

        Raises:
            ParameterError: the keys are of other records, or tell them apart by a column.
        """
        if self.identity:
            rule = Said("be used with the column {column}, by which its records are told apart", column=self.identity)
            raise ParameterError("keys", rule, self.identity)
        if self.source != source or count != len(self.keys):
            raise ParameterError(
                "keys",
                Said("be those of this file's rows, and they are of another file"),
                f"{len(self.keys)} keys",
                hint=Said("name the column that tells records apart, so that the same people keep their keys"),
            )
        return self.keys

    def take_records(self, identity: str, records: Sequence[str]) -> tuple[Words, RecordKeys]:
        """Return the keys of some records, and all keys: those of records that are new are drawn.

        Raises:
            ParameterError: the keys tell records apart otherwise, or two records are the same.
        """
        if identity != self.identity:
            raise ParameterError(
                "id",
                Said("be {column}, by which the keys tell records apart", column=self.identity or "rows"),
                identity,
            )
        if len(set(records)) < len(records):
            raise ParameterError("id", Said("tell every record from every other"), identity)
        place = {record: at for at, record in enumerate(self.records)}
        new = [record for record in records if record not in place]
        place |= {record: len(self.records) + at for at, record in enumerate(new)}
        grown = replace(self, keys=np.concatenate([self.keys, _draw(len(new))]), records=(*self.records, *new))
        return grown.keys[[place[record] for record in records]], grown

    def place_cells(self, sums: Words) -> Wholes:
        """Return the key of each cell as a place from 0 to 1e8 - 1, given the sums of its records' keys."""
        each, where = np.unique(sums, return_inverse=True)
        hashed = b"".join(hmac.digest(self.secret, word, "sha256")[:8] for word in _split_words(each))
        return place_words(np.frombuffer(hashed, dtype="<u8").astype(np.uint64))[where]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTurnover:
    """How the records of today are to those that the keys were drawn for: a table of theirs may have left.

    The same people have the same noise in every table, so that a cell shows another number only if other people are in
    it: of two tables whose people differ by one, the cells that changed are that person's.

    Attributes:
        gone: how many records have keys and are not there today.
        come: how many are there and had none.
    """

    gone: int
    come: int

    @classmethod
    def of(cls, held: RecordKeys | None, records: Iterable[str]) -> KeyTurnover:
        """Return it; nobody left or came where there were no keys, or rows tell records apart, all of one file."""
        if held is None or not held.identity:
            return cls(gone=0, come=0)
        before, today = set(held.records), set(records)
        return cls(gone=len(before - today), come=len(today - before))

    def tell(self) -> Said | None:
        """Return what is not considered; None where the people are the same."""
        if not self.gone and not self.come:
            return None
        return Said(
            "the keys were used before: {gone:,} {gone:record that has one is|records that have one are} not there any "
            "more, {come:,} {come:is|are} new. Beside a table of those people a cell shows another number only if one "
            "of these records is in it: what left before is not considered",
            gone=self.gone,
            come=self.come,
        )


def place_words(words: Words) -> Wholes:
    """Return words of 64 bits as places from 0 to 1e8 - 1, each as likely as any other but for 2^-37."""
    high, low = words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)
    unit = np.uint64(UNIT)
    return ((high * unit + ((low * unit) >> np.uint64(32))) >> np.uint64(32)).astype(np.int64)


def read_shares(texts: Sequence[str], name: str) -> Words:
    """Return the keys of another program, parts of 1, as parts of 2^64.

    Raises:
        ParameterError: one is no number from 0 to below 1.
    """
    try:
        shares = [Fraction(text) for text in texts]
    except ValueError as error:
        raise ParameterError("keys", Said("name a column of numbers from 0 to below 1"), name) from error
    if any(not 0 <= share < 1 for share in shares):
        raise ParameterError("keys", Said("name a column of numbers from 0 to below 1"), name)
    return np.array([min(round(share * 2**64), 2**64 - 1) for share in shares], dtype=np.uint64)


def find_keys_beside(places: Sequence[Path], source: str, records: Sequence[str]) -> Path | None:
    """Return a file of keys of the same people that lies beside one of these places; None if there is none.

    The same people: of the same file, or at least half of the records by what tells them apart.
    """
    for folder in dict.fromkeys(place.resolve().parent for place in places):
        for path in sorted(folder.iterdir()):
            if not path.is_file() or not _begins(path):
                continue
            held = RecordKeys.read(path)
            shared = len(set(records) & set(held.records))
            if held.source == source or (shared and 2 * shared >= len(records)):
                return path
    return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeptKeys:
    """The keys of a file's records, and what is to be kept.

    Attributes:
        words: of the records, in their order.
        keys: all of them.
        new: whether the file of keys is to be written.
    """

    words: Words
    keys: RecordKeys
    new: bool

    def save(self, place: Path) -> None:
        """Write the keys where they are kept, for their owner alone, if some are new."""
        if self.new:
            write_whole({place: self.keys.to_bytes()}, private=[place])


def keep_keys(place: Path, source: Path, digest: str, *, identity: str, records: Sequence[str], rows: int) -> KeptKeys:
    """Return the keys of the records of a file: those kept in a place, or drawn where there are none of these people.

    Args:
        place: the file of keys.
        source: the file of the records.
        digest: of its content.
        identity: the column that tells records apart; empty if their rows do.
        records: what it says.
        rows: how many records there are.

    Raises:
        ParameterError: the keys are of other records, or the same people have others already.
        InputError: the file holds no keys, or such as protect nobody.
    """
    if place.exists():
        held = RecordKeys.read(place)
        if not identity:
            return KeptKeys(words=held.take_rows(rows, digest), keys=held, new=False)
        words, grown = held.take_records(identity, records)
        return KeptKeys(words=words, keys=grown, new=len(grown.keys) > len(held.keys))
    other = find_keys_beside([place, source], digest, records)
    if other is not None:
        raise ParameterError(
            "keys",
            Said("be those that these people have already: drawn anew they would give other noise"),
            str(place),
            hint=Said("they are in {other}", other=other),
        )
    drawn = RecordKeys.draw(rows, identity=identity, records=records, source=digest)
    return KeptKeys(words=drawn.keys, keys=drawn, new=True)


def _begins(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def _draw(count: int) -> Words:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _lacks_bits(keys: Words) -> bool:
    """Tell whether all keys are 0 in the first or the last bits: as many by chance as nobody draws."""
    every = int(np.bitwise_or.reduce(keys))
    return every >> (64 - BLANK_BITS) == 0 or every % (1 << BLANK_BITS) == 0


def _split_words(words: Words) -> list[bytes]:
    data = words.astype("<u8").tobytes()
    return [data[at : at + 8] for at in range(0, len(data), 8)]
