"""The only maker of random generators.

A :class:`Seed` is drawn once at the door (or given there), recorded, and split into named children, so that adding a
step never changes the randomness of another. Inside the library a generator is always passed in; nothing draws its own.

Randomness that protects a real release must not be reproducible by anyone: :func:`secret_rng` takes it from the
operating system, gives no seed to record, and its generator is of another type, so that the two cannot be confused.

Decisions about single records take a word each (:class:`RecordWords`), which depends on the record and not on its row.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import import_module
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Words: TypeAlias = NDArray[np.uint64]

SEED_BITS = 63
TWISTER_BITS = 1 << 16
FEW_WORDS = 1 << 9
"""So few secret words are asked of the operating system one by one: a cipher takes longer to be made."""


@dataclass(frozen=True, slots=True)
@checked
class Seed:
    """A recorded starting point of randomness."""

    value: int

    def __post_init__(self) -> None:
        if not 0 <= self.value < 2**SEED_BITS:
            raise ParameterError(
                "seed", Said("be a whole number from 0 to 2**{seed_bits} - 1", seed_bits=SEED_BITS), self.value
            )

    @classmethod
    def draw(cls) -> Seed:
        """Return a fresh seed from the operating system."""
        return cls(secrets.randbits(SEED_BITS))

    def child(self, name: str) -> Seed:
        """Return the seed of a named part: the same name gives the same seed, other names unrelated ones."""
        digest = blake2b(f"{self.value}/{name}".encode(), digest_size=8).digest()
        return Seed(int.from_bytes(digest, "big") >> (64 - SEED_BITS))

    def rng(self) -> np.random.Generator:
        """Return a new generator started at this seed."""
        return np.random.Generator(np.random.PCG64DXSM(self.value))


class SecretGenerator(np.random.Generator):
    """A generator whose start only the operating system knew."""


def secret_rng() -> SecretGenerator:
    """Return a generator for release noise that nobody can replay."""
    return SecretGenerator(np.random.PCG64DXSM(secrets.randbits(256)))


def draw_salt() -> str:
    """Return 256 bits from the operating system, as hexadecimal digits: for what nobody may find out by trying."""
    return secrets.token_hex(32)


def describe_randomness(rng: np.random.Generator) -> str:
    """Return what a generator's randomness is: ``secret`` or ``seeded``."""
    return "secret" if isinstance(rng, SecretGenerator) else "seeded"


def start_twister(seed: int) -> np.random.RandomState:
    """Return the Mersenne twister as programs of others start it, where their numbers must come out again.

    A seed below 2^32 is set by the routine of one number, a larger one by that of an array of its 32-bit words, least
    first. Not for randomness of our own. Source: Matsumoto, Nishimura, their program of 2002.

    Raises:
        ParameterError: the seed is negative or enormous.
    """
    if seed < 0 or seed.bit_length() > TWISTER_BITS:
        raise ParameterError("seed", Said("be at least 0, of at most {bits:,} bits", bits=TWISTER_BITS), seed)
    words = [seed >> shift & 0xFFFFFFFF for shift in range(0, max(1, seed.bit_length()), 32)]
    return np.random.RandomState(words[0] if len(words) == 1 else np.array(words, dtype=np.uint32))


class RecordWords(Protocol):
    """Random 64-bit words for records, by what they decide."""

    def draw(self, purpose: str, keys: Words) -> Words:
        """Return a word for each record's key; words of other purposes are unrelated."""
        ...


@dataclass(frozen=True, slots=True)
class KeyedWords:
    """Words that are a function of a recorded root, the purpose and the record's key, and of nothing else.

    So a decision about a record does not depend on the order of the rows, nor on how they are split into blocks, nor on
    the engine that reads them.
    """

    root: int

    def draw(self, purpose: str, keys: Words) -> Words:
        """Return a word for each key; distinct keys have distinct words."""
        digest = blake2b(f"{self.root}/{purpose}".encode(), digest_size=8).digest()
        return mix_keys(keys, salt=int.from_bytes(digest, "big"))


@dataclass(frozen=True, slots=True)
class SecretWords:
    """Words that only the operating system's randomness decides: asked again, they are others.

    Many at once are the key stream of AES-256 under a key that the operating system gives for them alone and that
    nobody keeps: a tenth of the time of as many bytes from the system itself, and as little to be told from even ones
    by whoever does not have the key. Source: NIST, SP 800-38A, section 6.5 (counter mode).
    """

    def draw(self, purpose: str, keys: Words) -> Words:
        """Return a fresh word for each key."""
        del purpose  # nothing ties two of them
        if len(keys) < FEW_WORDS:
            return np.frombuffer(os.urandom(8 * len(keys)), dtype=np.uint64)
        ciphers = import_module("cryptography.hazmat.primitives.ciphers")
        cipher = ciphers.Cipher(ciphers.algorithms.AES(os.urandom(32)), ciphers.modes.CTR(bytes(16)))
        return np.frombuffer(cipher.encryptor().update(bytes(8 * len(keys))), dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class CipherWords:
    """Secret words that are the same when they are asked again: for work that passes over the records several times.

    Each is one half of AES-256 of the purpose and the record's key, under a key of 256 bits that the operating system
    gave and that nobody keeps: whoever does not have it cannot tell the words from even ones. Source: NIST, FIPS 197.
    """

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def draw(self, purpose: str, keys: Words) -> Words:
        """Return a word for each key."""
        ciphers = import_module("cryptography.hazmat.primitives.ciphers")
        cipher = ciphers.Cipher(ciphers.algorithms.AES(self.secret), ciphers.modes.ECB())
        blocks = np.empty((len(keys), 2), dtype=np.uint64)
        blocks[:, 0] = int.from_bytes(blake2b(purpose.encode(), digest_size=8).digest(), "big")
        blocks[:, 1] = keys
        encrypted = cipher.encryptor().update(blocks.tobytes())
        return np.frombuffer(encrypted, dtype=np.uint64).reshape(-1, 2)[:, 0].copy()


def choose_words(rng: np.random.Generator) -> RecordWords:
    """Return the words of a generator: keyed by records where it is seeded, secret where it is secret."""
    return (
        SecretWords() if isinstance(rng, SecretGenerator) else KeyedWords(int(rng.integers(0, 2**64, dtype=np.uint64)))
    )


def choose_lasting_words(rng: np.random.Generator) -> KeyedWords | CipherWords:
    """Return the words of a generator for work that asks for them several times; the same as others if seeded."""
    words = choose_words(rng)
    return words if isinstance(words, KeyedWords) else CipherWords()


def mix_keys(keys: Words, *, salt: int) -> Words:
    """Return a word for each key, the same for the same key and salt.

    Keys are scattered by the finaliser of SplitMix64, salted, and scattered again: neighbouring keys, and the same key
    under two salts, get unrelated words. Each step is a bijection of 64-bit words, so distinct keys never tie.
    Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    salted = _scatter(keys)
    salted ^= np.uint64(salt)
    return _scatter(salted)


def order_signed(word: Words) -> NDArray[np.int64]:
    """Return words as signed numbers in the same order, which every engine has."""
    return (word ^ np.uint64(1 << 63)).view(np.int64)


def _scatter(word: Words) -> Words:
    mixed = word >> np.uint64(30)
    mixed ^= word
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def draw_token() -> str:
    """Return a fresh secret of 256 bits as text fit for a header or an address."""
    return secrets.token_urlsafe(32)
