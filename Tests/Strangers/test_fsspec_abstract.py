"""fsspec's abstract tests of `get`, over `rangeio serve`: what they write goes into the folder, what they read comes over HTTP."""

import os
import shutil

import pytest
from fsspec.implementations.http import HTTPFileSystem
from fsspec.tests.abstract import AbstractFixtures, AbstractGetTests

import rangeio

NOT_APPLICABLE = {
    "AbstractCopyTests": "writes", "AbstractPutTests": "writes", "AbstractPipeTests": "writes", "AbstractOpenTests": "writes"}

# These fail in the same way over Python's own http.server: fsspec takes a folder whose URL has no slash for a file.
FOLDERS = {
    "test_get_directory_to_existing_directory", "test_get_directory_to_new_directory", "test_get_glob_to_existing_directory",
    "test_get_glob_to_new_directory", "test_get_directory_recursive", "test_get_directory_without_files_with_same_name_prefix",
    *(f"test_get_glob_edge_cases[{case}]" for case in (
        "fil?1-False-None-expected0", "fil?1-True-None-expected1", "*-True-None-expected5", "*1-True-None-expected9",
        "**-True-None-expected12", "**/*1-True-None-expected17", "**/subdir0-True-None-expected22",
        "subdir[1-2]-True-None-expected26", "subdir[0-1]-True-None-expected29"))}


@pytest.fixture(autouse=True)
def _folders(request):
    if request.node.name in FOLDERS:
        pytest.skip("not applicable: fsspec's own HTTP fails so with any server")


class Served(HTTPFileSystem):
    """Reads over HTTP. Writes into the folder, which HTTP cannot."""

    def place(self, path):
        return os.path.join(self.kwargs_of_test["folder"], path.removeprefix(self.kwargs_of_test["base"] + "/"))

    def makedirs(self, path, exist_ok=False):
        os.makedirs(self.place(path), exist_ok=exist_ok)

    mkdir = makedirs

    def touch(self, path, **_):
        rangeio.write(os.path.dirname(self.place(path)), os.path.basename(path))

    def pipe(self, path, value):
        rangeio.write(os.path.dirname(self.place(path)), os.path.basename(path), value)

    def rm(self, path, recursive=False):
        shutil.rmtree(self.place(path))


class TestGet(AbstractGetTests, AbstractFixtures):
    @pytest.fixture
    def fs(self, tmp_path):
        folder = tmp_path / "served"
        folder.mkdir()
        with rangeio.Serve(folder) as server:
            fs = Served(skip_instance_cache=True)
            fs.kwargs_of_test = {"folder": str(folder), "base": server.base}
            yield fs

    @pytest.fixture
    def fs_path(self, fs):
        return fs.kwargs_of_test["base"] + "/root"

    @pytest.fixture
    def fs_join(self):
        return lambda *parts: "/".join(parts)
