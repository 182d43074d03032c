"""A round of rejection sampling: right answers become pairs, wrong ones do not, several kernels are asked at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools import environment, samples

# In a process of its own: the targets need options of LLVM that are the whole process's.
PROGRAM = """
import json, sys, tempfile, threading
from pathlib import Path
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.errors import CassError
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.models import Answer
from tools.pairs import sample
from tools.pairs.generate import Pair, Skip, make_pair, read_pairs
from tools.pairs.kernels import SPLITS, unit
from tools.pairs.overlap import compile_cubin

out = Path(sys.argv[1])
(out / "train").mkdir(parents=True)
(out / "reference.json").write_text("[]")
sample.UNIT = 4
families, text = unit(SPLITS["train"], 0, 4)
(out / "unit.cu").write_text(text)
cubin = read_cubin(compile_cubin(out / "unit.cu", out))
right = {}
for name in families:
    sass = decode_kernel(cubin.kernels[name], cubin)
    try:
        right[CONTRACTS[FIELDS].prompt(sass, "")] = make_pair(sass, families[name], set()).target
    except (CassError, Skip):
        pass

class Known:
    identity, window, contract = "known", 0, FIELDS
    asked, together = 0, threading.Barrier(2, timeout=60)
    def count_tokens(self, text): return 1
    def generate(self, messages, decoding):
        if decoding.temperature == 0:
            self.together.wait()  # two kernels' greedy answers are under way at once
            return [Answer("s_endpgm", 20)]
        assert decoding.max_tokens == 30  # half as long again as the greedy answer
        text = right.get(messages[0].content, "")
        return [Answer(text, 9), Answer(text, 9), Answer("no instruction", 2)]

sample.choose = lambda *_: Known()
lines = list(sample.Sampler.of(out, 3, 0.8, 1).run(0, 4))
again = list(sample.Sampler.of(out, 3, 0.8, 1).run(0, 4))
print(json.dumps([lines, again, json.loads((out / "samples.json").read_text()), len(right),
                  sorted(pair.name for pair in read_pairs(out, "train"))]))
"""


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_right_answers_become_pairs_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "pairs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=environment.ROOT)
    assert done.returncode == 0, done.stderr
    lines, again, counts, known, names = json.loads(done.stdout)
    assert len(lines) == 1 and again == []
    assert counts["kernels"] == counts["greedy"] == 4 and counts["sample"] == 12
    assert 0 < len(names) == counts["pairs"] == counts["kernels with a right answer"] <= known
