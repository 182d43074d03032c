"""LLVM's view of the processor that we run on, for what the verifier compiles as it goes."""

from __future__ import annotations

from typing import Any

from llvmlite import binding


def target_machine(optimise: int) -> Any:
    """A new one each time: an engine owns the one that it is made with. optimise: 0 to 3."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(), opt=optimise, jit=True
    )
