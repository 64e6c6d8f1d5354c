"""Command lines as pages show them: whether there is such a command, with such options."""

import shlex

import click

from knowwhy.cli import cli


def exists(line: str) -> bool:
    """Tells whether a command line names a command with options that it has."""
    words = shlex.split(line)
    names = [word.rpartition("/")[2] for word in words]
    command: click.Command = cli
    for word in words[names.index("knowwhy") + 1 :]:
        if word in ("||", "&&", ">", "|"):
            break
        if word.startswith("-"):
            known = {option for p in (*command.params, *cli.params) for option in p.opts}
            if word not in known:
                return False
        elif isinstance(command, click.Group):
            found = command.get_command(click.Context(command), word)
            if found is None:
                return False
            command = found
    return command is not cli
