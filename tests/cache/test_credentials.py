"""Servers that want TLS and a password: real ones, with a certificate authority of our own."""

from __future__ import annotations

import datetime
import ipaddress
import os
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cass_shim.cache.places import open_store
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.tiers import Guarded
from tests.cache.servers import NGINX, free_port, program, running
from tests.cache.test_local import KEY, make_entry

PASSWORD = "p%40ss%2Fw"  # p@ss/w as a URL has it
DAY = datetime.timedelta(days=1)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(certificate, key) of 127.0.0.1, its own authority."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "cass test")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - DAY, now + DAY)
    signed = (
        builder.add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(*form))
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture(scope="module")
def redis_tls(certificate: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    pytest.importorskip("redis", reason="the Python package redis is not installed (extra `team`)")
    command, port, folder = program("redis-server", "redis-server"), free_port(), tmp_path_factory.mktemp("redis")
    listen = ["--port", "0", "--tls-port", str(port), "--tls-auth-clients", "no", "--bind", "127.0.0.1", "--save", ""]
    files = ["--tls-cert-file", str(certificate[0]), "--tls-key-file", str(certificate[1])]
    with running([command, *listen, *files, "--requirepass", "p@ss/w", "--dir", str(folder)], port, folder):
        yield port


@pytest.fixture(scope="module")
def nginx_tls(certificate: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    command, port, folder = program("nginx", "nginx-light"), free_port(), tmp_path_factory.mktemp("nginx")
    (folder / "store").mkdir()
    (folder / "passwords").write_text("ci:{PLAIN}p@ss/w\n")
    text = NGINX.format(user="", port=f"{port} ssl", root=folder / "store").replace(
        "location / {", f"ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};\n"
        f"    location / {{ auth_basic cass; auth_basic_user_file {folder}/passwords;",
    )  # fmt: skip
    (folder / "nginx.conf").write_text(
        text.replace("daemon off;", "daemon off; user root;") if os.geteuid() == 0 else text
    )
    with running([command, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], port, folder):
        yield port


@pytest.fixture(params=["redis_tls", "nginx_tls"])
def url(request: pytest.FixtureRequest) -> str:
    """Of a TLS server that wants a password; `USER` is to be replaced by the name and the password."""
    scheme = {"redis_tls": "rediss", "nginx_tls": "https"}[request.param]
    return f"{scheme}://USER@127.0.0.1:{request.getfixturevalue(request.param)}"


def right_user(url: str) -> str:
    return f":{PASSWORD}" if url.startswith("rediss") else f"ci:{PASSWORD}"


def test_tls_and_a_password(url: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    tier = RemoteTier(open_store(url.replace("USER", right_user(url)), 10))
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),)


def test_a_server_whose_certificate_nobody_vouches_for_is_not_talked_to(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    store = open_store(url.replace("USER", right_user(url)), 10)
    with pytest.raises(OSError, match=r"(?i)certificate"):
        store.read_head(KEY.hex(), 100)
    assert ssl.create_default_context().verify_mode is ssl.CERT_REQUIRED


def test_a_wrong_password_is_a_miss_that_keeps_the_secret(
    url: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    tier = Guarded(RemoteTier(open_store(url.replace("USER", "ci:hunter2"), 10)), "team")
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    assert tier.failures == 2
    assert "hunter2" not in caplog.text
