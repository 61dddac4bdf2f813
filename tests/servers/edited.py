"""A server whose source a test edits: over stdio, or over HTTP on the port in PORT."""

import http.server
import json
import os
import sys
import threading
import time

TOOLS = json.loads(r"""[]""")


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1.2.0"},
            "instructions": "Keeps notes.",
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        given = params["arguments"]
        content = [{"type": "text", "text": json.dumps(given)}]
        return {"content": content, "structuredContent": given}
    return None


def reply(message):
    result = answer(message)
    kind = "error" if result is None else "result"
    result = result or {"code": -32601, "message": "unknown method"}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], kind: result})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = reply(message).encode() if "id" in message else b""
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    def log_message(self, *_):
        pass


def end_when_told():
    """Ends with code 3 once there is a file `end`, which nobody watches."""
    while not os.path.exists("end"):
        time.sleep(0.05)
    print("told to end", file=sys.stderr, flush=True)
    os._exit(3)


if "PORT" in os.environ:
    address = ("127.0.0.1", int(os.environ["PORT"]))
    http.server.ThreadingHTTPServer(address, Handler).serve_forever()
threading.Thread(target=end_when_told, daemon=True).start()
print(f"ready as {os.getpid()}", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(reply(message), flush=True)
