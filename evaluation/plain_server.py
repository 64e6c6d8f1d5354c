"""A server of the SDK alone, which hands back one answer: what the wire itself costs.

`python -m evaluation.plain_server FILE` serves over stdio, and with `--http` on a free port, whose
URL it prints.
"""

import argparse
import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

TOOL = "answer"


def server_of(answer: types.CallToolResult) -> Server[Any]:
    """Makes a server with one tool."""

    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        tool = types.Tool(name=TOOL, input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool])

    async def called(ctx: Any, params: Any) -> types.CallToolResult:
        return answer

    return Server("plain", on_list_tools=listed, on_call_tool=called)


async def over_stdio(server: Server[Any]) -> None:
    """Serves until the client goes."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def over_http(server: Server[Any]) -> None:
    """Serves on a free port until it is ended."""
    manager = StreamableHTTPSessionManager(server)
    routes = [Route("/mcp", endpoint=StreamableHTTPASGIApp(manager))]
    app = Starlette(routes=routes, lifespan=lambda _: manager.run())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sys.stderr.write(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        config = uvicorn.Config(app, log_config=None, access_log=False)
        asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Hands back the answer of a file.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--http", action="store_true")
    given = parser.parse_args()
    plain = server_of(types.CallToolResult.model_validate_json(given.file.read_text("utf-8")))
    if given.http:
        over_http(plain)
    else:
        asyncio.run(over_stdio(plain))
