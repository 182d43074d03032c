"""clang's assembly text: what it left out must not go unseen."""

from __future__ import annotations

import pytest

from cass_shim.assemble.hip import check_complete
from cass_shim.model.errors import ToolFailed


def test_an_instruction_without_text_is_refused() -> None:
    check_complete("k:\n\tv_mov_b32 v0, 0\n\n\ts_endpgm\n")
    with pytest.raises(ToolFailed, match="line 3"):
        check_complete("k:\n\tv_mov_b32 v0, 0\n\t\n\ts_endpgm\n")
