"""The C client, built with sanitizers, on damaged programs and on sealed files with hostile tables."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.model.layout import FILE_HEADER, seal
from cass_shim.native.build import GENERATED, NATIVE
from tests.daemon.conftest import Place, entry, region
from tests.daemon.test_client import PTX, SASS, fill

COMPILER = shutil.which("gcc") or shutil.which("clang")
ROUNDS = 400
HOSTILE = (0, 1, 127, 128, 255)


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory, probe: Path) -> Path:
    """The probe with AddressSanitizer (leaks included) and UndefinedBehaviorSanitizer."""
    if COMPILER is None:
        pytest.skip("no compiler with sanitizers")
    output = tmp_path_factory.mktemp("sanitized") / "probe"
    sources = [*sorted((NATIVE / "client").glob("*.c")), NATIVE / "client" / "probe" / "probe.c"]
    flags = ["-std=gnu17", "-g", "-O1", "-D_GNU_SOURCE", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [COMPILER, *flags, "-I", NATIVE, "-I", GENERATED, *sources, "-o", output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "cannot find" in done.stderr:
        pytest.skip("the compiler has no sanitizer run time")
    assert done.returncode == 0, done.stderr
    return output


def damaged(content: bytes, chance: random.Random, depth: int) -> bytes:
    """Some bytes changed, sometimes the end cut off."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(min(len(changed), depth))] = chance.choice((*HOSTILE, chance.randrange(256)))
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.25 else changed)


@pytest.mark.slow
def test_nothing_makes_the_client_leave_its_memory(place: Place, sanitized: Path, tmp_path: Path) -> None:
    place.environment |= {"CASS_PYTHON": "/bin/false", "CASS_TIMEOUT": "5", "CASS_DAEMON": "0"}
    tier = fill(place, SASS)
    program, whole = tmp_path / "program", region(entry(2, 80, SASS), entry(1, 80, PTX))
    originals = {one.path: one.path.read_bytes() for one in tier.files() if one.path.suffix in (".cman", ".ccode")}
    chance, answered = random.Random(7), set()
    for number in range(ROUNDS):
        targets: dict[Path, bytes] = {program: whole, **originals}
        target = chance.choice(list(targets))
        if target == program:
            targets[target] = damaged(whole, chance, 260)
        else:  # a producer that seals nonsense
            head = FILE_HEADER.unpack(originals[target])
            body = damaged(originals[target][FILE_HEADER.size :], chance, 400)
            assert isinstance(head["magic"], bytes)
            targets[target] = seal(head["magic"], int(head["version"]), body)
        for path, content in targets.items():
            path.unlink(missing_ok=True)
            path.write_bytes(content)
        done = subprocess.run([sanitized, program], env=place.environment, capture_output=True, timeout=30, check=False)
        assert done.returncode in (0, 1), f"round {number}: {done.stderr.decode(errors='replace')}"
        answered.add((target.suffix, done.returncode))
    assert len(answered) == 6, "every kind of file was both accepted and refused"
