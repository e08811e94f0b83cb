import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import rangeio  # noqa: E402


@pytest.fixture(scope="module")
def data():
    return rangeio.content(250_007)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data):
    """A folder with `object.bin`, `empty.bin`, `small.txt`."""
    folder = tmp_path_factory.mktemp("served")
    rangeio.write(folder, "object.bin", data)
    rangeio.write(folder, "empty.bin")
    rangeio.write(folder, "small.txt", b"0123456789abcdef")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with rangeio.Serve(folder) as server:
        yield server.settle("object.bin", "empty.bin", "small.txt")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1 that signs itself, and its key: two paths."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = str(folder / "cert.pem"), str(folder / "key.pem")
    made = rangeio.Run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate])
    assert made.code == 0, made
    return certificate, key


@pytest.fixture(scope="module")
def secure(folder, certificate):
    with rangeio.Serve(folder, "--tls", certificate[0], "--tls-key", certificate[1]) as server:
        yield server
