"""Kind codes to bits and back in compiled loops, for the kernels that read and write them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from numba.core import types

from batchprep.backends.kernel import pack_codes
from batchprep.backends.numba.compiler import Function, Job, compiled
from batchprep.backends.numba.render import PRELUDE
from batchprep.batch.null_codes import NONE, NullCodes
from batchprep.dtypes import KIND_CODE

Bits = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int8]

PACK: Final = """def kernel(codes, wanted, bits):
    for j in range(len(codes)):
        bits[j] = k.equal_bits(codes[j], wanted)
"""
UNPACK: Final = """def kernel(bits, if_set, if_not, codes):
    for j in range(len(codes)):
        codes[j] = k.choose_bytes(bits[j], if_set, if_not)
"""
_EACH: Final = 0x0101010101010101


def _eight(code: int) -> np.uint64:
    return np.uint64(code * _EACH)


_EIGHTS: Final = {kind: _eight(code) for kind, code in KIND_CODE.items()}
_NONES: Final = _eight(int(NONE))


def _array(dtype: object, *, readonly: bool = False) -> object:
    return types.Array(dtype, 1, "C", readonly=readonly)


def packing() -> Job:
    """The loop that packs, and the types of its arguments."""
    return PRELUDE + PACK, (_array(types.uint64), types.uint64, _array(types.uint8))


def unpacking() -> Job:
    """The loop that unpacks, and the types of its arguments."""
    words = types.uint64
    return PRELUDE + UNPACK, (_array(types.uint8, readonly=True), words, words, _array(words))


class Bitmaps:
    """Both ways, for chunks of which most rows come in eights; only what is needed is compiled."""

    def __init__(self, *, packs: bool, unpacks: bool) -> None:
        self._pack: Function | None = compiled(*packing()) if packs else None
        self._unpack: Function | None = compiled(*unpacking()) if unpacks else None

    def pack(self, codes: Codes, code: int, bits: Bits) -> None:
        """Set the bits of the rows that have that code, in a fresh array; clear the others."""
        whole = len(codes) & -8 if self._pack is not None else 0
        if self._pack is not None:
            self._pack(codes[:whole].view(np.uint64), _eight(code), bits[: whole // 8])
        if whole < len(codes):
            pack_codes(codes[whole:], code, bits[whole // 8 :])

    def unpack(self, codes: NullCodes, start: int, end: int) -> Codes:
        """The codes of some rows, in a new array that is read-only."""
        first, skipped = divmod(codes.offset + start, 8)
        if skipped or self._unpack is None:
            found = codes[start:end]
        else:
            bits = codes.packed[first:]
            if bits.flags.writeable:
                bits.flags.writeable = False
            spread = np.empty((end - start + 7) // 8, np.uint64)
            self._unpack(bits, _EIGHTS[codes.kind], _NONES, spread)
            found = spread.view(np.int8)[: end - start]
        found.flags.writeable = False
        return found
