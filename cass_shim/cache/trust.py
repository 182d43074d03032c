"""Who may put translations into a shared cache: Ed25519 keys, named and written as Nix writes them.

In: records and the key files of the cache directory. Out: signed records, or the name of the trusted signer.
A public key is `name-1:base64`; `trusted-keys` and `revoked-keys` hold one a line, the latter also bare names.
The signature covers everything in a record, so the key, the blob's digest, evidence and provenance with it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cass_shim.cache.files import read_file, write_file
from cass_shim.cache.record import Record
from cass_shim.model.errors import Malformed, Rejected

TRUSTED_FILE, REVOKED_FILE, SIGNING_FILE = "trusted-keys", "revoked-keys", "signing-key"
CONTEXT = b"cass-shim translation record 1\n"  # no signature of another protocol means anything here
NAME = re.compile(r"[A-Za-z0-9._@-]{1,100}")


def _parse(text: str, size: int, where: str) -> tuple[str, bytes]:
    """(name, bytes) of `name:base64`."""
    name, colon, encoded = text.strip().partition(":")
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Malformed("not base64", where=where) from error
    if not colon or not NAME.fullmatch(name) or len(content) != size:
        raise Malformed(f"not a key or signature of the form name-1:base64 ({size} bytes)", where=where)
    return name, content


def _write(name: str, content: bytes) -> str:
    return f"{name}:{base64.b64encode(content).decode()}"


def signed_bytes(record: Record) -> bytes:
    """What a signature covers."""
    return CONTEXT + replace(record, signature="").canonical()


@dataclass(frozen=True)
class Signer:
    """A private key and its name."""

    name: str
    seed: bytes

    @classmethod
    def generate(cls, name: str) -> Signer:
        """A new key; Malformed for a name that a key file cannot hold."""
        if not NAME.fullmatch(name):
            raise Malformed(f"key name {name!r}: letters, digits and ._@- only")
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def load(cls, path: Path) -> Signer:
        """The key in a file of ours; Malformed when there is none."""
        content = read_file(path, 4096)
        if content is None:
            why = "no signing key of yours that only you can write; `cass cache keygen NAME-1` makes one"
            raise Malformed(why, where=str(path))
        return cls(*_parse(content.decode(errors="replace"), 32, str(path)))

    def save(self, path: Path) -> None:
        """Write the private key, readable by nobody else."""
        write_file(path, (_write(self.name, self.seed) + "\n").encode())

    @property
    def public(self) -> str:
        key = Ed25519PrivateKey.from_private_bytes(self.seed).public_key()
        return _write(self.name, key.public_bytes_raw())

    def sign(self, record: Record) -> Record:
        """The record with this key's signature in place of any other."""
        return replace(record, signature=self.seal(signed_bytes(record)))

    def seal(self, content: bytes) -> str:
        """The signature over bytes that begin with the context they are meant in."""
        return _write(self.name, Ed25519PrivateKey.from_private_bytes(self.seed).sign(content))


@dataclass(frozen=True)
class TrustSet:
    """The keys whose records are used, and the names that no longer are."""

    keys: Mapping[str, bytes]
    revoked: frozenset[str] = frozenset()

    @classmethod
    def load(cls, root: Path) -> TrustSet:
        """From the cache directory; a line that is no key is Malformed, since dropping it would hide a mistake."""
        keys = dict(_parse(line, 32, TRUSTED_FILE) for line in _lines(root / TRUSTED_FILE))
        return cls(keys, frozenset(line.partition(":")[0] for line in _lines(root / REVOKED_FILE)))

    def signer_of(self, record: Record) -> str:
        """The trusted key that signed a record; Rejected when none did."""
        return self.check(record.signature, signed_bytes(record), record.kernel)

    def check(self, signature: str, content: bytes, what: str) -> str:
        """The trusted key whose signature over `content` this is; Rejected, naming `what`, when it is none."""
        if not signature:
            raise Rejected("unsigned", kernel=what)
        try:
            name, sealed = _parse(signature, 64, "signature")
        except Malformed as error:
            raise Rejected(str(error), kernel=what) from error
        if name in self.revoked:
            raise Rejected(f"signed by {name}, which is revoked", kernel=what)
        if name not in self.keys:
            raise Rejected(f"signed by {name}, which is not trusted (`cass cache trust add`)", kernel=what)
        try:
            Ed25519PublicKey.from_public_bytes(self.keys[name]).verify(sealed, content)
        except InvalidSignature as error:
            raise Rejected(f"the signature of {name} does not match", kernel=what) from error
        return name


def _lines(path: Path) -> list[str]:
    content = read_file(path, 1 << 20) or b""
    lines = (line.split("#")[0].strip() for line in content.decode(errors="replace").splitlines())
    return [line for line in lines if line]


def add_trusted(root: Path, key: str) -> str:
    """Trust a public key; returns its name. Raises Malformed; a second key under a known name is refused."""
    name, content = _parse(key, 32, "key")
    trust = TrustSet.load(root)
    if trust.keys.get(name, content) != content:
        raise Malformed(f"another key is trusted under the name {name}; revoke it first")
    if name not in trust.keys:
        _append(root / TRUSTED_FILE, key.strip())
    return name


def revoke(root: Path, name: str) -> None:
    """Stop using what `name` signed, on this machine, from the next epoch on."""
    if name not in TrustSet.load(root).revoked:
        _append(root / REVOKED_FILE, name)


def _append(path: Path, line: str) -> None:
    write_file(path, (read_file(path, 1 << 20) or b"") + line.encode() + b"\n")
