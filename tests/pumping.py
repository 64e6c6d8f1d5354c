"""Texts that are meant to freeze a reader, and what reading them costs beside a plain scan.

A match cannot be interrupted: each text is read in a process that the system ends when it has used
its share of a processor, and what froze it is named. What is counted is time of the processor, as
a number of plain scans of as many characters in the same process.
"""

import ast
import builtins
import gc
import importlib
import inspect
import itertools
import json
import mmap
import os
import pkgutil
import re
import signal
import sys
import time
import traceback
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath, PurePosixPath
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import FunctionType, ModuleType
from typing import Any

import knowwhy
from knowwhy.text.patterns import Later

SRC = Path(knowwhy.__file__).parent
SHORT, MIDDLE, LONG = 2_000, 8_000, 50_000  # characters
LINEAR = 6.0  # times the cost for four times the text; what is quadratic takes 16
PATTERN_SCANS, READER_SCANS = 200, 2_500  # plain scans of a text that reading it may cost
SECONDS = {PATTERN_SCANS: 1.0, READER_SCANS: 12.0}  # of a processor, for all lengths of one text
TEXTS_AT_MOST = 600  # of a pattern
CHARS = 3  # of a class that are tried
WAYS = 12  # of what repeats that are tried
GROWTH = 6.0  # times the cost for four times the text, twice: then it grows with a power of it
SEEN = 0.02  # seconds; what costs less at the longest is let be
ROOMS = (  # with readers of text
    *("knowwhy.text.", "knowwhy.ingest.", "knowwhy.retrieval.", "knowwhy.graph."),
    *("knowwhy.grounding.", "knowwhy.session.", "knowwhy.tables.", "knowwhy.mcp.refusals"),
    *("knowwhy.mcp.rendered", "knowwhy.mcp.lines"),
)
SEALED = (
    *("subprocess.", "socket.", "sqlite3.", "shutil.", "tempfile.", "webbrowser.", "urllib."),
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.kill", "pty."),
    *("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod"),
    *("os.truncate", "os.utime", "os.putenv"),
)  # fmt: skip
ASKED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
BYTES = (bytes, "bytes")
TEXT = (str, "str", *BYTES)
ENDS = ("end",)  # where a text ends, for who is told
WORDS: dict[str, tuple[Any, ...]] = {  # that are no text, by the name of what takes them
    "path": ("a.md", "a.py"), "role": ("user",), "kind": ("document",), "file": (Path("a.py"),),
    "language": ("python", "YAML", "TOML"), "suffix": (".json", ".yaml"), "relation": ("uses",),
    "embedder": ("x",), "reranker": ("x",), "model": ("x",), "name": ("x",), "slot": ("cause",),
    "slots": ({},), "rerank": ("auto",), "option": ("x",), "variable": ("x",), "prefix": ("",),
    "k": (5,), "tokens": (500,), "most": (500,), "limit": (5,), "width": (80,), "position": (1,),
}  # fmt: skip
SOME: dict[Any, Any] = {
    datetime: datetime(2024, 5, 2, tzinfo=UTC), Path: Path("a.py"), PurePath: PurePath("a.md"),
    PurePosixPath: PurePosixPath("a.md"), Mapping: {}, Callable: lambda *_: False,
}  # fmt: skip

# Of what a pattern is only given pieces that are cut before: where the length of those stands.
BOUNDED = {
    "knowwhy.text.claims.": "knowwhy.text.claims.clauses.MAX_READ",
    "knowwhy.text.pages.transcripts._SPEAKER_LINE": "knowwhy.text.pages.transcripts.MAX_START",
    "knowwhy.ingest.meetings.minutes._SLOTS": "knowwhy.ingest.meetings.minutes.MAX_NAME",
    **{
        f"knowwhy.text.identifiers.{name}": "knowwhy.text.identifiers.LONGEST"
        for name in ("_SNAKE", "_HASH", "_WORDS_JOINED", "_DOTTED", "_CAMEL")
    },
    "knowwhy.ingest.meetings.outcomes._TRAILING": (
        "knowwhy.ingest.meetings.outcomes.TRAILING_CHARS"
    ),
}

# The same of readers.
READ_IN_PIECES = {
    "knowwhy.text.claims.successions.read_succession": "knowwhy.text.claims.clauses.MAX_READ",
}

METHODS = {
    "search": "search", "match": "match", "fullmatch": "fullmatch", "finditer": "finditer",
    "findall": "finditer", "sub": "finditer", "subn": "finditer", "split": "finditer",
}  # fmt: skip
FLAGS_AT = {"sub": 4, "subn": 4, "split": 3}  # place of the flags in a function of `re`; else 2
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
HERE = (op.ASSERT, op.ASSERT_NOT, op.AT)  # take no characters
UNITS = (
    " ", "_", "-", ".", "\n", "\t", "a", "A", "1", "(", "[", "{", "<", "<!--", "-->", '"', "'",
    "`", "*", "#", "|", "=", ":", "\\", "/", "@", "é", "’", "\u200b", "字", " \n", "\n\n", "a ",
    "a_", "A.", "1.", "a.b", "- ", "* ", "> ", "(a", "[a](", "<a ", "a@a.", "a-", "a=", "a: ",
    "1-1", "://a", "a, ", "| a ", "|-", "```\n", "---\n", "# a\n", "a:\n", "\\n", "%20", "the ",
    "not ", "is a ", "and ", "we ", " kinda", "we use A instead of ", "please send ", "password ",
    "ADR-1 ", "\r\n", "a/", "../", "a=1\n", "a;",
)  # fmt: skip
CANDIDATES = "a A1_-. \n\t\"'`:/=,;(<[{#*|@é字!?%+~$&\\>)]}\u00a0\u200b\x00"
FAILS = "\x00"  # what almost nothing ends with

Place = tuple[int, int]  # of a target, and of one of its texts


@dataclass(frozen=True, slots=True)
class Target:
    """What reads, by a name that leads to it."""

    name: str
    read: Callable[[str], object]
    texts: tuple[tuple[str, str], ...]  # what stands at the beginning, and what is repeated
    scans: int
    longest: int = LONG  # characters that it is ever given
    grows: bool = False  # whether it matters how its cost grows, however low it is


@dataclass(frozen=True, slots=True)
class Fault:
    """A text that took too long."""

    name: str
    before: str
    unit: str
    scans: float | None  # None where the process had to be ended
    growth: float | None = None  # of what costs too much only in longer texts

    def __str__(self) -> str:
        """Says it in a line."""
        cost = "does not end" if self.scans is None else f"costs {self.scans:.0f} plain scans"
        if self.growth is not None:
            cost = f"costs {self.growth:.0f} times as much for four times the text"
        return f"{self.name} on {self.before!r} and then {self.unit!r} again and again {cost}"


def modules() -> list[ModuleType]:
    """Imports every module of the package."""
    found = pkgutil.walk_packages(knowwhy.__path__, "knowwhy.")
    return [importlib.import_module(m.name) for m in found if not m.name.endswith("__main__")]


# Patterns: those that a module's names lead to, and those that are written where they are used.


def patterns(of: Sequence[ModuleType]) -> list[Target]:
    """Finds every pattern, and how it is used."""
    uses = _uses(of)
    foreign = {id(vars(m)) for m in sys.modules.values() if isinstance(m, ModuleType)}
    found: dict[tuple[str, int], tuple[str, set[str]]] = {}
    for module in of:
        for name, value in list(vars(module).items()):
            full = f"{module.__name__}.{name}"
            for source, flags in _reached(value, foreign):
                kept = found.setdefault((source, flags), (full, set()))
                kept[1].update(uses.get(full, ()))
    for module in of:
        for where, source, flags, method in _in_functions(module, foreign):
            found.setdefault((source, flags), (where, set()))[1].add(method)
    return [
        of_pattern(name, source, flags, use)
        for (source, flags), (name, methods) in found.items()
        for use in _most(methods or {"finditer"})
    ]


def of_pattern(name: str, source: str, flags: int, use: str) -> Target:
    """Gives a pattern with texts out of its own alphabet."""
    compiled = re.compile(source, flags)
    read = getattr(compiled, use)
    longest = _longest(name, BOUNDED)
    return Target(
        f"{name}, {use} {source[:100]!r}",
        (lambda text: sum(1 for _ in read(text))) if use == "finditer" else read,
        tuple(texts_for(source, flags)),
        PATTERN_SCANS,
        longest,
    )


def _longest(name: str, bounds: Mapping[str, str]) -> int:
    return next((_number(at) for start, at in bounds.items() if name.startswith(start)), LONG)


def _number(path: str) -> int:
    module, _, name = path.rpartition(".")
    return int(getattr(importlib.import_module(module), name))


def _most(methods: set[str]) -> list[str]:
    """Leaves out the methods that do no more than a part of another."""
    return next(([all_] for all_ in ("finditer", "search") if all_ in methods), sorted(methods))


def _reached(value: object, foreign: set[int]) -> list[tuple[str, int]]:
    """Finds the patterns that a value holds, however deep."""
    found: list[tuple[str, int]] = []
    seen, waiting = set(foreign), [value]
    while waiting:
        at = waiting.pop()
        if id(at) in seen or isinstance(at, ModuleType | str | bytes | int | float):
            continue
        seen.add(id(at))
        if isinstance(at, re.Pattern):
            found += [(at.pattern, at.flags & ~re.UNICODE)] if isinstance(at.pattern, str) else []
        elif type(at) is Later:
            found.append((at.pattern, at._flags))
        elif _may_hold(at):
            waiting += gc.get_referents(at)
    return found


def _may_hold(value: object) -> bool:
    if isinstance(value, dict | list | tuple | set | frozenset):
        return True
    if isinstance(value, type):
        return False
    home = value.__module__ if isinstance(value, FunctionType) else type(value).__module__
    wraps = ("cell", "mappingproxy", "partial", "_lru_cache_wrapper")
    return str(home).startswith("knowwhy") or type(value).__name__ in wraps


def _uses(of: Sequence[ModuleType]) -> dict[str, set[str]]:
    """Tells by which methods the names of modules are used.

    What is handed on may be used by each method that the file calls on what is no name of a module.
    """
    uses: dict[str, set[str]] = {}
    for module in of:
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        origin = _origins(tree, module.__name__)
        called: dict[str, set[str]] = {}
        others: set[str] = set()
        for node in ast.walk(tree):
            is_method = isinstance(node, ast.Attribute) and node.attr in METHODS
            names = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.Name)]
            for name in names:
                if name.id in origin and isinstance(name.ctx, ast.Load):
                    method = METHODS[node.attr] if is_method else ""  # type: ignore[attr-defined]
                    called.setdefault(origin[name.id], set()).add(method)
            if is_method and not any(n.id in origin or n.id == "re" for n in names):
                attr = node.attr  # type: ignore[attr-defined]
                others |= {METHODS[attr]} - ({"finditer"} if attr == "split" else set())
        for full, methods in called.items():
            handed_on = others if "" in methods else set()
            uses.setdefault(full, set()).update(methods - {""}, handed_on)
    return uses


def _origins(tree: ast.Module, module: str) -> dict[str, str]:
    """Gives where the names of a file come from: its own are assigned at its top."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("knowwhy"):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    found[name.id] = f"{module}.{name.id}"
    return found


class _Names(dict[str, Any]):
    """The names of a module; what only a call knows is a word."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def __missing__(self, name: str) -> Any:
        return getattr(self.module, name, getattr(builtins, name, "word"))


def _in_functions(module: ModuleType, foreign: set[int]) -> Iterator[tuple[str, str, int, str]]:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        called, method = node.func.value, node.func.attr
        if not isinstance(called, ast.Name) or called.id != "re" or method not in METHODS:
            continue
        where, place = f"{module.__name__}:{node.lineno}", FLAGS_AT.get(method, 2)
        written = [word.value for word in node.keywords if word.arg == "flags"]
        flags = [_value(each, module) for each in (*written, *node.args[place:])]
        source = _value(node.args[0], module)
        if isinstance(source, str):
            yield where, source, int(flags[0]) if flags else 0, METHODS[method]
        for one, its_flags in _reached(source, foreign):
            yield where, one, its_flags, METHODS[method]


def _value(node: ast.expr, module: ModuleType) -> Any:
    """Works out an expression as far as the module alone knows it."""
    code = compile(ast.Expression(node), "pattern", "eval")
    try:
        return eval(code, {"__builtins__": {}}, _Names(module))
    except (LookupError, TypeError, AttributeError):
        return None


# Texts out of a pattern's own alphabet.


def texts_for(source: str, flags: int) -> list[tuple[str, str]]:
    """Gives beginnings and units: what repeats, what leads there, and pairs of neighbours."""
    nodes = list(_parser.parse(source, flags))
    found: dict[tuple[str, str], None] = {}
    for before, units in _repeated(nodes, "", flags):
        for unit in units:
            found |= {("", unit): None, (before, unit): None, ("", before + unit): None}
    for first, second in _neighbours(nodes, flags):
        found[("", first + second)] = None
    found |= {("", unit): None for unit in (" ", "a", "_", "1", "-", "a ", "\n", "A", ".")}
    return [pair for pair in found if pair[1]][:TEXTS_AT_MOST]


def _samples(node: Any, flags: int, most: int) -> list[str]:
    """Gives some texts that a node of a pattern matches."""
    kind, what = node
    if kind is op.LITERAL:
        return [chr(what)]
    if kind in (op.NOT_LITERAL, op.ANY, op.IN):
        found = [c for c in CANDIDATES if _takes(node, c, flags)][: min(most, CHARS)]
        return found or [c for c in map(chr, range(33, 0x3000)) if _takes(node, c, flags)][:1]
    if kind is op.BRANCH:
        each = [_sequence(list(branch), flags, 1) for branch in what[1]]
        return [text for texts in each for text in texts][:most]
    if kind in REPEATS:
        least, _, body = what
        return [text * max(1, least) for text in _sequence(list(body), flags, most)]
    return _sequence(_inside(node), flags, most)


def _inside(node: Any) -> list[Any]:
    kind, what = node
    if kind is op.SUBPATTERN:
        return list(what[3])
    if kind is op.ATOMIC_GROUP:
        return list(what)
    return []


def _takes(node: Any, char: str, flags: int) -> bool:
    kind, what = node
    if kind is op.ANY:
        return char != "\n" or bool(flags & re.DOTALL)
    if kind is op.NOT_LITERAL:
        return ord(char) != what
    items = list(what)
    return (items[0][0] is op.NEGATE) != any(_has(item, char) for item in items)


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    op.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    op.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


def _has(item: Any, char: str) -> bool:
    kind, what = item
    if kind is op.LITERAL:
        return ord(char) == what
    if kind is op.RANGE:
        return bool(what[0] <= ord(char) <= what[1])
    return kind is op.CATEGORY and _CATEGORIES[what](char)


def _sequence(nodes: list[Any], flags: int, most: int) -> list[str]:
    each = [texts for node in nodes if (texts := _samples(node, flags, most))]
    return ["".join(texts[at % len(texts)] for texts in each) for at in range(most)]


def _repeated(nodes: list[Any], before: str, flags: int) -> Iterator[tuple[str, list[str]]]:
    """Finds what may come again and again, with a text that leads to it."""
    for node in nodes:
        kind, what = node
        inner = [_inside(node)]
        if kind in REPEATS:
            inner = [list(what[2])]
            if what[1] > 3:
                yield before, list(dict.fromkeys(_sequence(inner[0], flags, WAYS)))
        elif kind is op.BRANCH:
            inner = [list(branch) for branch in what[1]]
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            inner = [list(what[1])]
        for each in inner:
            yield from _repeated(each, before, flags)
        if kind not in HERE:
            before += next(iter(_samples(node, flags, 1)), "")


def _neighbours(nodes: list[Any], flags: int) -> Iterator[tuple[str, str]]:
    plain = [node for node in nodes if node[0] not in HERE]
    for first, second in itertools.pairwise(plain):
        yield from itertools.product(_samples(first, flags, 1), _samples(second, flags, 1))


# Readers: every public function that takes texts, with words for what else it takes.


def readers(of: Sequence[ModuleType]) -> list[Target]:
    """Finds every public reader of text."""
    found = []
    for module in of:
        for name, value in vars(module).items():
            plain = inspect.unwrap(value) if callable(value) else value
            is_own = isinstance(plain, FunctionType) and plain.__module__ == module.__name__
            if is_own and module.__name__.startswith(ROOMS) and name[0] != "_":
                full = f"{module.__name__}.{name}"
                found += [of_reader(full + how, read) for how, read in _ways(value, plain)]
    return found


def of_reader(name: str, read: Callable[[str], object]) -> Target:
    """Gives a reader with texts of everything that it may look for."""
    texts = tuple(("", unit) for unit in UNITS)
    return Target(
        name, _to_the_end(read), texts, READER_SCANS, _longest(name, READ_IN_PIECES), grows=True
    )


def _to_the_end(read: Callable[[str], object]) -> Callable[[str], object]:
    """Reads all that a reader gives; that it refuses a text is an answer too."""

    def all_of(text: str) -> object:
        try:
            got = read(text)
            return sum(1 for _ in got) if isinstance(got, Iterator) else got
        except Exception:  # noqa: BLE001
            return None

    return all_of


def _ways(
    function: Callable[..., object], plain: FunctionType
) -> Iterator[tuple[str, Callable[[str], object]]]:
    """Gives the ways to call a function with a text: none when it takes none."""
    given = inspect.signature(plain).parameters.values()
    needed = [p for p in given if p.default is p.empty and p.kind in ASKED]
    named = [[(p.name, word) for word in WORDS[p.name]] for p in needed if p.name in WORDS]
    rest = [p for p in needed if p.name not in WORDS]
    if not any(p.annotation in TEXT for p in rest):
        return
    try:
        others = {p.name: _some(p.annotation) for p in rest if p.annotation not in TEXT}
    except (TypeError, ValueError, LookupError):
        return  # it takes what only others make
    pumped = {p.name: p.annotation for p in rest if p.annotation in TEXT}
    ends = [p.name for p in rest if p.name in ENDS]
    for words in itertools.product(*named):
        fixed = {**others, **dict(words)}
        how = "".join(f" of {word}" for _, word in words if word is not None)

        def read(text: str, fixed: dict[str, Any] = fixed) -> object:
            texts = {n: text.encode() if a in BYTES else text for n, a in pumped.items()}
            return function(**fixed | texts | dict.fromkeys(ends, len(text)))

        yield how, read


def _some(annotation: Any) -> Any:
    """Makes something of a type, the emptier the better."""
    origin = typing.get_origin(annotation) or annotation
    if type(None) in typing.get_args(annotation):
        return None
    if origin in SOME:
        return SOME[origin]
    if not isinstance(origin, type):
        raise TypeError(annotation)
    return () if inspect.isabstract(origin) else origin()


_touched: list[str] = []


def _seal() -> None:
    """Lets nothing be written, started or called from here on: what needs it is no reader."""

    def refuse(event: str, given: tuple[Any, ...]) -> None:
        is_write = event == "open" and isinstance(given[1], str) and given[1].strip("rbtU") != ""
        if is_write or event.startswith(SEALED):
            _touched.append(event)
            raise PermissionError(event)

    sys.addaudithook(refuse)


# Reading the texts.


def faults(targets: list[Target]) -> Iterator[Fault]:
    """Gives each target its texts, in processes that can be ended; names the first that freezes."""
    place = mmap.mmap(-1, 16)
    scan, start = _scan(), 0
    while start < len(targets):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            _work(targets, start, place, writing, scan)
        os.close(writing)
        with os.fdopen(reading) as told:
            yield from (Fault(**json.loads(line)) for line in told)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        number, at = (int.from_bytes(place[i : i + 8], "little") for i in (0, 8))
        if not os.WIFSIGNALED(status):
            raise AssertionError(
                f"{targets[number].name} has failed on {targets[number].texts[at]}"
            )
        yield Fault(targets[number].name, *targets[number].texts[at], None)
        start = number + 1


def _work(targets: list[Target], start: int, place: mmap.mmap, out: int, scan: float) -> None:
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _seal()
        gc.freeze()
        gc.disable()  # its own cost jumps
        for number, target in enumerate(targets[start:], start):
            for at in range(len(target.texts)):
                place[:16] = number.to_bytes(8, "little") + at.to_bytes(8, "little")
                if fault := (_grown if target.grows else _pumped)(target, at, scan):
                    os.write(out, (json.dumps(fault) + "\n").encode())
                    break
                if _touched:
                    _touched.clear()
                    break
        os._exit(0)
    except BaseException:  # noqa: BLE001  # a fork must not go on with what the test does
        traceback.print_exc()
        os._exit(1)


def _grown(target: Target, at: int, scan: float) -> dict[str, Any] | None:
    """Reads one text in growing lengths, and tells whether its cost grows as a power of them."""
    before, unit = target.texts[at]
    long = target.longest
    signal.setitimer(signal.ITIMER_PROF, SECONDS[target.scans])
    first = _cost(target, before, unit, long // 25)
    if first * 25**2 < SEEN:
        return None
    second = _cost(target, before, unit, long // 6)
    more = second - first * (25 / 6)  # than by length alone
    if more * 6**2 < SEEN / 2:
        return None
    growth = GROWTH * 2
    for length in (long, long, long * 2 if long == LONG else long):
        last = _cost(target, before, unit, length)
        if last < SEEN:
            return None
        if last > scan * target.scans * length:
            return {
                "name": target.name,
                "before": before,
                "unit": unit,
                "scans": last / scan / length,
            }
        growth = min(growth, last / max(_cost(target, before, unit, length // 4), 1e-6))
        if growth < GROWTH:
            return None
    return {"name": target.name, "before": before, "unit": unit, "scans": 0, "growth": growth}


def _pumped(target: Target, at: int, scan: float) -> dict[str, Any] | None:
    """Reads one text in growing lengths, until it is sure that the longest stays in bounds."""
    before, unit = target.texts[at]
    bound = scan * target.scans * LONG
    signal.setitimer(signal.ITIMER_PROF, SECONDS[target.scans])
    short, middle, long = (min(n, target.longest) for n in (SHORT, MIDDLE, LONG))
    first = _cost(target, before, unit, short)
    if first * (long / short) ** 2 < bound:
        return None
    second = _cost(target, before, unit, middle)
    if long > middle and second < LINEAR * first and second * (long / middle) * 2 < bound:
        return None
    last = _cost(target, before, unit, long)
    if last < bound:
        return None
    return {"name": target.name, "before": before, "unit": unit, "scans": last / (scan * LONG)}


def _cost(target: Target, before: str, unit: str, length: int) -> float:
    text = before + unit * (max(length - len(before), 0) // len(unit)) + FAILS
    began = time.thread_time()
    target.read(text)
    return time.thread_time() - began


def _scan() -> float:
    """Measures what a plain scan costs by the character."""
    every, text = re.compile(".", re.DOTALL), "a " * (LONG // 2)

    def once() -> float:
        began = time.thread_time()
        every.findall(text)
        return time.thread_time() - began

    return min(once() for _ in range(9)) / LONG


def _tell(found: object) -> None:
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def main(what: str) -> Iterable[Fault]:
    """Finds the faults of the package's patterns, or readers, or of those that are given."""
    if what == "given":
        return faults([of_pattern(**given) for given in json.load(sys.stdin)])
    if what == "given readers":
        return faults([of_reader(name, eval(read)) for name, read in json.load(sys.stdin).items()])
    every = modules()
    targets = patterns(every) if what == "patterns" else readers(every)
    _tell({"targets": len(targets)})
    return faults(targets)


if __name__ == "__main__":
    for found in main(sys.argv[1]):
        _tell(str(found))
