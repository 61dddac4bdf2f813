"""An MCP server over stdio that says whose account it is used with: ACCOUNT. TOOLS names further tools."""

import json
import os
import sys

ACCOUNT = os.environ.get("ACCOUNT", "nobody")
SCHEMA = {"type": "object", "properties": {"key": {"type": "string"}}}


def tool(name):
    made = {"name": name, "description": f"Says whose account {name} is called with.", "inputSchema": SCHEMA}
    if name.startswith("get_"):
        made["annotations"] = {"readOnlyHint": True}
    return made


TOOLS = [tool(name) for name in ["get_issue", "delete_issue", *os.environ.get("TOOLS", "").split()]]


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "account", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        key = params.get("arguments", {}).get("key", "")
        said = json.dumps({"account": ACCOUNT, "tool": params["name"], "key": key})
        return {"content": [{"type": "text", "text": said}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
