"""What a demangled name tells about parameters."""

from __future__ import annotations

import pytest

from cass_shim.cli.signature import parameter_types, with_types


@pytest.mark.parametrize(
    ("readable", "types"),
    [
        ("f(int const*, unsigned long)", ["int const*", "unsigned long"]),
        ("void f<int, Pair<int, float> >(Pair<int, float>, void (*)(int, int), float (&) [3])",
         ["Pair<int, float>", "void (*)(int, int)", "float (&) [3]"]),
        ("f()", []),
        ("plain", []),
    ],
)  # fmt: skip
def test_parameters_are_told_apart(readable: str, types: list[str]) -> None:
    assert parameter_types(readable) == types


def test_types_stand_beside_the_parameters() -> None:
    head = 'extern "C" __attribute__((global)) void _Z1fPii(\n'
    source = (
        f"void other(\n    u32 a,\n    u32 b)\n{head}    u64 param_0,\n    u32 n,\n    void *const *bindings) {{\n}}\n"
    )
    told = source.replace("u64 param_0,", "u64 param_0,  // int*").replace("u32 n,", "u32 n,  // int")
    assert with_types(source, "_Z1fPii", "f(int*, int)") == told
    assert with_types(source, "_Z1fPii", "f(int*)") == source
