"""Generic stores as ptxas writes them for each generation; sm_75 prints the pair of registers as [R2]."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.lift.support import built, run


@pytest.mark.nvcc
@pytest.mark.parametrize("sm", [75, 80, 90])
def test_a_store_goes_where_the_address_says(sm: int, tmp_path: Path) -> None:
    sass = built("generic_stores.cu", [f"-arch=sm_{sm}"], tmp_path)["k"]
    stores = [i.text for i in sass.instructions if i.mnemonic == "ST"]
    assert stores and (sm != 75 or ("[R" in stores[0] and ".64" not in stores[0])), stores
    given = np.random.default_rng(3).integers(0, 1000, 32, dtype=np.uint32)
    found = run(sass, given, 64).reshape(2, 32)
    lanes = np.arange(32) ^ 1  # who writes to each place
    written, odd = given[lanes] * 3, given[lanes] & 1 == 1
    assert found[0].tolist() == np.where(odd, 0, written).tolist()
    assert found[1].tolist() == np.where(odd, written, 0).tolist()
