"""An MCP server that says who it is: its variable WHO, with its arguments and what else the test gave it."""
import json
import os
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    said = {name: os.environ[name] for name in ("WHO", "PORT", "DEBUG", "SHARE", "NONE") if name in os.environ}
    said["args"] = sys.argv[1:]
    tool = {"name": "who", "inputSchema": {"type": "object"}}
    result = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "who", "version": "1"}},
        "tools/list": {"tools": [tool]},
        "tools/call": {"content": [{"type": "text", "text": json.dumps(said)}]},
    }.get(message["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
