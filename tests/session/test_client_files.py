"""The files of assistants: each gets the server in its own form, and keeps everything else."""

import json
import os
import stat
import tomllib

import pytest

from knowwhy.errors import BadInput, NotFound
from knowwhy.session.client_files import (
    CLIENTS,
    client,
    entry,
    file_of,
    is_open,
    pasted,
    served,
    shared,
    write,
)
from knowwhy.text.formats.jsonc import read_jsonc

HERE = served(["/opt/kw/bin/knowwhy"], {"PIXELTABLE_HOME": "/srv/home"}, None)
THERE = shared("https://memory.example.org/mcp", "KW_TOKEN")
STARTED = {"command": "/opt/kw/bin/knowwhy", "args": ["serve"]}
ENV = {"PIXELTABLE_HOME": "/srv/home"}
LOCAL = {
    "claude-code": (("mcpServers",), {"type": "stdio", **STARTED, "env": ENV}),
    "claude-desktop": (("mcpServers",), {**STARTED, "env": ENV}),
    "cursor": (("mcpServers",), {**STARTED, "env": ENV}),
    "vscode": (("servers",), {"type": "stdio", **STARTED, "env": ENV}),
    "codex": (("mcp_servers",), {**STARTED, "env": ENV}),
    "gemini": (("mcpServers",), {**STARTED, "env": ENV}),
    "windsurf": (("mcpServers",), {**STARTED, "env": ENV}),
    "zed": (("context_servers",), {**STARTED, "env": ENV}),
    "opencode": (
        ("mcp",),
        {"type": "local", "command": ["/opt/kw/bin/knowwhy", "serve"], "environment": ENV},
    ),
}
URL = "https://memory.example.org/mcp"
REMOTE = {
    "claude-code": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${KW_TOKEN}"}},
    "cursor": {"url": URL, "headers": {"Authorization": "Bearer ${env:KW_TOKEN}"}},
    "vscode": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${env:KW_TOKEN}"}},
    "codex": {"url": URL, "bearer_token_env_var": "KW_TOKEN"},
    "gemini": {"httpUrl": URL, "headers": {"Authorization": "Bearer ${KW_TOKEN}"}},
    "windsurf": {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:KW_TOKEN}"}},
    "opencode": {
        "type": "remote", "url": URL, "headers": {"Authorization": "Bearer {env:KW_TOKEN}"},
    },
}  # fmt: skip


def read(file):
    text = file.read_text()
    return tomllib.loads(text) if file.suffix == ".toml" else read_jsonc(text)


def held(file, keys):
    found = read(file)
    for key in (*keys, "knowwhy"):
        found = found[key]
    return found


def test_every_client_has_a_form_here():
    assert set(LOCAL) == set(CLIENTS)


@pytest.mark.parametrize("name", LOCAL)
def test_a_new_file_holds_the_server_in_the_client_s_form(name, tmp_path):
    keys, expected = LOCAL[name]
    file = file_of(client(name), tmp_path / "p", tmp_path / "h", is_user=False)

    assert write(client(name), HERE, file)
    assert expected == held(file, keys)
    assert not write(client(name), HERE, file)


@pytest.mark.parametrize("name", REMOTE)
def test_a_server_elsewhere_is_called_with_a_variable_for_its_token(name, tmp_path):
    file = file_of(client(name), tmp_path / "p", tmp_path / "h", is_user=True)
    write(client(name), HERE, file)

    assert write(client(name), THERE, file)  # in place of the one that was started here
    assert REMOTE[name] == held(file, LOCAL[name][0])
    assert not write(client(name), THERE, file)


def test_a_client_without_a_way_to_it_says_so(tmp_path):
    with pytest.raises(BadInput, match="starts only local servers"):
        entry(client("claude-desktop"), THERE)
    with pytest.raises(BadInput, match="the token would have to stand in it"):
        write(client("zed"), THERE, tmp_path / "settings.json")
    assert not (tmp_path / "settings.json").exists()
    with pytest.raises(NotFound, match="there are claude-code"):
        client("emacs")


SETTINGS = """\
{
    // my servers
    "mcpServers": {
        "other": {"command": "npx", "args": ["-y", "x"]}, /* keep */
        "knowwhy": {
            "command": "old", "url": "http://gone",
            "env": {"MINE": "1"}, "disabled": true
        },
    },
    "theme": "dark", "size": 1.50,
}
"""


@pytest.mark.parametrize(
    ("around", "folder", "file"),
    [
        (0o755, 0o755, 0o644),
        (0o775, 0o775, 0o664),
        (0o700, 0o700, 0o600),
        (0o1777, 0o755, 0o644),
        (0o2750, 0o2750, 0o640),
    ],
)
def test_a_file_that_is_made_is_as_open_as_its_place(tmp_path, around, folder, file):
    project = tmp_path / "shop"
    project.mkdir()
    project.chmod(around)
    place = project / ".vscode" / "inner" / "mcp.json"
    before = os.umask(0o077)
    try:
        assert write(client("vscode"), HERE, place)
        place.chmod(0o604)
        assert write(client("vscode"), THERE, place)
        assert write(client("vscode"), HERE, place.with_name("other.json"))
    finally:
        os.umask(before)

    made = place.parent.parent, place.parent, place.with_name("other.json"), place
    modes = [stat.S_IMODE(path.stat().st_mode) for path in made]
    assert [folder, folder, file, 0o604] == modes
    assert {"mcp.json", "other.json"} == {one.name for one in place.parent.iterdir()}


def test_comments_order_and_other_settings_stay(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text(SETTINGS)
    file.chmod(0o600)

    assert write(client("cursor"), HERE, file)

    text = file.read_text()
    before, _, _ = SETTINGS.partition('"knowwhy"')
    assert text.startswith(before)
    assert text.endswith('    "theme": "dark", "size": 1.50,\n}\n')
    expected = {**STARTED, "env": {"MINE": "1", **ENV}, "disabled": True}
    assert expected == held(file, ("mcpServers",))
    assert 0o600 == file.stat().st_mode & 0o777
    assert not write(client("cursor"), HERE, file)
    assert text == file.read_text()


TOML = """\
# mine
model = "m-1"

[mcp_servers.other]  # keep
command = "npx"

[mcp_servers.knowwhy]
command = "old"
startup_timeout_sec = 30

[mcp_servers.knowwhy.env]
MINE = "1"

# about the next
[tui]
theme = "dark"
"""


def test_a_toml_file_keeps_everything_else(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(TOML)

    assert write(client("codex"), HERE, file)

    text = file.read_text()
    assert text.startswith(TOML.partition("[mcp_servers.knowwhy]")[0])
    assert text.endswith('# about the next\n[tui]\ntheme = "dark"\n')
    expected = {**STARTED, "env": {"MINE": "1", **ENV}, "startup_timeout_sec": 30}
    assert expected == held(file, ("mcp_servers",))
    assert not write(client("codex"), HERE, file)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", "{"),
        ("cursor", "[1]"),
        ("cursor", '{"mcpServers": 3}'),
        ("cursor", '{"mcpServers": {}} x'),
        ("cursor", "[" * 100_000),
        ("codex", "[mcp_servers"),
        ("codex", "mcp_servers = 3\n"),
        ("codex", 'mcp_servers = { other = { command = "x" } }\n'),
    ],
)
def test_a_file_that_cannot_be_changed_safely_stays_as_it_is(name, text, tmp_path):
    file = tmp_path / ("c.toml" if name == "codex" else "c.json")
    file.write_text(text)

    with pytest.raises(BadInput, match="stays as it is"):
        write(client(name), HERE, file)
    assert text == file.read_text()


def test_a_file_in_another_encoding_stays_as_it_is(tmp_path):
    (tmp_path / "c.json").write_bytes(b'{"a": "\xff"}')

    with pytest.raises(BadInput, match="not in UTF-8"):
        write(client("cursor"), HERE, tmp_path / "c.json")


BARE = served(["/opt/kw/bin/knowwhy"], {}, None)
ADDED = ["--profile", "all", "--user", "ada"]


def put_entry(file, keys, held):
    for key in reversed((*keys, "knowwhy")):
        held = {key: held}
    file.write_text(json.dumps(held))


@pytest.mark.parametrize("name", sorted(set(LOCAL) - {"codex"}))
def test_what_somebody_added_to_a_server_that_is_started_stays(name, tmp_path):
    file, (keys, expected) = tmp_path / "c.json", LOCAL[name]
    variables = "environment" if name == "opencode" else "env"
    words = "command" if name == "opencode" else "args"
    added = {variables: {"ANTHROPIC_API_KEY": "${KEY}"}, "timeout": 9, "cwd": "/x"}
    put_entry(file, keys, {**expected, words: [*expected[words], *ADDED], **added})
    kept = {**expected, words: [*expected[words], *ADDED], **added}

    write(client(name), BARE, file)  # the settings are the usual ones

    assert kept == held(file, keys)
    write(client(name), served(["/new"], {"KNOWWHY_EMBEDDER": "bge"}, "/r"), file)
    fresh = held(file, keys)
    told = fresh["command"] if name == "opencode" else [fresh["command"], *fresh["args"]]
    assert ["/new", "serve", "--repo", "/r", *ADDED] == told
    assert {"ANTHROPIC_API_KEY": "${KEY}", "KNOWWHY_EMBEDDER": "bge"} == fresh[variables]
    assert not write(client(name), served(["/new"], {}, "/r"), file)


@pytest.mark.parametrize(
    ("words", "repo", "expected"),
    [
        (["serve", "--repo", "/old", "--user", "ada"], "/r", ["--repo", "/r", "--user", "ada"]),
        (["serve", "--user=ada", "--repo=/old"], "/r", ["--repo", "/r", "--user=ada"]),
        (["serve", "--repo", "/mine"], None, ["--repo", "/mine"]),
        (["serve", "--http", "127.0.0.1:1", "--project", "p"], None, ["--project", "p"]),
        (["other", "--x"], None, []),
    ],
)
def test_only_words_that_contradict_what_is_asked_go(words, repo, expected, tmp_path):
    file = tmp_path / "c.json"
    put_entry(file, ("mcpServers",), {"type": "http", "command": "old", "args": words})

    write(client("cursor"), served(["/new"], {}, repo), file)

    assert {"command": "/new", "args": ["serve", *expected]} == held(file, ("mcpServers",))


@pytest.mark.parametrize("name", sorted(set(REMOTE) - {"codex"}))
def test_headers_that_somebody_added_stay_and_a_token_goes_with_its_server(name, tmp_path):
    file, keys = tmp_path / "c.json", LOCAL[name][0]
    put_entry(file, keys, {**REMOTE[name], "headers": {"authorization": "Bearer x", "X-Team": "a"}})

    assert not write(client(name), shared(URL, None), file)  # nothing is asked that contradicts it
    write(client(name), THERE, file)
    bearer = REMOTE[name]["headers"]["Authorization"]
    assert {"X-Team": "a", "Authorization": bearer} == held(file, keys)["headers"]
    write(client(name), shared("https://other.example.org/mcp", None), file)
    assert {"X-Team": "a"} == held(file, keys)["headers"]
    write(client(name), HERE, file)
    assert LOCAL[name][1] == held(file, keys)


def test_headers_in_a_toml_file_stay_and_a_token_goes_with_its_server(tmp_path):
    file = tmp_path / "config.toml"
    write(client("codex"), THERE, file)
    file.write_text(file.read_text() + '\n[mcp_servers.knowwhy.http_headers]\nX-Team = "a"\n')

    assert not write(client("codex"), THERE, file)
    assert not write(client("codex"), shared(URL, None), file)
    other = "https://other.example.org/mcp"
    write(client("codex"), shared(other, None), file)
    assert {"url": other, "http_headers": {"X-Team": "a"}} == held(file, ("mcp_servers",))


def test_opencode_2_keeps_its_own_place_of_servers(tmp_path):
    file = tmp_path / "opencode.json"
    file.write_text('{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}}')

    write(client("opencode"), HERE, file)

    assert LOCAL["opencode"][1] == held(file, ("mcp", "servers"))
    assert {"servers"} == read(file)["mcp"].keys()


def test_a_link_goes_on_to_lead_to_the_file(tmp_path):
    (tmp_path / "dotfiles.json").write_text("{}")
    (tmp_path / "mcp.json").symlink_to("dotfiles.json")

    write(client("cursor"), HERE, tmp_path / "mcp.json")

    assert (tmp_path / "mcp.json").is_symlink()
    assert STARTED["command"] == held(tmp_path / "dotfiles.json", ("mcpServers",))["command"]


@pytest.mark.parametrize(
    "url", ["", "memory", "ftp://a/b", "https://", "https://ann:pw@host/mcp", "http://[::1"]
)
def test_what_is_no_url_of_a_server_is_refused(url):
    with pytest.raises(BadInput, match="--http takes a URL"):
        shared(url, None)


def test_a_token_in_place_of_its_variable_is_refused_and_not_repeated():
    with pytest.raises(BadInput) as refused:
        shared(URL, "kw-secret-token")

    assert "kw-secret-token" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [(URL, False), ("http://10.0.0.1/mcp", True), ("http://127.0.0.1:8000/mcp", False)],
)
def test_a_token_that_others_could_read_is_noticed(url, expected):
    assert expected == is_open(shared(url, "KW_TOKEN"))


def test_the_client_s_own_commands_say_the_same():
    assert (
        "claude mcp add --env=PIXELTABLE_HOME=/srv/home --scope=user knowwhy -- "
        "/opt/kw/bin/knowwhy serve"
    ) == pasted(client("claude-code"), HERE, is_user=True)
    code = pasted(client("vscode"), THERE, is_user=False)
    assert code is not None
    assert code.startswith("code --add-mcp ")
    told = json.loads(code.removeprefix("code --add-mcp ").strip("'"))
    assert {"name": "knowwhy", **REMOTE["vscode"]} == told
    assert pasted(client("cursor"), HERE, is_user=False) is None
