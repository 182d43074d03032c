"""What CASS_EMU_COUNT says of a kernel's fidelity, against the assembly that the compiler wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.native.hip_support import FLAGS, PREFIX, run_python, zig

# v_rcp_f32, v_sqrt_f32 and v_rsq_f32 are within 1 ULP (RDNA3 ISA manual, 7.2); ds_gws_init is refused.
SOURCE = """
extern "C" DEVICE __attribute__((noinline)) float called(float x) {
    asm volatile("v_rsq_f32 %0, %0" : "+v"(x));
    return x + 1;
}
KERNEL three(float *a, int n) {
    float x = a[TID];
    for (int i = 0; i < n; i++) asm volatile("v_rcp_f32 %0, -%0" : "+v"(x));
    if (n > 5) asm volatile("s_mov_b32 m0, 0\\nds_gws_init %0 gds" : : "v"(n) : "m0");
    asm volatile("v_sqrt_f32 %0, %0 mul:2" : "+v"(x));
    a[TID] = called(x);
}
KERNEL plain(float *a, int n) { a[TID] += n; }
"""
# What waits for memory, or tells the hardware about what follows: nothing to execute here.
HINTS = ("s_waitcnt", "s_delay_alu", "s_clause", "s_nop", "s_sendmsg", "s_code_end", "s_set_inst_prefetch")
LAUNCH = f"""
import ctypes
from tests.native.hip_support import call, compile_hip
module = call("hipModuleLoadData", compile_hip({SOURCE!r}))
data = int(call("hipMalloc", 4096))
for name in ("plain", "three", "three"):
    kernel = call("hipModuleGetFunction", module, name.encode())
    call("hipModuleLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, None, (ctypes.c_void_p(data), ctypes.c_int(2)))
call("hipDeviceSynchronize")
"""


def instructions(assembly: str, name: str) -> int:
    """Those of a function that are executed: of the compiler's text, between its label and its end."""
    body = re.search(rf"^{name}:(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL)
    assert body is not None
    words = re.findall(r"^\s*((?:[sv]|ds|global|flat|scratch|buffer)_\w+)", body[1], re.MULTILINE)
    return sum(not word.startswith(HINTS) for word in words)


def test_counts_by_fidelity(tmp_path: Path) -> None:
    """Code behind a branch that is not taken counts, a callee counts once it was called, another kernel does not."""
    (tmp_path / "k.hip").write_text(PREFIX + SOURCE)
    zig("clang", *FLAGS, "-mcode-object-version=5", "-S", "k.hip", "-o", "k.s", cwd=tmp_path)
    text = (tmp_path / "k.s").read_text()
    done = run_python(LAUNCH, CASS_EMU_COUNT=str(tmp_path / "count"))
    assert done.returncode == 0, done.stderr
    rows = {row["kernel"]: row for row in map(json.loads, (tmp_path / "count").read_text().splitlines())}
    three, plain = rows["three"], rows["plain"]
    assert (three["launches"], three["approximate"], three["ulp"], three["unsupported"]) == (2, 3, 1, 1)
    assert three["exact"] == instructions(text, "three") + instructions(text, "called") - 4
    assert (plain["exact"], plain["approximate"], plain["unsupported"]) == (instructions(text, "plain"), 0, 0)
