"""Servers that want TLS, a password or a client's certificate: real ones, with an authority of our own."""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cass_shim.cache.places import open_store
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.tiers import Guarded
from cass_shim.model.config import BadSetting
from tests.cache.servers import program, skipping
from tests.cache.test_local import KEY, make_entry
from tools.team_servers import AWS, BUCKET, free_port, need, nginx_with, running

PASSWORD = "p%40ss%2Fw"  # p@ss/w as a URL has it
AUTHORITY = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Files:
    """PEM files: an authority, a certificate of 127.0.0.1 that it signed, its key, and certificate with key."""

    authority: Path
    certificate: Path
    key: Path
    both: Path


def issue(name: str, key: ec.EllipticCurvePrivateKey, issuer: str, issuer_key: ec.EllipticCurvePrivateKey) -> bytes:
    """A certificate in PEM; its own issuer is an authority. As RFC 5280 wants it, which Python 3.13 and later check."""
    subject, by = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (name, issuer))
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(by, subject, key.public_key(), x509.random_serial_number(), now - DAY, now + DAY)
    builder = builder.add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    above = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    builder = builder.add_extension(above, critical=False)
    if name == issuer:
        builder = builder.add_extension(AUTHORITY, critical=True)
    else:
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        builder = builder.add_extension(address, critical=False)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("tls")
    made = Files(*(folder / f"{name}.pem" for name in ("authority", "certificate", "key", "both")))
    above, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    made.authority.write_bytes(issue("authority", above, "authority", above))
    made.certificate.write_bytes(issue("server", own, "authority", above))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    made.key.write_bytes(own.private_bytes(*form))
    made.both.write_bytes(made.certificate.read_bytes() + made.key.read_bytes())
    return made


@contextmanager
def redis(files: Files, folder: Path, clients: str, *options: str) -> Iterator[int]:
    """The port of a Redis with TLS; clients: whether it wants their certificates."""
    with skipping():
        need("redis", "team")
    command, port = program("redis-server", "redis-server"), free_port()
    listen = ["--port", "0", "--tls-port", str(port), "--tls-auth-clients", clients, "--bind", "127.0.0.1"]
    own = ["--tls-cert-file", str(files.certificate), "--tls-key-file", str(files.key)]
    with running([command, *listen, *own, "--save", "", "--dir", str(folder), *options], ("127.0.0.1", port), folder):
        yield port


@pytest.fixture(scope="module")
def redis_tls(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with redis(files, tmp_path_factory.mktemp("redis"), "no", "--requirepass", "p@ss/w") as port:
        yield port


PASSWORDS = "auth_basic cass; auth_basic_user_file passwords;"


@contextmanager
def nginx(files: Files, folder: Path, server: str, location: str) -> Iterator[int]:
    """The port of an nginx with TLS and more directives for the server and for its only location."""
    (folder / "passwords").write_text("ci:{PLAIN}p@ss/w\n")
    own = f"ssl_certificate {files.certificate}; ssl_certificate_key {files.key};"
    program("nginx", "nginx-light")
    with nginx_with(folder, "127.0.0.1", "ssl", own + server, location) as port:
        yield port


@pytest.fixture(scope="module")
def nginx_tls(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with nginx(files, tmp_path_factory.mktemp("nginx"), "", PASSWORDS) as port:
        yield port


@pytest.fixture(params=["redis_tls", "nginx_tls"])
def url(request: pytest.FixtureRequest) -> str:
    """Of a TLS server that wants a password; `USER` is to be replaced by the name and the password."""
    scheme = {"redis_tls": "rediss", "nginx_tls": "https"}[request.param]
    return f"{scheme}://USER@127.0.0.1:{request.getfixturevalue(request.param)}"


def right_user(url: str) -> str:
    return f":{PASSWORD}" if url.startswith("rediss") else f"ci:{PASSWORD}"


def test_tls_and_a_password(url: str, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(files.authority))
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
    url: str, files: Files, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(files.authority))
    tier = Guarded(RemoteTier(open_store(url.replace("USER", "ci:hunter2"), 10)), "team")
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    assert tier.failures == 2
    assert "hunter2" not in caplog.text


# ---- a client's certificate ---------------------------------------------------------------------------------


@pytest.fixture(params=["https", "rediss"])
def mutual(
    request: pytest.FixtureRequest, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of a server that talks to those only who show a certificate of its authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(files.authority))
    if request.param == "https":
        wanted = f"ssl_client_certificate {files.authority}; ssl_verify_client on;"
        with nginx(files, tmp_path, wanted, "") as port:
            yield f"https://127.0.0.1:{port}"
    else:
        with redis(files, tmp_path, "yes", "--tls-ca-cert-file", str(files.authority)) as port:
            yield f"rediss://127.0.0.1:{port}"


def test_a_client_s_certificate_is_shown(mutual: str, files: Files) -> None:
    tier = RemoteTier(open_store(f"{mutual}?cert={files.both}", 10))
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),)
    without = Guarded(RemoteTier(open_store(mutual, 10)), "team")
    assert without.get(KEY) == ()
    assert without.failures == 1


@pytest.mark.parametrize("file", ["certificate.pem", "nothing.pem", "../relative.pem"])
def test_a_certificate_that_is_none_says_so(files: Files, file: str) -> None:
    path = file if file.startswith("..") else files.key.with_name(file)
    for scheme in ("https", "rediss"):
        with pytest.raises(BadSetting, match="`cert` to name a PEM file"):
            open_store(f"{scheme}://127.0.0.1?cert={path}", 1)


def test_options_that_a_place_does_not_know_are_refused() -> None:
    for place in ("http://h?cert=/x", "https://h?key=/x", "redis://h?cert=/x", "https://h?cert"):
        with pytest.raises(BadSetting, match="CASS_REMOTES"):
            open_store(place, 1)


# ---- S3 -----------------------------------------------------------------------------------------------------


def test_a_bucket_behind_tls(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """moto's server with a certificate that only SSL_CERT_FILE vouches for."""
    with skipping():
        need("moto", "dev")
        need("obstore", "team")
    port = free_port()
    for name, value in AWS.items():
        monkeypatch.setenv(name, value)
    own = ["-c", str(files.certificate), "-k", str(files.key)]
    with running(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port), *own], ("127.0.0.1", port), tmp_path
    ):
        context = ssl.create_default_context(cafile=str(files.authority))
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
        connection.request("PUT", f"/{BUCKET}", headers={"Content-Length": "0"})
        assert connection.getresponse().status == 200
        place = f"s3://{BUCKET}?endpoint=https://127.0.0.1:{port}"
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        with pytest.raises(OSError, match="bucket"):
            open_store(place, 10).read_head(KEY.hex(), 100)
        monkeypatch.setenv("SSL_CERT_FILE", str(files.authority))
        tier = RemoteTier(open_store(place, 10))
        tier.put(KEY, make_entry())
        assert tier.get(KEY) == (make_entry(),)
