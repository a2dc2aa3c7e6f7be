from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue, PullProgress, ResolvedModel
from codeassistd.catalogue.manifest import Licence
from codeassistd.catalogue.progress import ignore_progress
from codeassistd.errors import ConfigError, LicenceError, ModelError, PullError, UnknownModelError
from tests.support.hub import MODEL, MODEL_SHA256, Hub, make_hub
from tests.support.loopback import Loopback

TIMEOUT_S = 30


@pytest.fixture
def hub(server: Loopback, tmp_path: Path) -> Hub:
    return make_hub(tmp_path / "home", server)


def test_a_pulled_model_is_here_whole_and_private(hub: Hub) -> None:
    """After the pull the file is in place, nobody else can read it, and nothing unfinished is left."""
    model = hub.catalogue.pull("tiny", ignore_progress)
    folder = hub.paths.models_dir / "tiny"
    manifest = hub.catalogue.manifest("tiny")
    assert ResolvedModel("tiny", folder / "model.gguf", manifest, folder / "model.q4_0.gguf") == model
    assert MODEL == model.path.read_bytes()
    assert ["lock", "model.gguf", "record.json"] == sorted(path.name for path in folder.iterdir())
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(model.path.stat().st_mode)
        assert [0o700, 0o700] == [stat.S_IMODE(path.stat().st_mode) for path in (folder, hub.paths.models_dir)]


def test_a_second_pull_asks_nobody(hub: Hub) -> None:
    """What is here and whole is not looked for again."""
    hub.catalogue.pull("tiny", ignore_progress)
    hub.server.asked.clear()
    hub.catalogue.pull("tiny", ignore_progress)
    assert [] == hub.server.asked


def test_the_first_pull_pins_the_hash(hub: Hub) -> None:
    """A file without a known hash is known afterwards, and another one under its name is refused."""
    entry = next(entry for entry in hub.catalogue.entries() if entry.name == "tiny")
    assert ("", None) == (entry.sha256, entry.path)
    hub.catalogue.pull("tiny", ignore_progress)
    entry = next(entry for entry in hub.catalogue.entries() if entry.name == "tiny")
    assert MODEL_SHA256 == entry.sha256
    hub.catalogue.remove("tiny")
    hub.publish(MODEL + b"changed")
    with pytest.raises(PullError, match=rf"your first pull had {MODEL_SHA256[:12]}….*delete .*record\.json and pull"):
        hub.catalogue.pull("tiny", ignore_progress)


def test_a_pinned_hash_is_checked_where_the_server_says_none(hub: Hub) -> None:
    """A server that hides the hash does not get a changed file past the pin."""
    hub.catalogue.pull("tiny", ignore_progress)
    hub.catalogue.remove("tiny")
    hub.publish(MODEL + b"changed", etag='"opaque"')
    with pytest.raises(PullError, match="it was thrown away, pull again"):
        hub.catalogue.pull("tiny", ignore_progress)
    assert [] == list((hub.paths.models_dir / "tiny").glob("*.gguf"))


def test_the_manifests_hash_is_checked_before_the_download(hub: Hub) -> None:
    """A file that the hub itself says is another one is not fetched."""
    hub.add_manifest(sha256="0" * 64)
    with pytest.raises(PullError, match="but the manifest says 000000000000…"):
        hub.catalogue.pull("tiny", ignore_progress)
    assert ["HEAD"] == [asked.method for asked in hub.server.asked]


def test_a_newer_manifest_makes_an_older_file_count_as_missing(hub: Hub) -> None:
    """After an update that names another file, the old one is not loaded under the new name."""
    hub.catalogue.pull("tiny", ignore_progress)
    newer = MODEL + b"newer"
    hub.add_manifest(sha256=hashlib.sha256(newer).hexdigest())
    hub.publish(newer)
    with pytest.raises(ModelError, match="codeassistd model pull tiny"):
        hub.catalogue.resolve("tiny")
    assert newer == hub.catalogue.pull("tiny", ignore_progress).path.read_bytes()


def test_a_licence_is_asked_for_once(hub: Hub) -> None:
    """Nothing is fetched before the user agrees; the agreement is remembered, for this licence only."""
    hub.add_manifest(needs_acceptance="true")
    with pytest.raises(LicenceError, match=r"Tiny Terms; read it at https://example\.org/terms.*--accept-licence"):
        hub.catalogue.pull("tiny", ignore_progress)
    assert [] == hub.server.asked
    shown: list[Licence] = []

    def agree(licence: Licence) -> bool:
        shown.append(licence)
        return True

    hub.catalogue.pull("tiny", ignore_progress, agree)
    hub.catalogue.remove("tiny")
    hub.catalogue.pull("tiny", ignore_progress)
    assert [Licence("Tiny Terms", "https://example.org/terms", needs_acceptance=True)] == shown


def test_an_unknown_name_is_answered_with_the_nearest(hub: Hub) -> None:
    """A slip of the finger costs one look."""
    with pytest.raises(UnknownModelError, match="no model is named 'startre'; did you mean starter"):
        hub.catalogue.pull("startre", ignore_progress)
    with pytest.raises(UnknownModelError, match="`codeassistd model list` shows all"):
        hub.catalogue.resolve("zzzzzz")


def test_a_model_that_was_not_pulled_says_how(hub: Hub) -> None:
    """The error is the command to type."""
    with pytest.raises(ModelError, match="tiny is not on this machine; get it with: codeassistd model pull tiny"):
        hub.catalogue.resolve("tiny")


def test_a_path_of_a_gguf_file_works_as_it_is(hub: Hub, tmp_path: Path) -> None:
    """No manifest is needed, and `use` remembers the whole path."""
    path = tmp_path / "own.gguf"
    path.write_bytes(MODEL)
    assert ResolvedModel(str(path), path, None, None) == hub.catalogue.use(os.path.relpath(path))
    assert str(path) == hub.catalogue.current()
    entry = hub.catalogue.entries()[-1]
    assert (str(path), None, path, True) == (entry.name, entry.manifest, entry.path, entry.is_current)
    path.unlink()
    assert hub.catalogue.entries()[-1].path is None


def test_the_default_is_current_until_another_is_chosen(hub: Hub) -> None:
    """Exactly one model is marked, before and after `use`."""
    assert hub.catalogue.current() is None
    assert ["starter"] == [entry.name for entry in hub.catalogue.entries() if entry.is_current]
    hub.catalogue.pull("tiny", ignore_progress)
    hub.catalogue.use("tiny")
    assert ["tiny"] == [entry.name for entry in Catalogue(hub.paths).entries() if entry.is_current]


def test_removing_frees_everything_but_what_is_remembered(hub: Hub) -> None:
    """Model, copy and unfinished downloads go; removing twice says that nothing is there."""
    model = hub.catalogue.pull("tiny", ignore_progress)
    assert model.repacked is not None
    model.repacked.write_bytes(bytes(10))
    (model.path.parent / "model.part").write_bytes(bytes(5))
    assert len(MODEL) + 15 == hub.catalogue.remove("tiny")
    assert ["lock", "record.json"] == sorted(path.name for path in model.path.parent.iterdir())
    with pytest.raises(ModelError, match="tiny is not on this machine; nothing to remove"):
        hub.catalogue.remove("tiny")


def test_a_new_pull_drops_the_copy_of_the_old_file(hub: Hub) -> None:
    """A requantised copy never outlives the file that it was made of."""
    model = hub.catalogue.pull("tiny", ignore_progress)
    assert model.repacked is not None
    model.repacked.write_bytes(b"old copy")
    model.path.unlink()
    hub.catalogue.pull("tiny", ignore_progress)
    assert not model.repacked.exists()


def test_two_pulls_at_once_fetch_once(hub: Hub) -> None:
    """The second waits for the first, says so, and finds the model there."""
    waiting, fetching = threading.Event(), threading.Event()
    told: list[str] = []

    def first(progress: PullProgress) -> None:
        if progress.done_bytes and not fetching.is_set():
            fetching.set()
            assert waiting.wait(TIMEOUT_S)

    def second(progress: PullProgress) -> None:
        told.append(progress.what)
        waiting.set()

    threads = [threading.Thread(target=hub.catalogue.pull, args=("tiny", first))]
    threads[0].start()
    assert fetching.wait(TIMEOUT_S)
    threads.append(threading.Thread(target=hub.catalogue.pull, args=("tiny", second)))
    threads[1].start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert ["waiting for another pull of tiny"] == told
    assert 1 == sum(asked.method == "GET" for asked in hub.server.asked)


def test_no_space_is_one_line_and_leaves_nothing_in_place(hub: Hub) -> None:
    """A full disk is seen before the download."""
    with pytest.raises(PullError, match="not enough space"):
        hub.with_space(1000).pull("tiny", ignore_progress)
    with pytest.raises(ModelError, match="model pull tiny"):
        hub.catalogue.resolve("tiny")


def test_the_users_manifest_may_name_a_file(hub: Hub, tmp_path: Path) -> None:
    """A local source needs no pull, and `remove` never deletes it."""
    own = tmp_path / "own.gguf"
    own.write_bytes(MODEL)
    hub.add_manifest(
        content=f"""
        name = "tiny"
        title = "Own"
        context_length = 512
        source = {{ kind = "local", path = '{own}' }}
        licence = {{ name = "MIT", url = "https://example.org" }}
        profile = {{ order = "prefix" }}
        """
    )
    assert own == hub.catalogue.pull("tiny", ignore_progress).path
    with pytest.raises(ModelError):
        hub.catalogue.remove("tiny")
    assert own.exists()
    own.unlink()
    with pytest.raises(ModelError, match=r"is not at .*; correct its manifest"):
        hub.catalogue.resolve("tiny")


def test_a_broken_manifest_of_the_user_is_named(hub: Hub) -> None:
    """The file and the key stand in the one line."""
    hub.add_manifest(content='name = "tiny"')
    with pytest.raises(ConfigError, match=r"tiny\.toml: title is missing"):
        hub.catalogue.entries()


def test_damaged_notes_are_one_line(hub: Hub) -> None:
    """Files of ours that something overwrote are named, with the way out."""
    hub.paths.data_dir.mkdir(parents=True)
    hub.paths.current_model_file.write_text("[]", encoding="utf-8")
    with pytest.raises(ModelError, match=r"current-model\.json cannot be read .* codeassistd model use NAME"):
        hub.catalogue.current()
    hub.paths.current_model_file.unlink()
    hub.catalogue.pull("tiny", ignore_progress)
    (hub.paths.models_dir / "tiny" / "record.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"record\.json cannot be read .*delete it and pull"):
        hub.catalogue.resolve("tiny")
