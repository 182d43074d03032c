"""Fused multiply-add over arrays: numpy has none, so LLVM compiles one for the host on first use.

In: three arrays of float64 or float32. Out: one array. The host's rounding mode applies; LLVM calls the C library's
`fma` where the processor has no such instruction.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding

from cass_shim.verify.host import target_machine

_TEMPLATE = """
define void @fma_{type}(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %out, i64 %n) {{
entry:
  %some = icmp ne i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr {type}, ptr %a, i64 %i
  %pb = getelementptr {type}, ptr %b, i64 %i
  %pc = getelementptr {type}, ptr %c, i64 %i
  %po = getelementptr {type}, ptr %out, i64 %i
  %x = load {type}, ptr %pa
  %y = load {type}, ptr %pb
  %z = load {type}, ptr %pc
  %r = call {type} @llvm.fma.{short}({type} %x, {type} %y, {type} %z)
  store {type} %r, ptr %po
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
declare {type} @llvm.fma.{short}({type}, {type}, {type})
"""


@cache
def _engine() -> Any:
    """The compiled functions' owner; kept for the life of the process."""
    text = "".join(_TEMPLATE.format(type=t, short=s) for t, s in (("double", "f64"), ("float", "f32")))
    module = binding.parse_assembly(text)
    module.verify()
    engine = binding.create_mcjit_compiler(module, target_machine(2))
    engine.finalize_object()
    return engine


@cache
def _function(name: str) -> Callable[..., None]:
    prototype = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4, ctypes.c_int64)
    return prototype(_engine().get_function_address(name))


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding; float64 or float32 arrays that broadcast."""
    a, b, c = (np.ascontiguousarray(v) for v in np.broadcast_arrays(a, b, c))
    out = np.empty_like(a)
    name = "fma_double" if a.dtype == np.float64 else "fma_float"
    _function(name)(a.ctypes.data, b.ctypes.data, c.ctypes.data, out.ctypes.data, a.size)
    return out
