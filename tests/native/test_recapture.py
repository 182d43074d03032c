"""Capture into a graph that is there (13.3). No driver that can be recorded has it yet: expected is the manual's
(CUDA Runtime API, cudaStreamBeginRecaptureToGraph), with 918 for what ends a recapture and 901 for the capture then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

EXPECTED = """\
captured 0
instantiate 0
launch 0
first 6 6 6 6 host 1
released 10
again 0
end 0
same 1 calls 0
again 0
told 1 type 2 2 2 status 0 capturing 1 fill 0 1
told 1 type 0 0 0 status 0 capturing 1 blocks 4 2 value 3 5
told 1 type 3 3 3 status 0 capturing 1
end 0
same 1 calls 3
nodes 1
instantiate 0
launch 0
second 33686028 33686028 33686018 33686018 host 10
quiet 0
end 0
instantiate 0
launch 0
third 14 14 14 14 host 1
again 0
told 1 type 2 2 2 status 0 capturing 1 fill 0 9
refused 918
after 901
end 901
captured 0
again 0
other_type 918
end 901
captured 0
again 0
missing 918
captured 0
again 0
one_more 918
end 901
memory 0
again 0
malloc 0
same 1
free 0
end 0
again 0
larger 918
end 901
captured 0
driver 0
end 0
instantiate 0
launch 0
driver 8 8 8 8 host 10
null 1
legacy 900
mode 1
capturing 401
invalid 901
kept 0
calls 4
"""


def test_a_graph_is_captured_again(tmp_path: Path) -> None:
    """The program calls by name what the installed toolkit's headers do not declare."""
    source = Path(__file__).with_name("recapture.cu")
    done = run_emulated(build_program(source, tmp_path, "-cudart", "shared", "-ldl"))
    assert done.stdout == EXPECTED, done.stderr
