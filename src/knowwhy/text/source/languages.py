"""Tells the language of a source file, and why a file is not worth reading."""

import re
from pathlib import PurePosixPath

from knowwhy.text.patterns import regex

HEAD_CHARS = 2_000  # characters in which a generator announces itself
SAMPLE_CHARS = 64_000  # characters that are looked at for minified and binary content
LINE_CHARS = 5_000  # characters; a single longer line is machine-made
MEAN_LINE_CHARS = 300  # characters a line on average; written code has 20 to 60
MEASURED_CHARS = 2_000  # characters; below, one long line is a constant and says nothing
BINARY_SHARE = 0.05  # control or undecodable characters of all; text has next to none

_SUFFIXES = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "c++": "cc cpp cxx c++ hh hpp hxx inl ipp",
    "cuda": "cu cuh",
    "objective-c": "m mm",
    "c#": "cs csx",
    "f#": "fs fsx fsi",
    "visual basic": "vb",
    "kotlin": "kt kts",
    "swift": "swift",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml",
    "scala": "scala sc sbt",
    "groovy": "groovy gradle",
    "clojure": "clj cljs cljc edn",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "julia": "jl",
    "r": "r",
    "perl": "pl pm",
    "lua": "lua",
    "dart": "dart",
    "zig": "zig",
    "nim": "nim",
    "solidity": "sol",
    "shell": "sh bash zsh fish ksh",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "sql": "sql ddl",
    "graphql": "graphql gql",
    "protobuf": "proto",
    "thrift": "thrift",
    "terraform": "tf tfvars hcl",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties editorconfig",
    "json": "json jsonc json5",
    "xml": "xml xsd xsl xslt wsdl csproj",
    "html": "html htm xhtml jinja jinja2 j2 hbs ejs",
    "css": "css",
    "scss": "scss sass",
    "less": "less",
    "vue": "vue",
    "svelte": "svelte",
    "nix": "nix",
    "cmake": "cmake",
    "make": "mk mak",
    "docker": "dockerfile",
    "bazel": "bzl bazel star",
    "markdown": "md markdown mdx",
    "restructuredtext": "rst",
    "text": "txt",
}
_BY_SUFFIX = {f".{s}": name for name, suffixes in _SUFFIXES.items() for s in suffixes.split()}
_BY_NAME = {
    "dockerfile": "docker",
    "containerfile": "docker",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "podfile": "ruby",
    "build": "bazel",
    "workspace": "bazel",
    "procfile": "yaml",
    "go.mod": "go module",
    "requirements.txt": "requirements",
    "codeowners": "codeowners",
    ".bashrc": "shell",
    ".profile": "shell",
    ".zshrc": "shell",
    ".gitignore": "ignore list",
    ".dockerignore": "ignore list",
}
_SHEBANG = regex(
    r"#![^\n]{0,200}?\b(python|node|deno|bun|bash|sh|zsh|ksh|ruby|perl|php|lua|Rscript)"
)
_BY_PROGRAM = {
    **dict.fromkeys(("bash", "sh", "zsh", "ksh"), "shell"),
    **dict.fromkeys(("node", "bun"), "javascript"),
    "deno": "typescript",
    "Rscript": "r",
}

_WRITINGS = frozenset(("markdown", "restructuredtext", "text", "ignore list", "requirements"))
_DATA = frozenset(("json", "xml", "yaml", "html", "toml", "ini", "css", "sql"))

_VENDORED = frozenset(
    (
        "node_modules",
        "bower_components",
        "jspm_packages",
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "pods",
        "carthage",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "site-packages",
        "__pycache__",
        ".eggs",
        ".gradle",
        ".next",
        ".nuxt",
        ".terraform",
        ".git",
        ".hg",
        ".svn",
        ".idea",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        "htmlcov",
    )
)
_BUILT = frozenset(("dist", "build", "target"))  # what is tracked there was written by somebody
_LOCKS = frozenset(
    (
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lockb",
        "bun.lock",
        "poetry.lock",
        "pdm.lock",
        "uv.lock",
        "pipfile.lock",
        "cargo.lock",
        "go.sum",
        "gemfile.lock",
        "composer.lock",
        "podfile.lock",
        "mix.lock",
        "pubspec.lock",
        "flake.lock",
        "packages.lock.json",
        "gradle.lockfile",
        ".terraform.lock.hcl",
        "package.resolved",
    )
)
_GENERATED_NAME = regex(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.gw)?\.(?:go|cc|h|c|swift)|_grpc\.pb\.go|_pb\.(?:js|ts|rb|d\.ts)"
    r"|\.pb\.(?:dart|rs)|\.(?:g|freezed)\.dart|\.designer\.cs|\.g\.cs|\.generated\.\w{1,10}"
    r"|(?:^|/)zz_generated\.[^/]{1,100}|_generated\.\w{1,10}|\.snap|\.map)$",
    re.IGNORECASE,
)
_MINIFIED_NAME = regex(r"[.-]min\.(?:js|css|mjs|cjs|html)$|\.bundle\.js$", re.IGNORECASE)
_COMMENTED = regex(r"^[ \t]*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|'''|%)([^\n]{0,300})", re.MULTILINE)
_FRAME = " \t#/*!-;%=~'\""  # what stands between the mark of a comment and its words
_MADE = r"(?:auto[- ]?|automatically |machine[- ])?generated"
_ANNOUNCED = regex(  # of this very file, in the words of its head's comments, by their lines
    r"(?<![\w`'\"])@generated\b|^<auto-?generated\b"
    rf"|\bthis (?:file|code|module|class) (?:is|was|has been) {_MADE}\b"
    rf"|^(?-i:(?=[A-Z])){_MADE} (?:by|from|with|using)\b"  # in lower case a sentence goes on
    r"|^auto(?:-?|matically )generated (?:file|code)[ \t]*(?:$|[^\w \t])"
    rf"|^(?:code )?{_MADE}\b[^\x00]{{0,160}}?\bdo not (?:edit|modify|change)\b"
    rf"|^do not (?:edit|modify|change)\b.{{0,40}}?\b(?:this|it) (?:is|was) {_MADE}\b",
    re.IGNORECASE | re.MULTILINE,
)
_CONTROL = regex(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def language_of(path: str, text: str = "") -> str | None:
    """Returns the language of a file by its name, its suffix or its first line."""
    pure = PurePosixPath(path)
    name = pure.name.lower()
    known = _BY_NAME.get(name) or _BY_SUFFIX.get(pure.suffix.lower())
    if known:
        return known
    if name.startswith(("dockerfile.", "makefile.", "jenkinsfile.")):
        return _BY_NAME[name.split(".")[0]]
    match = _SHEBANG.match(text)
    return _BY_PROGRAM.get(match[1], match[1]) if match else None


def is_source(path: str, *, tracked: bool = False) -> bool:
    """Tells by its name whether a file may be source that somebody wrote, and not a document."""
    language = language_of(path)
    is_made = is_generated(path, "", tracked=tracked) is not None
    return language is not None and language not in _WRITINGS and not is_made


def is_data(language: str) -> bool:
    """Tells whether a language is for data as much as for programs."""
    return language in _DATA


def is_generated(path: str, text: str, *, tracked: bool = False) -> str | None:
    """Returns why a file is left out: vendored, a lock file, generated, minified or binary.

    What git tracks in a folder for built things was written by somebody all the same.
    """
    pure = PurePosixPath(path.replace("\\", "/"))
    folders = {part.lower() for part in pure.parts[:-1]}
    if folders & _VENDORED or (folders & _BUILT and not tracked):
        return "vendored"
    if pure.name.lower() in _LOCKS:
        return "lock file"
    if _GENERATED_NAME.search(pure.name):
        return "generated"
    if _MINIFIED_NAME.search(pure.name):
        return "minified"
    return _by_content(text)


def _by_content(text: str) -> str | None:
    sample = text[:SAMPLE_CHARS]
    if "\0" in sample or len(_CONTROL.findall(sample)) > BINARY_SHARE * len(sample):
        return "binary"
    comments = _COMMENTED.findall(text, 0, HEAD_CHARS)
    if _ANNOUNCED.search("\n".join(line.strip(_FRAME) for line in comments)):
        return "generated"
    return "minified" if _is_minified(text) else None


def _is_minified(text: str) -> bool:
    if len(text) < MEASURED_CHARS:
        return False
    lines = text.split("\n")
    is_dense = len(text) > MEAN_LINE_CHARS * len(lines)
    return is_dense or max(map(len, lines)) > LINE_CHARS
