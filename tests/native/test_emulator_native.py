"""Translated code against the interpreter, bit for bit: random instructions, loops, memory, LDS, barriers, faults.

Each piece of code runs in two processes, once with CASS_EMU_NATIVE=0 and once with =wait, which must print the same;
the second must say that translated code ran.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.emulator_core_support import assemble, library

pytestmark = pytest.mark.skipif(
    " avx2 " not in Path("/proc/cpuinfo").read_text(), reason="translated code needs a processor with AVX2"
)
PAIR = Path(__file__).with_name("emulator_pair.py")
WORDS_PER_LANE = 64

# V: a VGPR, S: an SGPR, C: VGPR, SGPR or constant, P: an even pair of VGPRs, M: a lane mask.
FLOAT = """v_add_f32 V, C, V|v_sub_f32 V, C, V|v_mul_f32 V, C, V|v_fma_f32 V, V, V, V|v_fmac_f32 V, C, V
v_min_f32 V, V, V|v_max_f32 V, V, V|v_med3_f32 V, V, V, V|v_fma_f32 V, -V, |V|, V clamp|v_add_f32 V, -V, V mul:2
v_floor_f32 V, V|v_fract_f32 V, V|v_rndne_f32 V, V|v_rcp_f32 V, V|v_sqrt_f32 V, V|v_exp_f32 V, V|v_ldexp_f32 V, V, V
v_cvt_f32_i32 V, V|v_cvt_f32_u32 V, V|v_cvt_i32_f32 V, V|v_cvt_u32_f32 V, V|v_cvt_f16_f32 V, V|v_cvt_f32_f16 V, V
v_cmp_lt_f32 vcc_lo, V, V|v_cmp_class_f32 vcc_lo, V, V|v_pk_add_f16 V, V, V|v_pk_fma_f16 V, V, V, V"""
INTEGER = """v_add_nc_u32 V, C, V|v_sub_nc_u32 V, C, V|v_mul_lo_u32 V, C, V|v_mul_hi_u32 V, V, V|v_and_b32 V, C, V
v_or_b32 V, C, V|v_xor_b32 V, C, V|v_lshlrev_b32 V, C, V|v_lshrrev_b32 V, C, V|v_ashrrev_i32 V, C, V|v_not_b32 V, V
v_mov_b32 V, C|v_add3_u32 V, V, C, V|v_bfe_u32 V, V, C, V|v_bfi_b32 V, V, V, V|v_perm_b32 V, V, V, V|v_min_i32 V, C, V
v_max_u32 V, C, V|v_med3_i32 V, V, V, V|v_alignbit_b32 V, V, V, V|v_mad_u32_u24 V, V, V, V|v_mad_u64_u32 P, S, V, V, P
v_lshlrev_b64 P, C, P|v_add_co_u32 V, vcc_lo, V, V|v_add_co_ci_u32 V, vcc_lo, V, V, vcc_lo|v_cndmask_b32 V, V, V, vcc_lo
v_cmp_lt_u32 vcc_lo, C, V|v_cmp_eq_i32 vcc_lo, C, V|v_cmp_gt_i32 S, V, V|v_bcnt_u32_b32 V, V, V|v_clz_i32_u32 V, V
v_readfirstlane_b32 S, V|v_readlane_b32 S, V, 5|v_writelane_b32 V, S, 9|v_mbcnt_lo_u32_b32 V, S, V|v_bfrev_b32 V, V
v_add_nc_u32_dpp V, V, V row_shl:3 row_mask:0xf bank_mask:0xe|v_mov_b32_dpp V, V quad_perm:[1,0,3,2]
v_mov_b32_dpp V, V dpp8:[7,6,5,4,3,2,1,0]|v_add_nc_u16 V, V, V|v_pk_mul_lo_u16 V, V, V|v_swap_b32 V, V
v_permlanex16_b32 V, V, S, S|v_sad_u8 V, V, V, V|v_dot4_i32_iu8 V, V, V, V
v_dual_mov_b32 v2, v3 :: v_dual_add_f32 v5, v1, v4"""
WIDE = """v_add_f64 P, P, P|v_mul_f64 P, P, P|v_fma_f64 P, P, -P, P|v_max_f64 P, P, P|v_rcp_f64 P, P
v_cvt_f32_f64 V, P|v_cvt_f64_f32 P, V|v_cmp_lt_f64 vcc_lo, P, P|v_lshrrev_b64 P, C, P|v_ashrrev_i64 P, C, P
v_bfe_i32 V, V, C, V|v_alignbyte_b32 V, V, V, V|v_mul_f16 V, V, V|v_fma_mix_f32 V, V, V, V|v_mad_i64_i32 P, S, V, V, P
v_add_f64 P, P, |P| clamp|v_sqrt_f16 V, V|v_cvt_f16_f32 V, V|v_pk_mul_f16 V, V, V|v_mul_hi_i32 V, V, V"""
SCALAR = """s_add_u32 S, S, S|s_addc_u32 S, S, S|s_sub_i32 S, S, S|s_mul_i32 S, S, S|s_and_b32 S, S, S|s_xor_b32 S, S, S
s_lshl_b32 S, S, S|s_ashr_i32 S, S, 3|s_bfe_u32 S, S, 0x50003|s_cselect_b32 S, S, S|s_cmp_lt_u32 S, S|s_brev_b32 S, S
s_bcnt1_i32_b32 S, S|s_not_b32 S, S|s_min_i32 S, S, S|s_mov_b32 S, 0x1234567|s_cmp_eq_u32 S, S|s_movk_i32 S, -7"""
LANES = """s_mov_b32 exec_lo, s40|s_and_b32 exec_lo, exec_lo, S|s_or_b32 exec_lo, exec_lo, S|s_mov_b32 exec_lo, -1
s_and_saveexec_b32 s41, S|v_cmpx_lt_u32 V, V"""
LOCAL = """ds_store_b32 v40, V|ds_load_b32 V, v40|ds_store_b8 v40, V offset:3|ds_load_u16 V, v40 offset:2
ds_load_2addr_b32 P, v40 offset1:33|ds_store_2addr_b32 v40, V, V offset1:7|ds_add_u32 v40, V|ds_add_rtn_u32 V, v40, V
ds_bpermute_b32 V, V, V|ds_swizzle_b32 V, V offset:0x401f|ds_min_rtn_i32 V, v40, V|ds_store_b64 v42, P
ds_load_b64 P, v42"""
MEMORY = """global_load_b32 V, v[44:45], off offset:8|global_load_b64 P, v[44:45], off|global_load_i8 V, v[44:45], off
global_store_b32 v[44:45], V, off offset:12|global_store_b16 v[44:45], V, off offset:18|s_load_b32 S, s[0:1], 0x4
s_load_b64 s[30:31], s[0:1], 0x8|global_atomic_add_u32 V, v[44:45], V, off offset:20 glc
scratch_store_b32 off, V, off offset:16|scratch_load_b32 V, off, off offset:16
scratch_store_b32 v40, V, off|scratch_load_b32 V, v40, off
flat_load_b32 V, v[44:45]|global_load_d16_hi_b16 V, v[44:45], off|global_load_b128 v[8:11], v[44:45], off"""
FAMILIES = {
    "float": FLOAT,
    "wide": WIDE,
    "integer": INTEGER,
    "scalar": SCALAR,
    "lanes": LANES,
    "local": LOCAL,
    "memory": MEMORY,
}


def templates(text: str) -> list[str]:
    """The instructions of one family; `|V|` is an operand, not two separators."""
    for operand in "VP":
        text = text.replace(f"|{operand}|", f"ABS{operand}")
    parts = text.replace("\n", "|").split("|")
    return [re.sub(r"ABS(.)", r"|\1|", part) for part in parts]


def fill(chance: random.Random, template: str) -> str:
    """A template with operands chosen."""
    if "v_dual" in template:
        return template
    name, _, rest = template.partition(" ")
    rest, space, tail = rest.partition(" off") if " off" in rest else (rest, "", "")
    words = []
    for letter in rest:
        pair = 2 * chance.randrange(1, 6)
        scalar = f"s{chance.randrange(20, 30)}"
        register = f"v{chance.randrange(1, 13)}"
        constant = chance.choice([register, scalar, str(chance.randrange(-16, 65)), "1.0"])
        words.append({"V": register, "S": scalar, "C": constant, "P": f"v[{pair}:{pair + 1}]"}.get(letter, letter))
    return f"{name} {''.join(words)}{space}{tail}"


def body(chance: random.Random, families: list[str], count: int) -> str:
    """Random instructions with forward branches and waits between them."""
    lines = []
    for at in range(count):
        lines.append(fill(chance, chance.choice(templates(FAMILIES[chance.choice(families)]))))
        if at % 13 == 5:
            lines += [f"s_cbranch_{chance.choice(['scc0', 'vccz', 'execnz', 'scc1'])} skip{at}", "s_not_b32 s20, s21"]
            lines += [f"v_xor_b32 v3, v4, v{1 + at % 9}", f"skip{at}:"]
    return "\n".join(lines)


def program(middle: str, loops: int, kept: int = 12) -> str:
    """Every lane reads 12 of its words, runs `middle` in a loop, and writes `kept` of its registers back."""
    loads = "\n".join(f"global_load_b32 v{1 + i}, v[46:47], off offset:{4 * i}" for i in range(12))
    scalars = "\n".join(f"s_mul_i32 s{i}, s15, {40503 * i}" for i in (*range(20, 32), 40))
    stores = "\n".join(f"global_store_b32 v[46:47], v{1 + i}, off offset:{64 + 4 * i}" for i in range(kept))
    more = "\n".join(
        f"v_mov_b32 v48, s{20 + i}\nglobal_store_b32 v[46:47], v48, off offset:{160 + 4 * i}" for i in range(10)
    )
    return f"""
s_mov_b32 s15, s2
s_lshl_b32 s16, s15, 6
v_and_b32 v41, 0x3ff, v0
v_add_nc_u32 v41, v41, s16
v_mul_u32_u24 v43, {4 * WORDS_PER_LANE}, v41
v_add_co_u32 v46, vcc_lo, s0, v43
v_mov_b32 v49, s1
v_add_co_ci_u32 v47, vcc_lo, 0, v49, vcc_lo
v_mov_b32 v44, v46
v_mov_b32 v45, v47
v_and_b32 v40, 63, v41
v_lshlrev_b32 v40, 2, v40
v_lshlrev_b32 v42, 1, v40
{loads}
{scalars}
s_mov_b32 s42, {loops}
again:
{middle}
s_mov_b32 exec_lo, -1
s_sub_i32 s42, s42, 1
s_cmp_lg_i32 s42, 0
s_cbranch_scc1 again
{stores}
{more}
s_endpgm
"""


KEEPS, FLUSHES = 0x60AF003F, 0x60AC003F  # rsrc1 with f32 subnormals kept, and flushed


def run(code: Path, folder: Path, shape: tuple[int, int, int], rsrc1: int = KEEPS, **settings: str) -> list[str]:
    """What emulator_pair.py prints for a shape of words, groups and items, with a cache of its own."""
    fixed = {"CASS_CACHE_DIR": str(folder), "CASS_EMU_THREADS": "1"}
    command = [sys.executable, str(PAIR), str(code), *map(str, shape), str(rsrc1)]
    environment = {**os.environ, **fixed, **settings}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n").split("\t")


def assembled(text: str, folder: Path) -> Path:
    """A file of machine code."""
    library()
    code = folder / "code"
    code.write_bytes(assemble(text, folder))
    return code


def compare(text: str, folder: Path, groups: int = 2, items: int = 64, rsrc1: int = KEEPS) -> tuple[list[str], ...]:
    """Runs the program both ways; results and counts must be equal."""
    code, shape = assembled(text, folder), (groups * items * WORDS_PER_LANE, groups, items)
    interpreted = run(code, folder, shape, rsrc1, CASS_EMU_NATIVE="0")
    translated = run(code, folder, shape, rsrc1, CASS_EMU_NATIVE="wait")
    assert interpreted[3] == "0"
    assert translated[:3] == interpreted[:3]
    assert translated[4] == interpreted[4]
    return interpreted, translated


MIXES = [["integer", "scalar", "lanes"], ["integer", "local", "scalar"], ["integer", "memory"], ["float"], ["wide"]]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mix", MIXES, ids=["-".join(mix) for mix in MIXES])
def test_random_instructions(mix: list[str], seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"{seed} {mix}")
    interpreted, translated = compare(program(body(chance, mix, 24), 5), tmp_path)
    assert interpreted[0] == "ok", interpreted
    # Not all: lanes with scratch addresses of their own, and what follows up to a branch, are the interpreter's.
    assert int(translated[3]) > 0.1 * int(translated[2]), translated


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_random_instructions_between_barriers(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    pieces = [body(chance, ["integer", "scalar", "lanes"], 4) for _ in range(4)]
    middle = "\ns_barrier\n".join(piece.replace("skip", f"skip{at}_") for at, piece in enumerate(pieces))
    interpreted, translated = compare(program(middle, 5, kept=4), tmp_path, items=96)
    assert interpreted[0] == "ok", interpreted
    assert translated[3] == translated[2]


def test_kernels_that_flush_f32_subnormals(tmp_path: Path) -> None:
    tiny = "\n".join(f"v_and_b32 v{i}, 0x80ffffff, v{i}" for i in range(1, 13, 2))
    text = program(f"{tiny}\n{body(random.Random(3), ['float'], 8)}", 2)
    interpreted, translated = compare(text, tmp_path, rsrc1=FLUSHES)
    assert int(translated[3]) > 0.5 * int(translated[2]), translated
    kept = run(tmp_path / "code", tmp_path, (2 * 64 * WORDS_PER_LANE, 2, 64), KEEPS, CASS_EMU_NATIVE="0")
    assert kept[1] != interpreted[1]


SHORT = "v_mov_b32 v1, 1.0\nv_add_f32 v2, v1, v1\ns_endpgm\n"


def test_a_compiler_that_fails_is_logged_and_left_alone(tmp_path: Path) -> None:
    compiler, called = tmp_path / "cc", tmp_path / "called"
    compiler.write_text(f"#!/bin/sh\necho again >> {called}\necho no such option >&2\nexit 1\n")
    compiler.chmod(0o755)
    code, shape = assembled(SHORT, tmp_path), (64, 1, 32)
    for _ in range(2):
        said = run(code, tmp_path, shape, CASS_EMU_NATIVE="wait", CASS_EMU_CC=str(compiler))
        assert said[0] == "ok" and said[3] == "0"
        assert said[5] == "interpreted: the compiler failed (*.failed in the cache)"
    assert called.read_text() == "again\n"
    (log,) = (tmp_path / "emulator").iterdir()
    assert log.suffix == ".failed"
    first, second = log.read_text().splitlines()
    assert first.startswith(f"a kernel: no native code by {compiler}") and second == "no such option"


@pytest.mark.parametrize("setting", [{"CASS_EMU_CC": "/nowhere/cc"}, {"CASS_CACHE": "0"}], ids=["compiler", "cache"])
def test_without_compiler_or_cache_everything_is_interpreted(setting: dict[str, str], tmp_path: Path) -> None:
    said = run(assembled(SHORT, tmp_path), tmp_path, (64, 1, 32), CASS_EMU_NATIVE="wait", **setting)
    assert said[0] == "ok" and said[3] == "0"
    assert said[5] == f"interpreted: no {'C compiler' if 'CASS_EMU_CC' in setting else 'cache'}"


def test_a_short_run_starts_no_compiler(tmp_path: Path) -> None:
    said = run(assembled(SHORT, tmp_path), tmp_path, (64, 1, 32), CASS_EMU_CC="/nowhere/cc", CASS_EMU_NATIVE="")
    assert said[0] == "ok" and said[5] == "not hot"
    assert not (tmp_path / "emulator").exists()


def test_the_folder_keeps_to_its_limit(tmp_path: Path) -> None:
    limit, before = "1M", set()
    for text in (SHORT, SHORT.replace("1.0", "2.0")):
        said = run(assembled(text, tmp_path), tmp_path, (64, 1, 32), CASS_EMU_NATIVE="wait", CASS_EMU_CACHE=limit)
        assert said[5] == "translated", said
        (kept,) = (tmp_path / "emulator").iterdir()
        assert kept not in before
        os.utime(kept, (1, 1))
        limit, before = str(kept.stat().st_size * 3 // 2), {kept}


RUNAWAY = """
v_mov_b32 v1, 1.0
forever:
v_fma_f32 v2, v1, v1, v2
s_add_u32 s20, s20, 3
s_branch forever
"""
OUTSIDE = """
v_mov_b32 v1, 0x7ff0
s_mov_b32 s20, 9
again:
v_lshl_add_u32 v1, v0, 2, v1
ds_store_b32 v1, v0
s_sub_i32 s20, s20, 1
s_cmp_lg_i32 s20, 0
s_cbranch_scc1 again
v_mov_b32 v1, 0x10000
ds_load_b32 v2, v1
s_endpgm
"""
PRIVATE = """
s_mov_b32 s20, 4
again:
scratch_store_b32 off, v0, off offset:16
scratch_load_b32 v2, off, off offset:16
v_add_nc_u32 v0, v0, v2
s_sub_i32 s20, s20, 1
s_cmp_lg_i32 s20, 0
s_cbranch_scc1 again
s_endpgm
"""
# Waves pass words around through LDS; the call's address is known at run time only.
TURNS = """
v_and_b32 v41, 0x3ff, v0
v_lshlrev_b32 v1, 2, v41
v_add_nc_u32 v2, 4, v1
v_and_b32 v2, 0xff, v2
v_mov_b32 v3, v41
s_mov_b32 s20, 40
around:
ds_store_b32 v1, v3
s_barrier
ds_load_b32 v4, v2
s_barrier
s_getpc_b64 s[22:23]
here:
s_add_u32 s22, s22, callee-here
s_addc_u32 s23, s23, 0
s_swappc_b64 s[24:25], s[22:23]
s_sub_i32 s20, s20, 1
s_cmp_lg_i32 s20, 0
s_cbranch_scc1 around
v_mov_b32 v5, s0
v_mov_b32 v6, s1
v_add_co_u32 v5, vcc_lo, v5, v1
v_add_co_ci_u32 v6, vcc_lo, 0, v6, vcc_lo
global_store_b32 v[5:6], v3, off
s_endpgm
callee:
v_mad_u32_u24 v3, v4, 5, v41
s_setpc_b64 s[24:25]
"""


def test_a_kernel_that_never_ends_is_stopped_at_the_same_instruction(tmp_path: Path) -> None:
    interpreted, translated = compare(RUNAWAY, tmp_path, groups=1, items=32)
    assert interpreted[0] == "limit"
    assert int(translated[3]) > 900_000


def test_scratch_memory_is_reached_from_translated_code(tmp_path: Path) -> None:
    _, translated = compare(PRIVATE, tmp_path, groups=1, items=32)
    assert translated[3] == translated[2] == "26"


def test_a_fault_is_the_interpreters_report(tmp_path: Path) -> None:
    interpreted, translated = compare(OUTSIDE, tmp_path, groups=1, items=32)
    assert interpreted[0] == "illegal address"
    assert "LDS access out of bounds" in interpreted[4]
    assert int(translated[3]) > 0


def test_barriers_and_calls(tmp_path: Path) -> None:
    interpreted, translated = compare(TURNS, tmp_path, groups=1, items=64)
    assert interpreted[0] == "ok"
    assert int(translated[3]) > 0.2 * int(translated[2])


UNWRITTEN = """
v_lshlrev_b32 v1, 2, v0
v_cmpx_ne_u32 7, v0
ds_store_b32 v1, v0 offset:64
s_mov_b32 exec_lo, -1
ds_load_b32 v2, v1 offset:64
s_endpgm
"""


def test_checking_mode_reports_reads_of_lds_that_nothing_wrote(tmp_path: Path) -> None:
    code, shape = assembled(UNWRITTEN, tmp_path), (64, 1, 32)
    assert run(code, tmp_path, shape, CASS_EMU_NATIVE="0")[0] == "ok"
    said = run(code, tmp_path, shape, CASS_EMU_CHECK="1")
    assert said[0] == "illegal address"
    assert "ds_load_b32: read of LDS that nothing wrote" in said[4] and "address 0x5c" in said[4]
    assert said[4].endswith("wave 0 lane 7")
    written = assembled(UNWRITTEN.replace("v_cmpx_ne_u32 7, v0\n", ""), tmp_path)
    assert run(written, tmp_path, shape, CASS_EMU_CHECK="1")[0] == "ok"
