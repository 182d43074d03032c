"""Every `CASS_*` setting: name, default, meaning, reader. docs/configuration.md is generated from it.

In: an environment. Out: a `Config`. C gets names, defaults and scopes generated from the same fields.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, get_type_hints

from cass_shim import __version__
from cass_shim.model.errors import CassError

SCHEMA = 1  # of keys, cache layout and file formats; a change makes every earlier entry a miss
RUNTIME_PATH_LIMIT = 88  # bytes with NUL: a socket's path is at most 107, its name 16 and a suffix

# Generations whose SASS is taken from a fat binary, the best understood first; others only when nothing else is there.
SM_ORDER = (80, 86, 87, 89, 90, 75, 100, 120)


class Scope(Enum):
    """Who must see a setting."""

    REQUEST = "request"  # travels with every request, so each program has its own policy
    DAEMON = "daemon"  # one daemon per set of values: part of the socket's name
    PROGRAM = "program"  # read in the CUDA program's process only
    COMMAND = "command"  # read by the command line only


class BadSetting(CassError):
    """A `CASS_*` variable has a value that its type does not allow."""

    def __init__(self, name: str, value: str, expected: str) -> None:
        super().__init__(f"{name}={value!r}: expected {expected}")
        self.name, self.value, self.expected = name, value, expected


def setting(default: str, doc: str, scope: Scope, choices: tuple[str, ...] = (), bare: str = "") -> Any:
    """A field of Config. default: what an unset variable stands for. bare: what cass-run's flag alone stands for."""
    return field(default=default, metadata={"doc": doc, "scope": scope, "choices": choices, "bare": bare})


# What cass-run takes beside the flags of the settings, and how it ends; its help and its man page print these.
SWITCHES = {
    "explain": "say for every kernel how it was translated and how far that is proved",
    "dry-run": "translate and verify the program's kernels without running it",
    "version": "print the version",
    "help": "print this help",
}
LAUNCHER_PURPOSE = (
    "Runs a CUDA program on an AMD GPU or on an emulated one. Options come before the program; each is the mirror of "
    "an environment variable."
)
LAUNCHER_EXIT = "the program's own; 125 bad usage, 126 the program cannot be run this way, 127 not found"


PROVED_LABELS = frozenset({"E2", "E3", "E4"})  # what a proof reaches; E2 is a second opinion's first
PROOF_SECONDS = 60.0  # where such evidence is demanded
SECOND_SECONDS = 10.0  # where E2 is demanded
CAPTURE_SHARE = 0.4  # of a kernel's time, for its captured launch
WEAK_SHARE = 0.15  # the same where nobody asked for it
DECIDED_SHARE = 0.55  # the same where a difference has shown
WEAK = "weak"  # CASS_CAPTURE: first launches of kernels of which generated inputs told too little
EVIDENCE_LABELS = ("none", "E0", "E1u", "E1", "E2", "E3", "E4")


@dataclass(frozen=True, kw_only=True)
class Config:
    """All settings as text; typed access is by the properties below. Field `x` is the variable `CASS_X`."""

    translators: str = setting(
        "lift,ptx-hip", "Translators in order of preference: `cass`, `lift`, `ptx-hip`.", Scope.REQUEST
    )
    min_evidence: str = setting(
        "E0", "The least evidence a translation needs to be launched.", Scope.REQUEST, EVIDENCE_LABELS
    )
    prove: str = setting(
        "0",
        "Seconds for a proof (E4, docs/verification.md) of each translation; 0: none, but 60 where "
        "`CASS_MIN_EVIDENCE` is above `E1`.",
        Scope.REQUEST,
    )
    second: str = setting(
        "0",
        "Seconds for comparing each translation with code derived from the program's PTX (E2, docs/verification.md); "
        "0: none, but 10 where `CASS_MIN_EVIDENCE` is `E2`.",
        Scope.REQUEST,
    )
    behind: str = setting(
        "20",
        "CPU-seconds that the daemon may spend behind a program on second opinions of what it was served and on the "
        "model (docs/verification.md), at the lowest priority and never on battery; 0: none.",
        Scope.REQUEST,
    )
    capture: str = setting(
        WEAK,
        "Whose first launch is recorded, and the translation checked on it before it is made (E3, "
        "docs/verification.md): `weak`, of kernels of which generated inputs told nothing (E0) or reached less than "
        "half of the code; 1, of every kernel, as it is also where `CASS_MIN_EVIDENCE` is `E3`; 0, of none.",
        Scope.REQUEST,
        ("0", "1", WEAK),
        "1",
    )
    capture_dir: str = setting(
        "", "Directory that receives every captured launch as a file for `cass replay`.", Scope.REQUEST
    )
    capture_limit: str = setting("64", "MiB of device memory that one captured launch may hold.", Scope.PROGRAM)
    gfx: str = setting("gfx1100", "The AMD architecture to translate for.", Scope.REQUEST)
    keep: str = setting("", "Directory that receives every intermediate artifact.", Scope.REQUEST)
    model: str = setting(
        "", "The CASS model: a directory, a Hugging Face name, or the URL of an OpenAI-compatible server; "
        "default the checkpoint that ships.",
        Scope.REQUEST,
    )  # fmt: skip
    kernel_timeout: str = setting("100", "Seconds one kernel's translation may take.", Scope.REQUEST)
    kernel_memory: str = setting("4096", "MiB of address space one worker may use.", Scope.DAEMON)
    device: str = setting(
        "auto", "The device: AMD's HIP or the emulated one.", Scope.DAEMON, ("auto", "hip", "emulated")
    )
    hip_library: str = setting("", "Path of the `libamdhip64.so` to use, whatever the device.", Scope.DAEMON)
    cache_dir: str = setting("", "The local cache; default `$XDG_CACHE_HOME/cass` or `~/.cache/cass`.", Scope.DAEMON)
    cache: str = setting("1", "0: neither read nor write the local cache.", Scope.DAEMON, ("0", "1"))
    cache_size: str = setting("4096", "MiB the local cache may hold before the least used go.", Scope.DAEMON)
    remotes: str = setting(
        "",
        "The team's caches, near ones first, separated by commas: directories, and `http[s]://`, `redis[s]://`, "
        "`valkey://` and `s3://` URLs (docs/cache.md).",
        Scope.DAEMON,
    )
    remote_role: str = setting(
        "read",
        "`write`: put own translations into the team's caches, signed; `propose`: into their quarantine, unsigned.",
        Scope.DAEMON,
        ("read", "propose", "write"),
    )
    reverify: str = setting(
        "signed",
        "When a translation that another machine made is checked again here: before each program's first use of it "
        "(`always`), once (`first-use`), or never, since a trusted key signed it (`signed`).",
        Scope.DAEMON,
        ("always", "first-use", "signed"),
    )
    remote_timeout: str = setting("1", "Seconds a program waits for the team's caches.", Scope.DAEMON)
    runtime_dir: str = setting("", "Where the daemon's socket lies; default `$XDG_RUNTIME_DIR/cass`.", Scope.DAEMON)
    workers: str = setting("0", "Worker processes of the daemon; 0: one per processor, at most 8.", Scope.DAEMON)
    idle: str = setting(
        "600",
        "Seconds without a client after which the daemon ends; at most 60 where less than an eighth of the memory is "
        "left or more than four daemons of the user run. Its workers end after 60 without a job.",
        Scope.DAEMON,
    )
    daemon: str = setting("1", "0: translate in a child of the program, without a daemon.", Scope.PROGRAM, ("0", "1"))
    timeout: str = setting("120", "Seconds the program waits for one module or kernel.", Scope.PROGRAM)
    shared: str = setting(
        "lds",
        "Shared memory of a block beyond the 64 KiB of AMD's LDS: refused (`lds`), or `spill`: up to 99 KiB, in device "
        "memory, by code made for such launches only (the translator `lift`).",
        Scope.PROGRAM,
        ("lds", "spill"),
    )
    prefer_sm: str = setting(
        "",
        "The SASS to take from a fat binary, for example `89`; else the first of 80, 86, 87, 89, 90, 75, 100, 120, and "
        "where `ptx-hip` leads `CASS_TRANSLATORS` the first that has PTX of its own generation beside it.",
        Scope.PROGRAM,
    )
    python: str = setting("", "The Python interpreter that runs the daemon.", Scope.PROGRAM)
    trace: str = setting(
        "", "`calls`: log every CUDA call; `stats`: a table at exit; both: `calls,stats`.", Scope.PROGRAM, bare="calls"
    )
    trace_file: str = setting("", "Where the trace goes instead of stderr.", Scope.PROGRAM)
    quiet: str = setting("0", "1: no progress line and no notes on stderr.", Scope.PROGRAM, ("0", "1"), "1")

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Config:
        """Settings of an environment (default: this process). An empty value is an unset one."""
        environment = os.environ if environment is None else environment
        values: dict[str, str] = {
            name: environment.get(variable(name), "") or str(one.default) for name, one in FIELDS.items()
        }
        for name in ("keep", "capture_dir"):
            if values[name]:
                values[name] = os.path.abspath(values[name])  # the daemon works elsewhere
        config = cls(**values)
        config.check()
        return config

    def check(self) -> None:
        """Raises BadSetting for a value outside its choices, and for a number that is none."""
        for name, one in FIELDS.items():
            choices = one.metadata["choices"]
            value = getattr(self, name)
            if choices and value not in choices:
                raise BadSetting(variable(name), value, " or ".join(choices))
        for name in (
            "prove",
            "second",
            "behind",
            "capture_limit",
            "kernel_timeout",
            "kernel_memory",
            "cache_size",
            "workers",
            "idle",
            "timeout",
            "remote_timeout",
        ):
            self.number(name)

    def number(self, name: str) -> float:
        """A setting that is a number, 0 or more."""
        value: str = getattr(self, name)
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < 1e9:
            raise BadSetting(variable(name), value, "a number, 0 or more")
        return number

    def with_options(self, options: str) -> Config:
        """This configuration with a request's own values; Scope.REQUEST only, others are ignored."""
        values = {}
        for line in options.splitlines():
            name, _, value = line.partition("=")
            known = FIELDS.get(name.removeprefix("CASS_").lower())
            if known is not None and known.metadata["scope"] is Scope.REQUEST and value:
                values[known.name] = value
        changed = dataclasses.replace(self, **values)
        changed.check()
        return changed

    def options(self) -> str:
        """The request-scoped settings that differ from the defaults, as a request carries them."""
        lines = (
            f"{variable(name)}={getattr(self, name)}\n"
            for name, one in FIELDS.items()
            if one.metadata["scope"] is Scope.REQUEST and getattr(self, name) != one.default
        )
        return "".join(lines)

    @property
    def proof_seconds(self) -> float:
        """How long a proof may take, 0 for none; never more than half of what the whole kernel may."""
        asked = self.number("prove") or (PROOF_SECONDS if self.min_evidence in PROVED_LABELS else 0.0)
        return min(asked, self.number("kernel_timeout") / 2)

    @property
    def second_seconds(self) -> float:
        """How long a second opinion may take, its compilation not counted; 0 for none."""
        return self.number("second") or (SECOND_SECONDS if self.min_evidence == "E2" else 0.0)

    @property
    def capture_seconds(self) -> float:
        """How long a captured launch may take to be replayed."""
        return (WEAK_SHARE if self.captures_weak_only else CAPTURE_SHARE) * self.number("kernel_timeout")

    @property
    def decided_seconds(self) -> float:
        """How long it may take in all to tell whether a difference on a captured launch is one."""
        return DECIDED_SHARE * self.number("kernel_timeout")

    @property
    def captures_weak_only(self) -> bool:
        """Whether a launch is captured only where inputs told too little: nobody asked for more, nor does the bar."""
        return self.capture == WEAK and not self.capture_dir and self.min_evidence != "E3"

    @property
    def translator_order(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.translators.split(",") if name.strip())

    @property
    def needs_own_ptx(self) -> bool:
        """Whether PTX is what serves, so that the machine code to compare with should be of the same generation."""
        return self.translator_order[:1] == ("ptx-hip",)

    def policy_values(self) -> tuple[str, ...]:
        """What decides whether a stored answer may be used; part of the epoch directory's name."""
        return tuple(getattr(self, name) for name in POLICY_FIELDS)


POLICY_FIELDS = ("translators", "min_evidence", "gfx", "reverify")
FIELDS: Mapping[str, dataclasses.Field[Any]] = {one.name: one for one in dataclasses.fields(Config)}
assert all(kind is str for kind in get_type_hints(Config).values())


def variable(name: str) -> str:
    """The environment variable of a field."""
    return f"CASS_{name.upper()}"


def joined_digest(*texts: str | bytes) -> bytes:
    """SHA-256 over texts, each preceded by its length in bytes (u32, little-endian). C computes the same."""
    digest = hashlib.sha256()
    for text in texts:
        content = text.encode(errors="surrogateescape") if isinstance(text, str) else text
        digest.update(struct.pack("<I", len(content)) + content)
    return digest.digest()


def epoch_name(base_epoch: str, config: Config) -> str:
    """Directory of the local entries below `v<SCHEMA>/`. base_epoch: content of the file `epoch` or ""."""
    return joined_digest(__version__, base_epoch, *config.policy_values()).hex()[:32]


def daemon_name(config: Config, package: str, cache: str) -> str:
    """Name of a daemon's socket without extension: one daemon per package path, daemon-scoped settings and local cache.

    cache: where that lies, which HOME may decide; "": nowhere.
    """
    values = (getattr(config, name) for name, one in FIELDS.items() if one.metadata["scope"] is Scope.DAEMON)
    return joined_digest(package, *values, cache).hex()[:16]


def configuration_page() -> str:
    """docs/configuration.md."""
    lines = [
        "# Settings",
        "",
        "Generated from `cass_shim/model/config.py`. An empty value is an unset one.",
        "",
    ]
    lines += ["| variable | default | values | meaning |", "|---|---|---|---|"]
    for name, one in FIELDS.items():
        choices = ", ".join(f"`{choice}`" for choice in one.metadata["choices"])
        default = f"`{one.default}`" if one.default else ""
        lines.append(f"| `{variable(name)}` | {default} | {choices} | {one.metadata['doc']} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(configuration_page(), end="")
