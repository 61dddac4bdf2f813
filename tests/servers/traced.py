"""An MCP server whose one tool tells where its call belongs in a distributed trace: on pipes, or
with the argument `http` behind an address, which it prints."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {"name": "where", "inputSchema": {"type": "object"}}


def result(message, headers):
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "traced", "version": "1"}}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            meta = message["params"].get("_meta", {})
            told = {"meta": meta.get("traceparent"), "state": meta.get("tracestate"), "header": headers.get("traceparent")}
            return {"content": [], "structuredContent": told}


def answer(message, headers):
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    known = result(message, headers)
    if known is None:
        return reply | {"error": {"code": -32601, "message": "what?"}}
    return reply | {"result": known}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(answer(message, self.headers)).encode() if "id" in message else b""
        self.send_response(200 if body else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if sys.argv[1:] == ["http"]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
    server.serve_forever()
else:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps(answer(message, {})), flush=True)
