"""The repository that a server works in: its project and where its paths begin."""

import subprocess

from knowwhy.mcp.workplace import Workplace


def init(folder, *options):
    subprocess.run(["git", "init", "-q", *options, str(folder)], check=True)
    return folder


def test_a_server_in_a_repository_that_git_refuses_has_no_project_until_it_is_put_right(tmp_path):
    shop = init(tmp_path / "shop")
    config = shop / ".git" / "config"
    good = config.read_text(encoding="utf-8")
    config.write_text("[core\n", encoding="utf-8")
    place = Workplace(shop)

    assert place.identity() is None
    config.write_text(good, encoding="utf-8")
    assert f"git:{shop / '.git'}" == place.identity()


def test_paths_in_a_bare_repository_begin_in_its_folder(tmp_path):
    bare = init(tmp_path / "shop.git", "--bare")

    assert bare == Workplace(bare).top
