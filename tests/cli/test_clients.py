"""Connecting assistants, with the files that they read."""

import json
import shlex
import subprocess
import tomllib

import pytest

from knowwhy.session.client_files import CLIENTS
from knowwhy.text.formats.jsonc import read_jsonc

URL = "https://memory.acme.org/mcp"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path


@pytest.fixture
def run(place, capsys):
    from knowwhy.cli import run

    def call(*arguments):
        code = run([*map(str, arguments)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


def held(file):
    text = file.read_text()
    return tomllib.loads(text) if file.suffix == ".toml" else read_jsonc(text)


def file_in(place, name):
    client = CLIENTS[name]
    return place / "shop" / client.project[0] if client.project else place / "home" / client.user[0]


def entry(place, name):
    found = held(file_in(place, name))
    for key in (*CLIENTS[name].keys, "knowwhy"):
        found = found[key]
    return found


def test_the_clients_are_listed_with_their_files(run):
    code, out, _ = run("connect")

    assert 0 == code
    assert set(CLIENTS) == {line.split()[0] for line in out.splitlines()}
    assert ".cursor/mcp.json" in out


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_gets_a_server_of_its_own_twice_the_same(run, place, name):
    code, out, _ = run("connect", name, "--write")
    first = file_in(place, name).read_text()

    assert (0, True) == (code, str(file_in(place, name)) in out)
    told = entry(place, name)
    words = (
        told["command"] if isinstance(told["command"], list) else [told["command"], *told["args"]]
    )
    assert words[0].startswith("/")
    assert "serve" in words
    env = told.get("env") or told["environment"]
    assert "wordhash" == env["KNOWWHY_EMBEDDER"]
    assert "nothing to change" in run("connect", name, "--write")[1]
    assert first == file_in(place, name).read_text()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-code", {"type": "http", "url": URL,
                         "headers": {"Authorization": "Bearer ${TOKEN}"}}),
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer ${env:TOKEN}"}}),
        ("vscode", {"type": "http", "url": URL,
                    "headers": {"Authorization": "Bearer ${env:TOKEN}"}}),
        ("codex", {"url": URL, "bearer_token_env_var": "TOKEN"}),
        ("gemini", {"httpUrl": URL, "headers": {"Authorization": "Bearer ${TOKEN}"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:TOKEN}"}}),
        ("opencode", {"type": "remote", "url": URL,
                      "headers": {"Authorization": "Bearer {env:TOKEN}"}}),
    ],
)  # fmt: skip
def test_a_shared_server_takes_the_place_of_an_own_one(run, place, name, expected):
    run("connect", name, "--write")

    assert 0 == run("connect", name, "--http", URL, "--token-env", "TOKEN", "--write")[0]
    assert expected == entry(place, name)


def test_a_client_that_reads_no_variables_is_not_given_a_token(run, place):
    code, _, err = run("connect", "zed", "--http", URL, "--token-env", "TOKEN", "--write")
    assert (1, True) == (code, "reads no variables" in err)
    assert 0 == run("connect", "zed", "--http", URL, "--write")[0]
    assert {"url": URL} == entry(place, "zed")

    code, _, err = run("connect", "claude-desktop", "--http", URL)
    assert (1, True) == (code, "only local servers" in err)


def test_everything_else_in_a_file_stays(run, place):
    file = place / "shop" / ".vscode" / "mcp.json"
    file.parent.mkdir()
    text = '{\n\t// ours\n\t"inputs": [],\n\t"servers": {\n\t\t"a": {"url": "x"},\n\t},\n}\n'
    file.write_text(text)
    file.chmod(0o600)

    run("connect", "vscode", "--write")

    assert {"a", "knowwhy"} == held(file)["servers"].keys()
    assert (
        '\t// ours\n\t"inputs": [],\n\t"servers": {\n\t\t"a": {"url": "x"},\n' in file.read_text()
    )
    assert 0o600 == file.stat().st_mode & 0o777


def test_what_somebody_added_to_our_entry_stays(run, place):
    file = place / "shop" / ".mcp.json"
    ours = {"type": "http", "url": "old", "timeout": 9, "env": {"MINE": "1"}}
    file.write_text(json.dumps({"mcpServers": {"knowwhy": ours}}))

    run("connect", "claude-code", "--write")

    told = entry(place, "claude-code")
    assert ("stdio", 9, "1") == (told["type"], told["timeout"], told["env"]["MINE"])
    assert "url" not in told


@pytest.mark.parametrize("name", ["windsurf", "claude-desktop", "zed"])
def test_a_client_that_starts_servers_elsewhere_is_told_the_repository(run, place, name):
    _, _, err = run("connect", name, "--write")
    assert ["serve"] == entry(place, name)["args"]
    assert "name one with --repo" in err

    subprocess.run(["git", "init", "-q"], cwd=place / "shop", check=True)
    _, _, err = run("connect", name, "--write")
    assert ["serve", "--repo", str(place / "shop")] == entry(place, name)["args"]
    assert f"will work in {place / 'shop'} only" in err

    (place / "other").mkdir()
    run("connect", name, "--write", "--repo", place / "other")
    assert ["serve", "--repo", str(place / "other")] == entry(place, name)["args"]


def test_only_clients_that_do_not_start_in_the_project_get_a_note(run):
    assert "--repo" in run("connect", "cursor", "--global")[2]
    assert "" == run("connect", "claude-code", "--global")[2]
    assert "" == run("connect", "cursor")[2]


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}', '{"mcpServers": 1} x'])
def test_a_file_that_cannot_be_read_is_left_alone(run, place, text):
    file = place / "shop" / ".mcp.json"
    file.write_text(text)

    code, _, err = run("connect", "claude-code", "--write")

    assert (1, text) == (code, file.read_text())
    assert "stays as it is" in err


def test_without_write_nothing_is_written_and_the_entry_is_shown(run, place):
    for name in CLIENTS:
        code, out, _ = run("connect", name)

        assert (0, True) == (code, '"knowwhy"' in out or "[mcp_servers.knowwhy]" in out)
        assert not file_in(place, name).exists()


def test_the_command_to_paste_is_one_that_a_shell_reads(run):
    _, out, _ = run("connect", "claude-code", "--http", URL, "--token-env", "TOKEN")
    words = shlex.split(out.splitlines()[1])

    assert ["claude", "mcp", "add"] == words[:3]
    assert "--header=Authorization: Bearer ${TOKEN}" in words
    assert [*words[-2:]] == ["knowwhy", URL]
    _, out, _ = run("connect", "vscode")
    assert "stdio" == json.loads(shlex.split(out.splitlines()[1])[-1])["type"]


def test_a_client_for_all_projects_has_its_file_in_the_home(run, place):
    assert 0 == run("connect", "cursor", "--global", "--write")[0]

    args = held(place / "home" / ".cursor" / "mcp.json")["mcpServers"]["knowwhy"]["args"]
    assert "--repo" not in args


def test_a_database_with_a_password_is_left_out(run, place, monkeypatch):
    address = "postgresql+psycopg://me:hunter2secret@db/x"
    monkeypatch.setenv("PIXELTABLE_DB_CONNECT_STR", address)

    _, _, err = run("connect", "claude-code", "--write")

    assert "PIXELTABLE_DB_CONNECT_STR may hold a password" in err
    assert "hunter2secret" not in (place / "shop" / ".mcp.json").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("nobody",),
        ("cursor", "--http", "ftp://x/y"),
        ("cursor", "--http", "https://a:b@x/y"),
        ("cursor", "--http", "http://[x"),
        ("cursor", "--http", URL, "--token-env", "sk-the token itself"),
        ("cursor", "--token-env", "TOKEN"),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(run, arguments):
    code, out, err = run("connect", *arguments)

    assert (1, "") == (code, out)
    assert err.startswith("knowwhy: ")


def test_an_open_connection_is_pointed_out(run):
    assert "https" in run("connect", "cursor", "--http", "http://h/mcp", "--token-env", "T")[2]
    local = ("--http", "http://127.0.0.1:8/mcp", "--token-env", "T")
    assert "" == run("connect", "cursor", *local)[2]
