"""The command line: reads arguments, calls one function, prints what it gave."""

import gc
import io
import os
import shutil
import sys
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import ClassVar

import click

from knowwhy import __version__
from knowwhy.cli.opening import notice_ctrl_c, stopped
from knowwhy.errors import BadInput, Error
from knowwhy.text.characters import is_unicode

COLLECTED_AFTER = 100_000  # new objects; at Python's 700 a tenth of a start is spent on looking

LONGEST_SHOWN = 60  # characters of a command line that are said again
NEAR = 0.7  # of two options, by difflib: less is another word
NARROW = 52  # columns, below which click writes its help for a wider terminal
NARROWEST = 20  # columns that a help needs


class Help(click.HelpFormatter):
    """Writes a help in the columns that there are."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        columns = shutil.get_terminal_size().columns
        if width is None and columns < NARROW:
            width = max(columns - 1, NARROWEST)
        super().__init__(indent_increment, width, max_width)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Writes names and what they are, where there is little room below each other."""
        super().write_dl(list(rows), min(col_max, self.width * 2 // 5), col_spacing)


click.Context.formatter_class = Help


class Lazy(click.Group):
    """Loads a command's module only when the command is called, so that --help stays instant."""

    HOMES: ClassVar = {
        "init": "care",
        "status": "care",
        "doctor": "care",
        "reembed": "reembedding",
        "stop": "care",
        "serve": "serve",
        "token": "token",
        "sync": "sync",
        "ingest": "take",
        "export": "take",
        "import": "take",
        "backup": "keep",
        "restore": "keep",
        "search": "ask",
        "recall": "ask",
        "context": "context",
        "show": "ask",
        "list": "ask",
        "recalls": "recalls",
        "graph": "graph",
        "history": "history",
        "say": "say",
        "extract": "extract",
        "remember": "memory",
        "memories": "kept",
        "update": "memory",
        "retract": "memory",
        "review": "reviewing",
        "provenance": "kept",
        "checkpoint": "checkpoint",
        "task": "at_hand",
        "commits": "at_hand",
        "agents": "registering",
        "pools": "pooling",
        "handoffs": "handing",
        "audit": "auditing",
        "connect": "clients",
        "hook": "hook",
        "nightly": "by_night",
        "health": "health",
        "docs": "manual",
    }
    GROUPS: ClassVar = {
        "Begin": {
            "init": "Make the home and prepare the models.",
            "status": "Tell what the home holds and what is next.",
            "docs": "Read a page of the manual.",
        },
        "Take in": {
            "sync": "Take in what a repository holds.",
            "ingest": "Take in files of one kind, or chats.",
            "hook": "Let git sync after each commit and merge.",
            "say": "Take in one message of a conversation.",
            "extract": "Learn from what was said in conversations.",
        },
        "Ask": {
            "search": "Ask a question; answers name their sources.",
            "recall": "Ask only what was told or said.",
            "context": "Pack what answers a question for a model.",
            "show": "Show one record with its links.",
            "list": "List the records.",
            "graph": "Show what points to a record, and back.",
            "commits": "Find commits by words, or by an id.",
            "history": "Show what was said, newest first.",
        },
        "Remember": {
            "remember": "Tell the memory something.",
            "memories": "List the memories that you may see.",
            "update": "Say a memory anew; the old one is kept.",
            "retract": "Take a memory back; nothing is deleted.",
            "review": "Judge the claims that wait.",
            "provenance": "Show where a memory comes from.",
            "checkpoint": "Keep the state of your memories; go back.",
            "task": "Say what you work on, and see it again.",
        },
        "Look after": {
            "nightly": "Keep the memories true; undo a run.",
            "doctor": "Check everything; say what mends it.",
            "health": "Measure the vector search; mend its index.",
            "reembed": "Change the model that makes the vectors.",
            "recalls": "List what was asked last and what it gave.",
            "stop": "End the home's database.",
        },
        "Keep": {
            "backup": "Keep the whole home in one file.",
            "restore": "Put a backup into a home without database.",
            "export": "Write every record as JSON lines.",
            "import": "Take in what `export --all` wrote.",
        },
        "Connect and share": {
            "connect": "Connect an assistant.",
            "serve": "Serve the memory to assistants over MCP.",
            "token": "Let users in who call over HTTP.",
            "agents": "Register agents; see what each may do.",
            "pools": "Let agents lend each other memories.",
            "handoffs": "Hand a task from agent to agent.",
            "audit": "Show what your agents did, and prove it.",
        },
    }
    HELP: ClassVar = {name: text for group in GROUPS.values() for name, text in group.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names the commands in the order a newcomer needs them."""
        return list(self.HELP)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the module of a command and gives the command."""
        if cmd_name not in self.HOMES:
            return None
        module = __import__(f"knowwhy.cli.{self.HOMES[cmd_name]}", fromlist=[cmd_name])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands by what they are for, without importing them."""
        widest = max(map(len, self.HELP))
        for group, commands in self.GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:<{widest}}", said) for name, said in commands.items()])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="knowwhy")
@click.option("-v", "--verbose", is_flag=True, help="Log what is done, to stderr.")
def cli(verbose: bool) -> None:
    """Remember why: a technical memory that answers with where each fact came from."""
    from knowwhy import log

    log.set_up(verbose=verbose)


def run(arguments: list[str]) -> int:
    """Runs a command line and gives its exit code."""
    try:
        for argument in arguments:
            check_argument(argument)
        return int(cli.main(arguments, prog_name="knowwhy", standalone_mode=False) or 0)
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        _with_near(error).show(shown)
        click.echo(without_secrets(shown.getvalue(), arguments), nl=False, err=True)
        if said := advice(error, arguments):
            click.echo(said, err=True)
        return error.exit_code
    except Error as error:
        from knowwhy.cli.looks import say

        lead = "knowwhy: "
        for line in str(error).split("\n"):
            say(line, lead, " " * len("knowwhy: "), err=True)
            lead = ""
        return 1
    except (KeyboardInterrupt, click.Abort):
        return stopped()


def advice(error: click.ClickException, arguments: list[str]) -> str:
    """Says what may have been meant, where the words that click has for it are none of ours."""
    ctx = getattr(error, "ctx", None)
    if ctx is None:
        return ""
    if isinstance(error, click.NoSuchOption | click.BadOptionUsage):
        takes_words = any(p.nargs == -1 for p in ctx.command.params)
        return "Words that begin with - stand behind `--`." if takes_words else ""
    if getattr(error, "possibilities", None):
        return ""
    if not isinstance(error, click.UsageError) or not isinstance(ctx.command, Lazy):
        return ""
    word = next((one for one in arguments if one in error.message), "")
    if word in Lazy.HELP or "command" not in error.message:
        return ""
    from knowwhy.text.nearest import nearest

    said = [name for name, told in Lazy.HELP.items() if word.casefold() in _words_of(told)]
    if said := list(dict.fromkeys([*said, *nearest(word, Lazy.HELP)])):
        return f"Did you mean {' or '.join(map(repr, said[:3]))}?"
    from knowwhy.text.secrets.redact import redact

    return f"To ask: knowwhy search {redact(' '.join(arguments))[:LONGEST_SHOWN]}"


def without_secrets(message: str, arguments: list[str]) -> str:
    """Gives a message of click, which says again what was typed, without its secrets."""
    from knowwhy.text.secrets.redact import redact

    for typed in sorted(arguments, key=len, reverse=True):
        if typed in message and (safe := redact(typed)) != typed:
            message = message.replace(typed, safe)
    return redact(message)


def _with_near(error: click.ClickException) -> click.ClickException:
    """Gives an error that suggests such options only as are really near."""
    if not isinstance(error, click.NoSuchOption):
        return error
    near = [name for name in error.possibilities or () if _is_near(error.option_name, name)]
    return click.NoSuchOption(error.option_name, possibilities=near or None, ctx=error.ctx)


def _is_near(typed: str, option: str) -> bool:
    """Tells whether an option may have been meant: the dashes, which all have, count nothing."""
    written, meant = typed.lstrip("-").casefold(), option.lstrip("-")
    if not written or meant.startswith(written) or written.startswith(meant):
        return bool(written)
    return SequenceMatcher(None, written, meant, autojunk=False).ratio() >= NEAR


def _words_of(text: str) -> list[str]:
    return [word.strip(".,;`").casefold() for word in text.split()]


def check_argument(argument: str) -> None:
    """Refuses an argument that is empty or cannot be written in UTF-8."""
    if not argument:
        raise BadInput("An argument is empty; perhaps a variable of the shell is not set.")
    if not is_unicode(argument):
        raise BadInput("An argument is not in UTF-8.")


def main() -> None:
    """Is what the shell calls."""
    os.umask(0o077)  # whatever is written is its owner's; where others read along, it says so
    gc.set_threshold(COLLECTED_AFTER)
    notice_ctrl_c()
    for stream in (sys.stdout, sys.stderr):  # whose encoding may know few characters
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone; there is nobody left to tell
        code = 0
    except OSError as error:
        click.echo(f"knowwhy: the output cannot be written: {error.strerror}.", err=True)
        code = 1
    if not can_flush():
        sys.stdout = None  # else the interpreter tries once more and complains
    sys.exit(code)


def can_flush() -> bool:
    """Tells whether what is left of the output can still be written."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return True
