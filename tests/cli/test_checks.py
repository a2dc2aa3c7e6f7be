from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from codeassistd.cli.checks import Check, Verdict, check_gpu, check_library, check_paths, check_watches
from codeassistd.engine.llama.probe import Device, LibraryFacts, ProbeResult
from codeassistd.paths import Paths

CPU = Device("CPU", "a processor", "cpu", 0)
GPU = Device("CUDA0", "a graphics card", "gpu", 0)


def facts(*devices: Device, gpu_offload: bool = False, n_decoded: int = 0) -> LibraryFacts:
    return LibraryFacts("0.3.36", "AVX2 = 1", gpu_offload, devices, n_decoded)


class TestLibrary:
    def test_a_library_that_computes_is_fine(self) -> None:
        """It says whether it was tried on a model or only loaded."""
        tried = check_library(ProbeResult(facts(CPU, n_decoded=8)))
        loaded = check_library(ProbeResult(facts(CPU)))

        assert Check("llama.cpp", Verdict.OK, "llama-cpp-python 0.3.36, one batch read") == tried
        assert Check("llama.cpp", Verdict.OK, "llama-cpp-python 0.3.36, loads; not tried on a model") == loaded

    def test_the_library_in_force_is_named(self) -> None:
        """It may be one that was built later than the one that was installed."""
        library = replace(facts(CPU), path="/data/llama.cpp/x/libllama.so")
        found = "llama-cpp-python 0.3.36, loads; not tried on a model, from /data/llama.cpp/x/libllama.so"

        assert Check("llama.cpp", Verdict.OK, found) == check_library(ProbeResult(library))

    def test_a_library_that_dies_is_a_failure_with_its_cause(self) -> None:
        """The probe's line has the cause and the command that helps."""
        problem = "llama.cpp was built for another processor (illegal instruction); build it for this one: ..."

        assert Check("llama.cpp", Verdict.FAIL, problem) == check_library(ProbeResult(None, problem))


class TestGpu:
    def test_a_gpu_in_use_is_named(self) -> None:
        """Asked for or not, it is there and the build can use it."""
        expected = Check("gpu", Verdict.OK, "a graphics card")

        assert expected == check_gpu(facts(CPU, GPU, gpu_offload=True), 10)

    def test_layers_asked_of_a_build_without_gpu_are_a_warning(self) -> None:
        """It works, but slower than the user thinks."""
        check = check_gpu(facts(CPU), 10)

        assert (Verdict.WARN, "10 layers are asked for, but this build uses none") == (check.verdict, check.found)
        assert "-DGGML_CUDA=on" in check.remedy

    def test_a_gpu_that_the_build_leaves_idle_is_a_warning(self) -> None:
        """The vendor's tool tells that there is one."""
        check = check_gpu(facts(CPU), -1, tool="/usr/bin/nvidia-smi")

        assert (Verdict.WARN, "there is one, but this build uses the processor only") == (check.verdict, check.found)

    def test_a_library_that_does_not_load_says_nothing_about_gpus(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its own line has failed already."""
        monkeypatch.setenv("PATH", "")

        assert Verdict.OK is check_gpu(None, -1).verdict


class TestWatches:
    def test_a_low_limit_is_a_warning_with_the_command_that_raises_it(self, tmp_path: Path) -> None:
        """Above the limit, workspaces are polled."""
        (tmp_path / "max_user_watches").write_text("8192\n", encoding="ascii")

        check = check_watches(tmp_path)

        assert (Verdict.WARN, "8192 folders") == (check.verdict, check.found)
        assert check.remedy.startswith("sysctl fs.inotify.max_user_watches=")

    def test_a_high_limit_is_fine(self, tmp_path: Path) -> None:
        """Nothing to do."""
        (tmp_path / "max_user_watches").write_text("1048576\n", encoding="ascii")

        assert Check("watch limit", Verdict.OK, "1048576 folders") == check_watches(tmp_path)

    def test_a_system_without_limit_is_fine(self, tmp_path: Path) -> None:
        """Only Linux counts watches."""
        assert Check("watch limit", Verdict.OK, "none on this system") == check_watches(tmp_path)


class TestFolders:
    def check(self, tmp_path: Path) -> Check:
        """The state folder's line."""
        paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})
        return next(check for check in check_paths(paths) if check.name == "state folder")

    def test_a_missing_folder_is_fine(self, tmp_path: Path) -> None:
        """It is made when it is needed."""
        expected = Check("state folder", Verdict.OK, f"{tmp_path}/state (made when it is needed)")

        assert expected == self.check(tmp_path)

    def test_a_private_folder_is_fine(self, tmp_path: Path) -> None:
        """The usual case."""
        (tmp_path / "state").mkdir(mode=0o700)

        assert Check("state folder", Verdict.OK, f"{tmp_path}/state") == self.check(tmp_path)

    def test_a_folder_open_to_others_is_a_warning(self, tmp_path: Path) -> None:
        """Logs and index are the owner's business."""
        (tmp_path / "state").mkdir()
        (tmp_path / "state").chmod(0o755)
        found = f"{tmp_path}/state is open to others (mode 0755)"

        assert Check("state folder", Verdict.WARN, found, f"chmod 700 {tmp_path}/state") == self.check(tmp_path)

    def test_a_disk_that_is_nearly_full_is_a_warning(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Before logs, the index and conversations begin to fail."""
        (tmp_path / "state").mkdir(mode=0o700)
        monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=3 * 2**20 + 1, folder=folder))

        found = f"{tmp_path}/state, whose disk has 3 MiB left"
        assert Check("state folder", Verdict.WARN, found, "make room there") == self.check(tmp_path)

    def test_a_file_in_place_of_a_folder_is_a_failure(self, tmp_path: Path) -> None:
        """Nothing could be written there."""
        (tmp_path / "state").write_text("", encoding="utf-8")

        found = f"{tmp_path}/state is not a folder"
        assert Check("state folder", Verdict.FAIL, found, "move it away") == self.check(tmp_path)

    def test_a_folder_that_can_never_be_made_is_a_failure(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A home that cannot be written is found before the first start fails by it."""
        monkeypatch.setattr(os, "access", lambda *_: False)
        found = f"{tmp_path}/state cannot be made: {tmp_path} cannot be written"

        assert Check("state folder", Verdict.FAIL, found, "give it to your user") == self.check(tmp_path)

    @pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_cannot_be_written_is_a_failure(self, tmp_path: Path) -> None:
        """As left behind by a run as another user."""
        (tmp_path / "state").mkdir(mode=0o500)

        assert Verdict.FAIL is self.check(tmp_path).verdict
