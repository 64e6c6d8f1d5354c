"""The command line: reads arguments, calls one function, prints what it gave."""

import gc
import sys
from typing import ClassVar

import click

from knowwhy import __version__
from knowwhy.cli.opening import notice_ctrl_c
from knowwhy.errors import BadInput, Error
from knowwhy.text.characters import is_unicode

STOPPED = 130  # what shells give a program that Ctrl-C ended
COLLECTED_AFTER = 100_000  # new objects; at Python's 700 a tenth of a start is spent on looking


class Lazy(click.Group):
    """Loads a command's module only when the command is called, so that --help stays instant."""

    HOMES: ClassVar = {
        "init": "care",
        "status": "care",
        "doctor": "care",
        "reembed": "reembedding",
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
    HELP: ClassVar = {
        "init": "Make the home and prepare the models.",
        "serve": "Serve the memory to assistants over MCP.",
        "token": "Make, list and revoke the tokens with which users call over HTTP.",
        "sync": "Take in what a repository holds, and follow it.",
        "ingest": "Take in decisions, incidents, meetings, documents, code, chats or JSON lines.",
        "search": "Ask a question; answers come with their sources.",
        "recall": "Ask what was told or said: only memories and turns answer.",
        "context": "Pack what answers a question for a model.",
        "show": "Show one record with its links.",
        "list": "List the records.",
        "recalls": "List what was asked last and what it gave.",
        "graph": "Show what points to a record and what it points to.",
        "history": "Show what was said in conversations, newest first.",
        "say": "Take in one message of a conversation.",
        "extract": "Learn from what was said in conversations.",
        "remember": "Tell the memory something; it is judged at once.",
        "memories": "List the memories that you may see, newest first.",
        "update": "Say a memory anew: the new text supersedes the old one, which is kept.",
        "retract": "Take a memory back, with the reason; nothing is deleted.",
        "review": "Judge the claims that wait: list, approve, correct, reject.",
        "provenance": "Show where a memory comes from, what it stands on and what was done to it.",
        "checkpoint": "Keep the state of your memories, and go back to it.",
        "task": "Say what you work on in a repository, and see it again: set, show, clear.",
        "commits": "Find commits by the words of their messages, authors and paths, or by an id.",
        "agents": "Register agents of yours, and see what each may do.",
        "pools": "Let agents lend each other memories: create, invite, join, share, query.",
        "handoffs": "Hand a task from agent to agent: give, accept, reject, complete, fail.",
        "audit": "Show what your agents did, and prove that nothing of it was changed.",
        "connect": "Connect an assistant: print its configuration, or write it.",
        "hook": "Make git hand each new state of a repository to sync.",
        "nightly": "Keep the memories true: expire, merge, settle contradictions; undo a run.",
        "health": "Measure how much the vector search finds, and repair its index.",
        "reembed": "Change the model that makes vectors while the home is in use.",
        "export": "Write every record as JSON lines.",
        "import": "Take in everything that `export --all` wrote, with another version or model.",
        "backup": "Keep the whole home in one file, while others go on writing.",
        "restore": "Put a backup into a home that has no database yet, and look whether all of it "
        "is there.",
        "status": "Tell what the home holds.",
        "doctor": "Check home, tables, models and indexes; say what to run for each fault.",
        "docs": "Read a page of the manual: what --json prints, a file's format, an alarm's "
        "runbook.",
    }

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
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.HELP.items()))


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
        error.show()
        return error.exit_code
    except Error as error:
        click.echo(f"knowwhy: {error}", err=True)
        return 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("knowwhy: stopped; what was written stays, the same command goes on.", err=True)
        return STOPPED


def check_argument(argument: str) -> None:
    """Refuses an argument that is empty or cannot be written in UTF-8."""
    if not argument:
        raise BadInput("An argument is empty; perhaps a variable of the shell is not set.")
    if not is_unicode(argument):
        raise BadInput("An argument is not in UTF-8.")


def main() -> None:
    """Is what the shell calls."""
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
