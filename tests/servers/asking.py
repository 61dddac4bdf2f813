"""An MCP server that asks, tells, and wants an address opened: python3 asking.py FOLDER. What a
person does at the address is done once FOLDER has a file `done`."""

import json
import pathlib
import sys
import threading
import time

TOOLS = ["form", "address", "connect", "log"]
LEVELS = ["debug", "info", "error"]
FORM = {
    "type": "object",
    "required": ["size"],
    "properties": {"size": {"type": "integer", "title": "Size\u001b[31m", "minimum": 36}, "gift": {"type": "boolean"}},
}
ADDRESS = {"mode": "url", "elicitationId": "e1", "url": "https://shop.example/connect?to=1", "message": "Connect your account"}

folder = pathlib.Path(sys.argv[1])
lines = iter(sys.stdin)
level = None
connected = False


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(params):
    """The client's answer to `elicitation/create`."""
    send({"id": "question", "method": "elicitation/create", "params": params})
    while True:
        message = json.loads(next(lines))
        if message.get("id") == "question":
            return message.get("result") or message["error"]
        if "id" in message:
            send({"id": message["id"], "result": {"tools": []}})


def tell_when_done():
    global connected
    while not (folder / "done").exists():
        time.sleep(0.01)
    connected = True
    send({"method": "notifications/elicitation/complete", "params": {"elicitationId": "e1"}})


def call(tool):
    match tool:
        case "form":
            return ask({"message": "Which size?\u001b[2J\nampoule: all is well", "requestedSchema": FORM})
        case "address":
            return ask(ADDRESS)
        case "connect" if connected:
            return "connected"
        case "log":
            for severity in LEVELS:
                if level is None or LEVELS.index(severity) >= LEVELS.index(level):
                    send({"method": "notifications/message", "params": {"level": severity, "logger": "rows", "data": f"{severity}\u001b[2J"}})
            return level


for line in lines:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"error": {"code": -32601, "message": "what?"}}
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            about = {"capabilities": {"tools": {}, "logging": {}}, "serverInfo": {"name": "asking", "version": "1"}}
            answer = {"result": {"protocolVersion": params["protocolVersion"], **about}}
        case "tools/list":
            answer = {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}}
        case "logging/setLevel":
            level = params["level"]
            answer = {"result": {}}
        case "tools/call" if params["name"] == "connect" and not connected:
            answer = {"error": {"code": -32042, "message": "Connect first", "data": {"elicitations": [ADDRESS]}}}
            threading.Thread(target=tell_when_done, daemon=True).start()
        case "tools/call":
            answer = {"result": {"content": [], "structuredContent": {"said": call(params["name"])}}}
    send({"id": message["id"], **answer})
