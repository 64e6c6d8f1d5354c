"""Where assistants keep their sessions, and which of those are there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Under the home of a user, as the programs keep them when nothing else is set. What a session's own
# parts said to each other lies in other files.
KEPT: dict[str, tuple[str, ...]] = {
    "claude": (".claude/projects/*/*.jsonl", ".config/claude/projects/*/*.jsonl"),
    "codex": (".codex/sessions/*/*/*/rollout-*.jsonl", ".codex/archived_sessions/rollout-*.jsonl"),
    "gemini": (".gemini/tmp/*/chats/session-*.json", ".gemini/tmp/*/chats/session-*.jsonl"),
    "antigravity": (
        ".gemini/antigravity/brain/*/.system_generated/logs/transcript.jsonl",
        ".gemini/antigravity-cli/brain/*/.system_generated/logs/transcript.jsonl",
    ),
    "copilot": (".copilot/session-state/*/events.jsonl", ".copilot/session-state/*.jsonl"),
    "cursor": (
        ".cursor/projects/*/agent-transcripts/*.jsonl",
        ".cursor/projects/*/agent-transcripts/*/*.jsonl",
    ),
    "qwen": (".qwen/projects/*/chats/*.jsonl",),
    "kimi": (".kimi/sessions/*/*/wire.jsonl", ".kimi-code/sessions/*/*/agents/main/wire.jsonl"),
    "grok": (".grok/sessions/*/*/chat_history.jsonl",),
    "deepseek": (".deepseek/sessions/*.json", ".codewhale/sessions/*.json"),
    "amp": (".local/share/amp/threads/T-*.json",),
    "droid": (".factory/sessions/*.jsonl", ".factory/sessions/*/*.jsonl"),
    "pi": (".pi/agent/sessions/*/*.jsonl", ".omp/agent/sessions/*/*.jsonl"),
    "iflow": (".iflow/projects/*/session-*.jsonl",),
    "qoder": (".qoder/projects/*/*.jsonl",),
}
PARTS = "agent-"  # begins the files of subtasks of Claude Code
# Kept in a database or in many small files; their own command writes a file that can be read.
EXPORTED = {"opencode": (".local/share/opencode", "opencode export SESSION > FILE.json")}


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one assistant."""

    assistant: str
    files: tuple[Path, ...]

    @property
    def size(self) -> int:
        """How many bytes they have."""
        return sum(file.stat().st_size for file in self.files if file.exists())


def sessions(home: Path, assistants: Sequence[str] = ()) -> list[Sessions]:
    """Finds the sessions under the home of a user, of these assistants or of all."""
    wanted = assistants or tuple(KEPT)
    found = [Sessions(name, tuple(_files(home, name))) for name in KEPT if name in wanted]
    return [one for one in found if one.files]


def to_export(home: Path) -> dict[str, str]:
    """Gives the assistants whose sessions lie there in no file to read, and how to get one."""
    return {name: how for name, (place, how) in EXPORTED.items() if (home / place).is_dir()}


def _files(home: Path, assistant: str) -> Iterator[Path]:
    for pattern in KEPT[assistant]:
        for file in sorted(home.glob(pattern)):
            is_part = file.name.startswith(PARTS)
            if not is_part and file.is_file() and not file.is_symlink():
                yield file
