"""Has fsspec's own tests of HTTP and of caches read from `rangeio serve`: a pytest plugin that puts it in the place of their server.

Their server has pages with links. The folder has the files that these pages name, and the list of them is that of `rangeio serve`.
Their tests ask it by request headers to do odd things. `rangeio serve` does none of that: it tells length, type, tag and ranges.
"""

import contextlib
import os
import re
import tempfile

import fsspec.conftest
import fsspec.implementations.ftp
import fsspec.tests.conftest as theirs
import pytest
from fsspec.implementations.http import HTTPFileSystem
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from fsspec.utils import infer_storage_options

import rangeio

NOT_APPLICABLE = {
    "test_list_invalid_args": "asks no server",
    "test_docstring": "asks no server",
    "test_close": "asks no server",
    "test_random_access[headers0]": "wants a server that tells no length, so that seeking fails",
    "test_no_range_support": "wants a server that ignores ranges",
    "test_content_encoding_gzip": "wants a coded body where no coding was asked for",
    "test_info": "wants a tag of their server, and a redirection that a request header asks for",
    "test_put_file": "writes",
    "test_encoded": "wants an answer that repeats the path",
} if os.environ.get("NOT_APPLICABLE") == "fsspec_http" else {}

# Their page /index does not name this file, which is there.
_UNLISTED = {"test_multi_download", "test_mcat", "test_mcat_cache"}


@contextlib.contextmanager
def _serve():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("index/realfile", "simple/file", "simple/dir/file"):
            rangeio.write(folder, name, theirs.data)
        for name in re.findall(rb'HREF="/(data/20020401/[^"]+)"', theirs.listing):
            rangeio.write(folder, name.decode(), theirs.data)
        _serve.folder = folder
        with rangeio.Serve(folder) as server:
            yield server.base


theirs.serve = _serve


@pytest.fixture(autouse=True)
def _unlisted(request):
    if request.node.originalname not in _UNLISTED:
        yield
        return
    request.getfixturevalue("server")
    path = rangeio.write(_serve.folder, "index/otherfile", theirs.data)
    yield
    os.remove(path)


class _File(AbstractBufferedFile):
    def _fetch_range(self, start, end):
        return self.fs.http.cat_file(self.fs.base + self.path, start, end)


class _Served(AbstractFileSystem):
    """In the place of their FTP, for tests of caches: writes into the folder, reads by ranges over HTTP."""

    root_marker = "/"
    protocol = "ftp"

    def __init__(self, host, port, username=None, password=None, **more):
        super().__init__(**more)
        self.base, self.folder = f"http://{host}:{port}", password
        self.http = HTTPFileSystem(skip_instance_cache=True)

    @classmethod
    def _strip_protocol(cls, path):
        return "/" + infer_storage_options(path)["path"].strip("/")

    def info(self, path, **_):
        found = self.http.info(self.base + self._strip_protocol(path))
        return {**found, "name": self._strip_protocol(path)}

    def ls(self, path, detail=True, **_):
        names = [name.removeprefix(self.base) for name in self.http.ls(self.base + path.rstrip("/") + "/", detail=False)]
        return [self.info(name) for name in names] if detail else names

    def _open(self, path, mode="rb", **more):
        if mode == "wb":
            return open(self.folder + path, "wb")
        return _File(self, path, mode, **more)


fsspec.implementations.ftp.FTPFileSystem = _Served


@pytest.fixture
def ftp_writable(tmp_path):
    with rangeio.Serve(tmp_path) as server:
        host, _, port = server.base.removeprefix("http://").partition(":")
        yield host, int(port), "user", str(tmp_path)
    _Served.clear_instance_cache()


fsspec.conftest.ftp_writable = ftp_writable
