"""How long a launch of an empty kernel takes through hip-python. In: a device. Out: nanoseconds by name.

Also a program of its own (`python -m cass_shim.selftest.timing KIND`), which first tells about device and driver.
"""

from __future__ import annotations

import json
import sys
import time

from cass_shim.assemble.text import assemble_text
from cass_shim.device import Device
from cass_shim.model.artifacts import AmdgcnAsm
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.selftest.machine import device_facts, driver_facts

QUEUED, WAITED, ROUNDS = 2000, 500, 5
EMPTY = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.text
	.globl	empty
	.p2align	8
	.type	empty,@function
empty:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel empty
		.amdhsa_kernarg_size 8
		.amdhsa_wavefront_size32 1
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  constant
        .name:           bindings
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 1024
    .name:           empty
    .private_segment_fixed_size: 0
    .sgpr_count:     1
    .sgpr_spill_count: 0
    .symbol:         empty.kd
    .vgpr_count:     1
    .vgpr_spill_count: 0
    .wavefront_size: 32
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
"""


def launch_times(device: Device) -> dict[str, float]:
    """Nanoseconds a launch of one block of 32 threads: queued and waited for at the end, and waited for each time."""
    code = assemble_text(AmdgcnAsm(EMPTY, "empty"), KernelAbi())
    best = {"launch queued ns": float("inf"), "launch waited ns": float("inf")}
    with device.load(code.elf) as module:
        function = module.function("empty")
        for _ in range(ROUNDS):
            started = time.perf_counter_ns()
            for _ in range(QUEUED):
                function.launch((1,), (32,), bytes(8))
            device.synchronize()
            queued = (time.perf_counter_ns() - started) / QUEUED
            started = time.perf_counter_ns()
            for _ in range(WAITED):
                function.launch((1,), (32,), bytes(8))
                device.synchronize()
            waited = (time.perf_counter_ns() - started) / WAITED
            for name, value in zip(best, (queued, waited), strict=True):
                best[name] = min(best[name], round(value, 1))
    return best


def main(kind: str) -> None:
    """Print facts about device and driver, and the times."""
    device = Device.open(kind)
    facts = {"device": device_facts(device), "driver": driver_facts(device), "emulated": device.emulated}
    print(json.dumps({**facts, "timings": launch_times(device)}))


if __name__ == "__main__":
    main(sys.argv[1])
