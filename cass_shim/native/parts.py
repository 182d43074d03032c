"""The one source list: every native output and what it is made of."""

from __future__ import annotations

from pathlib import Path

from cass_shim.api.generate import generate as api_generate
from cass_shim.isa.rdna3.generate import generate as rdna3_generate
from cass_shim.native.bindings_build import bindings_generate
from cass_shim.native.build import BUILD, GENERATED, NATIVE, Part, Variant
from cass_shim.native.client.generate import generate as client_generate
from cass_shim.native.dynamic import initialise_first
from cass_shim.native.emulator.hip_generate import generate as hip_generate
from cass_shim.native.emulator.native_source import generate as native_source_generate
from cass_shim.native.launcher.generate import generate as options_generate

SHARED = ("-shared", "-Wl,-z,defs", "-Wl,-z,noexecstack", "-Wl,-z,relro")

# The one library of the target process with state in it: interception, bodies, client, the door to HIP.
CORE = ("shim/*.c", "gen:api/*.c", "runtime/*.c", "driver/*.c", "client/*.c", "hip/*.c")
STANDINS = ("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so.1")


def core_generate(folder: Path) -> None:
    """Everything generated that libcass_shim.so is made of."""
    api_generate(folder)
    client_generate(folder)


def client_bindings_generate(folder: Path) -> None:
    """The client's settings and the cffi module over it."""
    client_generate(folder)
    bindings_generate(folder)


def launcher_generate(folder: Path) -> None:
    """Settings and options of the launcher."""
    client_generate(folder)
    options_generate(folder)


def standin(soname: str) -> Part:
    """A thin library under NVIDIA's SONAME that jumps into libcass_shim.so beside it."""
    script = GENERATED / "api" / "standins" / f"{soname}.map"
    link = (*SHARED, str(BUILD / "libcass_shim.so"), f"-Wl,-soname,{soname}", "-Wl,-z,now",
            "-Wl,-z,nodelete", f"-Wl,--version-script={script}", "-Wl,-rpath,$ORIGIN", "-nostdlib")  # fmt: skip
    return Part(soname, (f"gen:api/standins/{soname}.c",), link=link, generate=core_generate)


# The gfx1100 interpreter's bodies are compiled for x86-64-v2, for AVX2 and for AVX-512, chosen at run time by CPU.
EMULATOR_BODIES = (
    "access", "dispatch", "ds_memory", "global", "modifiers", "smem", "valu_compare", "valu_convert", "valu_double",
    "valu_float", "valu_half", "valu_int", "valu_packed",
)  # fmt: skip
AVX2 = ("-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mno-vzeroupper")
AVX512 = ("-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512")
EMULATOR_VARIANTS = (
    Variant("v2", ("-DEMU_VARIANT=v2",)),
    Variant("v3", (*AVX2, "-DEMU_VARIANT=v3")),
    Variant("v4", (*AVX2, *AVX512, "-DEMU_VARIANT=v4")),
)
EMULATOR_FLAGS = ("-O3", "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off", "-fwrapv",
                  "-Wno-unused-parameter")  # fmt: skip


def emulator_generate(folder: Path) -> None:
    """Opcode tables of the interpreter, its bodies as text and entry points of the emulated HIP library."""
    rdna3_generate(folder)
    native_source_generate(folder)
    hip_generate(folder)


PARTS: tuple[Part, ...] = (
    Part(
        "libcass_shim.so",
        tuple(name for name in CORE if name.startswith("gen:") or any(NATIVE.glob(name))),
        flags=("-ftls-model=initial-exec",),  # its thread-locals are in static TLS anyway: trampolines write one
        link=(
            *SHARED,
            "-Wl,-soname,libcass_shim.so",
            "-Wl,-z,now",
            "-Wl,-z,nodelete",
            f"-Wl,--version-script={NATIVE / 'shim' / 'libcass_shim.map'}",
            "-lpthread",
            "-ldl",
        ),
        generate=core_generate,
        finish=initialise_first,
    ),
    *(standin(soname) for soname in STANDINS),
    Part(  # what nvidia-smi and its like ask; the devices come from libcass_shim.so
        "libnvidia-ml.so.1",
        ("management/*.c",),
        link=(
            *SHARED,
            str(BUILD / "libcass_shim.so"),
            "-Wl,-soname,libnvidia-ml.so.1",
            "-Wl,-z,now",
            "-Wl,-rpath,$ORIGIN",
            "-lpthread",
        ),
    ),
    Part("libnvToolsExt.so.1", ("nvtx/*.c",), link=(*SHARED, "-Wl,-soname,libnvToolsExt.so.1")),
    Part("cass-run", ("launcher/*.c",), generate=launcher_generate),
    Part(  # the client again, for our own Python (native/bindings.py)
        "libcass_client.so",
        ("client/*.c",),
        flags=("-fvisibility=default",),
        link=(*SHARED, "-Wl,-soname,libcass_client.so", "-lpthread"),
        generate=client_bindings_generate,
    ),
    Part(  # the scheduler and memory of the verifier's compiled reference (verify/compiled)
        "libcass_reference.so",
        ("reference/*.c",),
        flags=("-fvisibility=default", "-fwrapv", "-fno-strict-aliasing"),
        link=(*SHARED, "-Wl,-soname,libcass_reference.so"),
    ),
    Part("cass-probe", ("client/*.c", "client/probe/*.c"), generate=client_generate),
    Part(
        "emulated/libamdhip64.so",
        ("emulator/*.c", "hip/image_descriptor.c", "client/sha256.c", "gen:emulator/*.c"),
        flags=EMULATOR_FLAGS,
        link=(*SHARED, "-Wl,-soname,libamdhip64.so.7", "-Wl,-z,nodelete", "-lpthread", "-lm", "-ldl"),
        variants=tuple((f"emulator/{name}.c", variant) for name in EMULATOR_BODIES for variant in EMULATOR_VARIANTS),
        generate=emulator_generate,
        clang=True,
    ),
)
