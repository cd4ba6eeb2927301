"""Randomness can be replayed when it was recorded, and only then."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CBC
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.seeds import (
    TWISTER_BITS,
    CipherWords,
    RecordWords,
    SecretGenerator,
    Seed,
    choose_lasting_words,
    choose_words,
    draw_salt,
    mix_keys,
    secret_rng,
    start_twister,
)

seeds = st.integers(0, 2**63 - 1).map(Seed)


@given(seeds)
def test_the_same_seed_gives_the_same_numbers(seed: Seed) -> None:
    assert seed.rng().integers(0, 2**60) == seed.rng().integers(0, 2**60)


@given(seeds, st.text(max_size=5), st.text(max_size=5))
def test_children_differ_by_name_and_from_their_parent(seed: Seed, one: str, other: str) -> None:
    assert (seed.child(one) == seed.child(other)) == (one == other)
    assert seed.child(one) != seed


@pytest.mark.parametrize("value", [-1, 2**63])
def test_a_seed_outside_its_range_is_refused(value: int) -> None:
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        Seed(value)


def test_secret_randomness_is_of_its_own_type_and_never_repeats() -> None:
    assert isinstance(secret_rng(), SecretGenerator)
    assert secret_rng().integers(0, 2**62) != secret_rng().integers(0, 2**62)
    assert Seed.draw() != Seed.draw()


def test_a_salt_is_256_bits_in_hexadecimal_digits_and_never_repeats() -> None:
    salts = [draw_salt() for _ in range(20)]
    assert [len(bytes.fromhex(salt)) for salt in salts] == [32] * 20
    assert len(set(salts)) == 20


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_the_twister_starts_from_one_word_as_numpy_does(seed: int) -> None:
    numbers = start_twister(seed).randint(0, 2**32, 700, dtype=np.uint32)
    assert numbers.tolist() == np.random.RandomState(seed).randint(0, 2**32, 700, dtype=np.uint32).tolist()


def test_the_twister_starts_from_many_words_as_its_authors_program_does() -> None:
    # mt19937ar.out: the first five outputs of init_by_array({0x123, 0x234, 0x345, 0x456})
    source = start_twister(0x123 | 0x234 << 32 | 0x345 << 64 | 0x456 << 96)
    numbers = source.randint(0, 2**32, 5, dtype=np.uint32).tolist()
    assert numbers == [1067595299, 955945823, 477289528, 4107218783, 4228976476]


@pytest.mark.parametrize("seed", [2**32, 2**33 + 5, 2**64 - 1, 2**64, 2**TWISTER_BITS - 1], ids=int.bit_length)
def test_the_twisters_words_are_the_numbers_own_least_first(seed: int) -> None:
    words = np.frombuffer(seed.to_bytes(-(-seed.bit_length() // 32) * 4, "little"), dtype="<u4")
    numbers, expected = (source.randint(0, 2**32, 9) for source in (start_twister(seed), np.random.RandomState(words)))
    assert numbers.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", [-1, 2**TWISTER_BITS], ids=int.bit_length)
def test_the_twister_starts_from_no_negative_and_no_enormous_number(seed: int) -> None:
    with pytest.raises(ParameterError, match="seed must be at least 0, of at most 65,536 bits"):
        start_twister(seed)


keys = st.lists(st.integers(0, 2**64 - 1), unique=True, min_size=1, max_size=30)


def draw_by_key(words: RecordWords, purpose: str, chosen: list[int]) -> dict[int, int]:
    return dict(zip(chosen, words.draw(purpose, np.array(chosen, dtype=np.uint64)).tolist(), strict=True))


@given(seeds, keys)
def test_a_records_word_depends_on_its_key_and_not_on_its_row_or_block(seed: Seed, chosen: list[int]) -> None:
    words = choose_words(seed.rng())
    alone = {key: draw_by_key(words, "place", [key])[key] for key in chosen}
    assert draw_by_key(words, "place", chosen) == draw_by_key(words, "place", chosen[::-1]) == alone
    assert len(set(alone.values())) == len(chosen)  # a bijection: distinct keys never tie


def mix_slowly(key: int, salt: int) -> int:
    mask = 2**64 - 1
    for added in (0, salt):
        key ^= added
        key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & mask
        key = (key ^ key >> 27) * 0x94D049BB133111EB & mask
        key ^= key >> 31
    return key


@given(keys, st.integers(0, 2**64 - 1))
def test_words_are_those_of_the_finaliser_taken_twice(chosen: list[int], salt: int) -> None:
    assert mix_keys(np.array(chosen, dtype=np.uint64), salt=salt).tolist() == [mix_slowly(key, salt) for key in chosen]


def test_words_of_neighbouring_keys_and_of_two_purposes_are_unrelated() -> None:
    # 100,000 pairs of bits that agree by chance have a share of sd 0.00158; of 64 x 64 shares none is out by six sd
    # with chance 1 - 8e-6.
    words = choose_words(Seed(2).rng())
    rows = np.arange(100_001, dtype=np.uint64)
    bits = [np.unpackbits(words.draw(name, rows).view(np.uint8).reshape(-1, 8), axis=1) for name in ("a", "b")]
    for one, other in ((bits[0][:-1], bits[1][:-1]), (bits[0][:-1], bits[0][1:])):
        signs = 1 - 2 * one.astype(np.float64), 1 - 2 * other.astype(np.float64)
        assert np.abs(signs[0].T @ signs[1] / 200_000).max() < 6 * 0.00158
        assert np.abs(signs[0].mean(axis=0)).max() / 2 < 6 * 0.00158


@given(keys)
def test_lasting_words_are_secret_and_the_same_when_asked_again(chosen: list[int]) -> None:
    words, others = choose_lasting_words(secret_rng()), choose_lasting_words(secret_rng())
    alone = {key: draw_by_key(words, "place", [key])[key] for key in chosen}
    assert draw_by_key(words, "place", chosen) == alone
    assert draw_by_key(words, "drawn", chosen) != alone
    assert draw_by_key(others, "place", chosen) != alone
    assert "secret" not in repr(words)
    seeded = choose_lasting_words(Seed(1).rng())
    assert draw_by_key(seeded, "place", chosen) == draw_by_key(choose_words(Seed(1).rng()), "place", chosen)


def test_lasting_words_are_those_of_the_cipher() -> None:
    # FIPS 197, C.3: AES-256 under 00 01 .. 1f turns 00112233445566778899aabbccddeeff into
    # 8ea2b7ca516745bfeafc49904b496089. Here the first half of the block is the digest of the purpose.
    words = CipherWords(bytes(range(32)))
    first = int.from_bytes(blake2b(b"place", digest_size=8).digest(), "big").to_bytes(8, "little")
    ciphers = Cipher(AES256(bytes(range(32))), CBC(bytes(16)))  # of a single block: the cipher itself
    assert ciphers.encryptor().update(bytes.fromhex("00112233445566778899aabbccddeeff")).hex() == (
        "8ea2b7ca516745bfeafc49904b496089"
    )
    block = ciphers.encryptor().update(first + (77).to_bytes(8, "little"))
    assert draw_by_key(words, "place", [77])[77] == int.from_bytes(block[:8], "little")


def test_secret_words_are_never_the_same() -> None:
    words = choose_words(secret_rng())
    rows = np.arange(100, dtype=np.uint64)
    assert not set(words.draw("place", rows).tolist()) & set(words.draw("place", rows).tolist())
