"""Does an installed cass-shim work by itself? For cibuildwheel, and for `python3 -m tools wheel`.

    python tools/try_wheel.py

Runs the commands of the environment of this Python from an empty folder, with a cache and a daemon of its own, as
somebody would who has nothing but the wheel. Standard library only; prints a line for each command.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = Path(sys.executable).parent
WHERE = "import cass_shim, pathlib; print(pathlib.Path(cass_shim.__file__).resolve().parent)"
UNPACK = "from cass_shim.selftest.material import unpack; from pathlib import Path; unpack(Path('material'))"


def environment(folder: Path) -> dict[str, str]:
    """Nothing that leads back to a checkout."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    path = os.pathsep.join([str(BIN), "/usr/bin", "/bin"])
    own = {"CASS_CACHE_DIR": str(folder / "cache"), "CASS_RUNTIME_DIR": str(folder / "run"), "CASS_IDLE": "5"}
    return {**kept, **own, "PATH": path, "CASS_DEVICE": "emulated"}


def main() -> int:
    """0 when everything worked and nothing came from a checkout."""
    with tempfile.TemporaryDirectory(prefix="cass-wheel-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        env = environment(folder)

        def run(*command: str) -> subprocess.CompletedProcess[str]:
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
            )
            print(f"{'ok' if done.returncode == 0 else 'FAILED':8}{' '.join(command)}", flush=True)
            if done.returncode:
                print(done.stdout + done.stderr)
                raise SystemExit(1)
            return done

        package = Path(run(sys.executable, "-c", WHERE).stdout.strip())
        if "site-packages" not in package.parts:
            print(f"FAILED  cass_shim is {package}, not an installed wheel")
            return 1
        run(sys.executable, "-c", UNPACK)
        program = "material/examples/prebuilt/vector_add_static"
        run("cass", "--help")
        run("cass", "doctor")
        printed = run("cass-run", program).stdout
        assert run("cass-run", "--quiet", "--", program).stdout == printed  # from the cache
        assert "route      lift, evidence E1" in run("cass-run", "--explain", program).stderr
        run("cass", "view", program, "-o", "page.html")
        run("cass", "selftest")
        for page in ("man/man1/cass-run.1", "bash-completion/completions/cass", "zsh/site-functions/_cass"):
            assert (Path(sys.prefix) / "share" / page).is_file(), page
        run("cass", "daemon", "stop")
    return 0


if __name__ == "__main__":
    sys.exit(main())
