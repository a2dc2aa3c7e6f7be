from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from codeassistd.config import Settings
from codeassistd.config_layers import load, overlay, parse_assignments, setting_fields
from codeassistd.errors import ConfigError
from codeassistd.paths import Paths


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A home of its own, without a settings file."""
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(
    paths: Paths,
    environ: Mapping[str, str] | None = None,
    workspace: Path | None = None,
    **layers: Mapping[str, object],
) -> str:
    """The one line that loading ends with."""
    with pytest.raises(ConfigError) as caught:
        load(paths, environ or {}, workspace, **layers)  # type: ignore[arg-type]
    line = str(caught.value)
    assert "\n" not in line
    return line


class TestOrder:
    def test_without_any_layer_the_defaults_hold(self, paths: Paths) -> None:
        """No file, no variable, no flag: the settings are the defaults, and say so."""
        loaded = load(paths, {})

        assert Settings() == loaded.settings
        assert {"default"} == set(loaded.origins.values())
        assert list(setting_fields()) == list(loaded.origins)

    def test_each_layer_wins_over_the_one_below(self, paths: Paths, tmp_path: Path) -> None:
        """User file < workspace file < environment < command line < editor; each value knows where it came from."""
        keys = ["max_tokens", "max_lines", "deadline_ms", "enabled", "multiline"]
        user = write(
            paths.config_file,
            "[completion]\nmax_tokens = 1\nmax_lines = 1\ndeadline_ms = 51\nenabled = false\nmultiline = 'never'\n",
        )
        workspace = write(
            tmp_path / ".codeassistd.toml",
            "[completion]\nmax_lines = 2\ndeadline_ms = 52\nenabled = false\nmultiline = 'never'\n",
        )
        environ = {
            "CODEASSISTD_COMPLETION__DEADLINE_MS": "53",
            "CODEASSISTD_COMPLETION__ENABLED": "false",
            "CODEASSISTD_COMPLETION__MULTILINE": "never",
        }
        overrides = {"completion.enabled": "true", "completion.multiline": "never"}
        editor = {"completion": {"multiline": "auto"}}

        loaded = load(paths, environ, tmp_path, overrides, editor)

        values = loaded.settings.completion.model_dump()
        assert [1, 2, 53, True, "auto"] == [values[key] for key in keys]
        assert [str(user), str(workspace), "CODEASSISTD_COMPLETION__DEADLINE_MS", "--set", "editor"] == [
            loaded.origins[f"completion.{key}"] for key in keys
        ]

    def test_a_list_from_a_text_is_split_at_commas(self, paths: Paths) -> None:
        """Variables and flags are texts, so a list in them is separated by commas."""
        loaded = load(paths, {"CODEASSISTD_COMPLETION__LANGUAGES_OFF": "markdown, plaintext,"})

        assert ("markdown", "plaintext") == loaded.settings.completion.languages_off

    def test_variables_about_the_process_are_no_settings(self, paths: Paths) -> None:
        """`CODEASSISTD_HOME` and strangers' variables are left alone."""
        environ = {"CODEASSISTD_HOME": "/somewhere", "CODEASSISTD": "x", "OTHER_COMPLETION__ENABLED": "maybe"}

        assert Settings() == load(paths, environ).settings

    def test_an_editors_null_means_not_set(self, paths: Paths) -> None:
        """VS Code sends null for a setting that the user did not touch."""
        loaded = load(paths, {}, editor={"completion": {"enabled": None, "max_lines": 3}, "context": None})

        assert (True, 3) == (loaded.settings.completion.enabled, loaded.settings.completion.max_lines)
        assert "default" == loaded.origins["completion.enabled"]

    def test_an_editor_may_use_dotted_keys(self, paths: Paths) -> None:
        """Some editors send settings flat, as their own files have them."""
        loaded = load(paths, {}, editor={"completion.enabled": False})

        assert loaded.settings.completion.enabled is False

    def test_a_byte_order_mark_is_no_part_of_a_file(self, paths: Paths) -> None:
        """Editors of Windows put one in front."""
        write(paths.config_file, "\ufeff[log]\nlevel = 'debug'\n")

        assert "debug" == load(paths, {}).settings.log.level


class TestRefusals:
    def test_broken_toml_names_file_and_line(self, paths: Paths) -> None:
        """A slip of the pen is found without counting lines."""
        write(paths.config_file, "[model]\nn_ctx = 2048\nthreads 4\n")

        assert f"{paths.config_file}, line 3: not valid TOML: Expected '=' after a key in a key/value pair" == refusal(
            paths
        )

    def test_toml_that_breaks_off_names_the_last_line(self, paths: Paths) -> None:
        """The parser tells no line at the end of the file, so the last one is named."""
        write(paths.config_file, "[model]\nname = ")

        assert refusal(paths).startswith(f"{paths.config_file}, line 2: not valid TOML: ")

    def test_a_file_of_another_encoding_is_refused(self, paths: Paths) -> None:
        """TOML is UTF-8."""
        write(paths.config_file, "").write_bytes(b"[model]\nname = '\xe9'\n")

        assert f"{paths.config_file}: not UTF-8 (byte 16); save it as UTF-8" == refusal(paths)

    @pytest.mark.parametrize("text", ["x = " + "[" * 5000, "[model]\nthreads = " + "9" * 5000])
    def test_what_the_parser_cannot_bear_is_refused(self, paths: Paths, text: str) -> None:
        """A workspace's file comes from strangers, and is no fault of the program."""
        write(paths.config_file, text)

        assert f"{paths.config_file}: nested too deeply, or a number in it has thousands of digits" == refusal(paths)

    @pytest.mark.skipif(os.name == "nt", reason="a link to a device, and a pipe with a name")
    def test_what_has_no_end_is_not_read(self, paths: Paths, tmp_path: Path) -> None:
        """A cloned repository may hold a link to a device; a daemon that reads it ends without memory."""
        file = tmp_path / ".codeassistd.toml"
        file.symlink_to("/dev/zero")
        assert f"{file}: is a device or a pipe; put a file there" == refusal(paths, workspace=tmp_path)
        file.unlink()
        os.mkfifo(file)
        assert f"{file}: is a device or a pipe; put a file there" == refusal(paths, workspace=tmp_path)

    def test_a_huge_file_is_not_read(self, paths: Paths) -> None:
        """Nobody wrote so many settings."""
        with write(paths.config_file, "").open("wb") as file:
            file.truncate(1_048_577)

        assert f"{paths.config_file}: is larger than 1 MiB; settings are a few lines" == refusal(paths)

    def test_a_folder_in_place_of_the_file_is_refused(self, paths: Paths) -> None:
        """What cannot be read is not taken for absent."""
        paths.config_file.mkdir(parents=True)

        assert f"{paths.config_file}: cannot be read: Is a directory" == refusal(paths)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("[completion]\nenabeld = true", "unknown setting completion.enabeld; did you mean completion.enabled?"),
            ("[completon]\nenabled = true", "unknown setting completon; did you mean completion?"),
            ("n_ctx = 5", "unknown setting n_ctx; did you mean model.n_ctx?"),
            ("zzz = 5", "unknown setting zzz; `codeassistd config show` lists all names"),
            ("model = 5", "model is a section of settings; name one of them, such as model.name"),
            ("[model]\nn_ctx = 12", "model.n_ctx cannot be 12; it takes: whole number from 256 to 1048576"),
            ("[model]\nn_ctx = 'many'", "model.n_ctx cannot be 'many'; it takes: whole number from 256 to 1048576"),
            ("[index]\npoll_s = nan", "index.poll_s cannot be nan; it takes: number from 0.1 to 3600"),
            ("[index]\nparse_timeout_s = 0", "index.parse_timeout_s cannot be 0; it takes: number above 0 to 60"),
            ("[completion]\nenabled = 'maybe'", "completion.enabled cannot be 'maybe'; it takes: true or false"),
            ("[completion]\nlanguages_off = 7", "completion.languages_off cannot be 7; it takes: list of texts"),
            ("[log]\nlevel = 'loud'", "log.level cannot be 'loud'; it takes: one of debug, info, warning, error"),
        ],
    )
    def test_a_wrong_key_or_value_names_the_file_and_what_is_right(
        self, paths: Paths, text: str, expected: str
    ) -> None:
        """One line: which file, which key, what it takes or which name was meant."""
        write(paths.config_file, text)

        assert f"{paths.config_file}: {expected}" == refusal(paths)

    def test_a_wrong_value_is_named_though_a_higher_layer_hides_it(self, paths: Paths, tmp_path: Path) -> None:
        """Each layer has to be right by itself, the lowest first; else the mistake shows on the day the upper goes."""
        write(tmp_path / ".codeassistd.toml", "[completion]\nmax_lines = 0\n")
        workspace = refusal(paths, {"CODEASSISTD_COMPLETION__MAX_LINES": "5"}, tmp_path)
        write(paths.config_file, "[model]\nthreads = 'many'\n")
        user = refusal(paths, {"CODEASSISTD_MODEL__THREADS": "1"})

        assert f"{paths.config_file}: model.threads cannot be 'many'; it takes: whole number from 0 to 512" == user
        assert workspace.startswith(f"{tmp_path / '.codeassistd.toml'}: completion.max_lines cannot be 0; ")

    def test_a_long_value_is_cut_in_the_message(self, paths: Paths) -> None:
        """A message stays one readable line whatever the value."""
        expected = f"--set: model.n_ctx cannot be '{'9' * 39}…; it takes: whole number from 256 to 1048576"

        assert expected == refusal(paths, overrides={"model.n_ctx": "9" * 500})

    @pytest.mark.parametrize(
        ("variable", "expected"),
        [
            ("CODEASSISTD_MODEL__N_CTX", "model.n_ctx cannot be ''; it takes: whole number from 256 to 1048576"),
            ("CODEASSISTD_MODEL__NAME", "model.name cannot be ''; it takes: text that is not empty"),
            ("CODEASSISTD_MODEL__NCTX", "unknown setting model.nctx; did you mean model.n_ctx?"),
            ("CODEASSISTD_LOG_LEVEL", "unknown variable; did you mean CODEASSISTD_LOG__LEVEL?"),
        ],
    )
    def test_a_wrong_variable_is_named(self, paths: Paths, variable: str, expected: str) -> None:
        """A setting in the environment is never ignored in silence."""
        assert f"{variable}: {expected}" == refusal(paths, {variable: ""})

    @pytest.mark.parametrize("key", ["model.name", "model.draft", "model.lora", "daemon.idle_exit_s", "log.prompts"])
    def test_a_workspace_sets_nothing_but_its_own_sections(self, paths: Paths, tmp_path: Path, key: str) -> None:
        """A cloned repository must not choose what runs, what is loaded or what is logged."""
        section, _, name = key.partition(".")
        file = write(tmp_path / ".codeassistd.toml", f"[{section}]\n{name} = 1\n")
        expected = (
            f"{file}: {key} cannot be set by a workspace, which may set chat, completion, context; "
            f"set it in {paths.config_file}"
        )

        assert expected == refusal(paths, workspace=tmp_path)

    def test_an_editor_sets_nothing_but_a_sessions_sections(self, paths: Paths) -> None:
        """An editor passes on what a workspace's own editor settings say, so it is trusted as little."""
        line = refusal(paths, editor={"model": {"name": "/tmp/evil.gguf"}})

        assert line.startswith("editor: model.name cannot be set by an editor, which may set ")


class TestOverlay:
    def test_it_changes_what_it_names_and_nothing_else(self) -> None:
        """A session's settings are the daemon's with its own on top."""
        base = Settings.model_validate({"completion": {"max_lines": 5, "max_tokens": 7}})

        changed = overlay(base, "editor", {"completion": {"max_lines": 9}})

        assert (9, 7) == (changed.completion.max_lines, changed.completion.max_tokens)
        assert 5 == base.completion.max_lines

    def test_it_names_the_layer_of_a_wrong_value(self) -> None:
        """The message says who sent it."""
        with pytest.raises(ConfigError) as caught:
            overlay(Settings(), "editor", {"completion": {"max_lines": 0}})

        assert "editor: completion.max_lines cannot be 0; it takes: whole number from 1 to 200" == str(caught.value)

    def test_it_refuses_what_a_session_must_not_set(self) -> None:
        """The model belongs to the daemon, not to one of its editors."""
        with pytest.raises(ConfigError, match=r"model\.name cannot be set by a session"):
            overlay(Settings(), "editor", {"model": {"name": "x"}})


class TestAssignments:
    def test_the_first_equals_sign_divides(self) -> None:
        """A value may hold one itself."""
        assert {"model.name": "a=b"} == parse_assignments(["model.name=a=b"])

    @pytest.mark.parametrize(
        ("assignment", "expected"),
        [
            (
                "completion.enabled",
                "--set completion.enabled: write it as key=value, for example --set completion.enabled=false",
            ),
            ("completion.enabld=1", "--set: unknown setting completion.enabld; did you mean completion.enabled?"),
        ],
    )
    def test_a_wrong_one_is_refused(self, assignment: str, expected: str) -> None:
        """A flag that sets nothing is an error, not a no-op."""
        with pytest.raises(ConfigError) as caught:
            parse_assignments([assignment])

        assert expected == str(caught.value)
