"""The hash by which CatBoost stores a category: the lower half of the CityHash64 of its string.

This is the first published version of CityHash (2011), in plain Python because there are few
categories.
"""

from __future__ import annotations

import re

_WORD = 2**64 - 1
_K0, _K1, _K2, _K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
_MIX = 0x9DDFEA08EB382D69


_UNNAMED = re.compile(r"hash -?\d{1,10}")


def category_hash(category: object) -> int:
    """Return the hash of a category.

    Parameters
    ----------
    category : str, int or bool
        The category as in the training rows. A whole number counts as its string, and so do
        booleans, which are 0 and 1.

    Returns
    -------
    int
        A signed 32-bit number, as models store it.

    Examples
    --------
    >>> category_hash("u"), category_hash(True) == category_hash("1")
    (1981898051, True)
    """
    text = str(int(category) if isinstance(category, bool) else category)
    number = _city_hash(text.encode()) & 0xFFFFFFFF
    return number - 2**32 if number >= 2**31 else number


def unnamed_category(number: int) -> str:
    """Return a placeholder for a category that is known only by its hash.

    Examples
    --------
    >>> unnamed_category(1981898051), hash_of("hash 1981898051"), hash_of("u")
    ('hash 1981898051', 1981898051, 1981898051)
    """
    return f"hash {number}"


def is_unnamed(category: object) -> bool:
    """Whether a category is a placeholder for its hash."""
    return isinstance(category, str) and _UNNAMED.fullmatch(category) is not None


def hash_of(category: object) -> int:
    """Return the hash of a category, also of an unnamed one."""
    return int(str(category).partition(" ")[2]) if is_unnamed(category) else category_hash(category)


def _city_hash(text: bytes) -> int:
    if len(text) <= 16:
        return _short(text)
    if len(text) <= 32:
        return _middle(text)
    return _half_long(text) if len(text) <= 64 else _long(text)


def _word(text: bytes, begin: int, size: int = 8) -> int:
    begin = begin + len(text) if begin < 0 else begin
    return int.from_bytes(text[begin : begin + size], "little")


def _rotated(word: int, by: int) -> int:
    word &= _WORD
    return (word >> by | word << (64 - by)) & _WORD


def _shifted(word: int) -> int:
    word &= _WORD
    return word ^ word >> 47


def _mixed(one: int, other: int) -> int:
    first = _shifted(((one ^ other) & _WORD) * _MIX)
    return _shifted(((other ^ first) & _WORD) * _MIX) * _MIX & _WORD


def _short(text: bytes) -> int:
    size = len(text)
    if size > 8:
        last = _word(text, -8)
        return _mixed(_word(text, 0), _rotated(last + size, size)) ^ last
    if size >= 4:
        return _mixed(size + (_word(text, 0, 4) << 3), _word(text, -4, 4))
    if size:
        front = text[0] + (text[size >> 1] << 8)
        back = size + (text[-1] << 2)
        return _shifted(front * _K2 ^ back * _K3) * _K2 & _WORD
    return _K2


def _middle(text: bytes) -> int:
    a, b = _word(text, 0) * _K1, _word(text, 8)
    c, d = _word(text, -8) * _K2, _word(text, -16) * _K0
    return _mixed(
        (_rotated(a - b, 43) + _rotated(c, 30) + d) & _WORD,
        (a + _rotated(b ^ _K3, 20) - c + len(text)) & _WORD,
    )


def _folded(a: int, words: tuple[int, int, int]) -> tuple[int, int]:
    """Fold three words into two, for each half of a string of up to 64 bytes."""
    second, third, last = words
    b, c = _rotated(a + last, 52), _rotated(a, 37)
    a += second
    c += _rotated(a, 7)
    a += third
    return (a + last) & _WORD, (b + _rotated(a, 31) + c) & _WORD


def _half_long(text: bytes) -> int:
    start = _word(text, 0) + (len(text) + _word(text, -16)) * _K0
    v = _folded(start, (_word(text, 8), _word(text, 16), _word(text, 24)))
    w = _folded(_word(text, 16) + _word(text, -32), (_word(text, -24), _word(text, -16), _word(text, -8)))
    rest = _shifted((v[0] + w[1]) * _K2 + (w[0] + v[1]) * _K0)
    return _shifted(rest * _K0 + v[1]) * _K2 & _WORD


def _seeded(text: bytes, begin: int, a: int, b: int) -> tuple[int, int]:
    begin = begin + len(text) if begin < 0 else begin
    first, second, third, fourth = (_word(text, begin + 8 * k) for k in range(4))
    a += first
    b = _rotated(b + a + fourth, 21)
    c = a
    a += second + third
    b += _rotated(a, 44)
    return (a + fourth) & _WORD, (b + c) & _WORD


def _long(text: bytes) -> int:
    size = len(text)
    x, y, z = _word(text, 0), _word(text, -16) ^ _K1, _word(text, -56) ^ _K0
    v, w = _seeded(text, -64, size, y), _seeded(text, -32, size * _K1, _K0)
    z += _shifted(v[1]) * _K1
    x, y = _rotated(z + x, 39) * _K1, _rotated(y, 33) * _K1
    for begin in range(0, (size - 1) & ~63, 64):
        x = _rotated(x + y + v[0] + _word(text, begin + 16), 37) * _K1 & _WORD
        y = _rotated(y + v[1] + _word(text, begin + 48), 42) * _K1 & _WORD
        x, y, z = x ^ w[1], y ^ v[0], _rotated(z ^ w[0], 33)
        v = _seeded(text, begin, v[1] * _K1, x + w[0])
        w = _seeded(text, begin + 32, z + w[1], y)
        x, z = z, x
    return _mixed((_mixed(v[0], w[0]) + _shifted(y) * _K1 + z) & _WORD, (_mixed(v[1], w[1]) + x) & _WORD)
