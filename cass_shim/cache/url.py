"""What the URLs of places have in common: options behind `?`, and TLS with a certificate of the client's own.

In: a URL of CASS_REMOTES. Out: options by name, a TLS context; BadSetting for what is not one.
"""

from __future__ import annotations

import ssl
import urllib.parse
from collections.abc import Collection
from pathlib import Path

from cass_shim.cache.remote import without_secrets
from cass_shim.model.config import BadSetting


def url_options(url: str, known: Collection[str], expected: str) -> dict[str, str]:
    """The options of a URL, the last of each name; BadSetting for one that is not known."""
    query = urllib.parse.urlsplit(url).query
    try:
        found = urllib.parse.parse_qs(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise BadSetting("CASS_REMOTES", without_secrets(url), expected) from error
    if not set(found) <= set(known):
        raise BadSetting("CASS_REMOTES", without_secrets(url), expected)
    return {name: values[-1] for name, values in found.items()}


def client_certificate(path: str, url: str) -> str:
    """The PEM file of `?cert=FILE`, or "" for none; BadSetting when it is no certificate with its private key."""
    if path:
        try:
            if not Path(path).is_absolute():
                raise OSError("not an absolute path")
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(path)
        except OSError as error:  # ssl.SSLError is one
            expected = f"`cert` to name a PEM file with a certificate and its private key ({error.strerror or error})"
            raise BadSetting("CASS_REMOTES", without_secrets(url), expected) from error
    return path


def client_context(certificate: str) -> ssl.SSLContext:
    """TLS that checks the server's certificate (SSL_CERT_FILE names other authorities) and shows ours."""
    context = ssl.create_default_context()
    if certificate:
        context.load_cert_chain(certificate)
    return context
