"""python3 refreshing.py MODE: an MCP server behind a sign-in, and its authorization server, whose tokens live for SECONDS.

Its first line is its port. What it is asked, it writes to standard error. At a refresh it answers with a token alone: no end, no
other refresh token. MODE is what else there is to meet:
  resource   a refresh with `resource` is refused
  scope      a refresh without `scope` gives a token without rights
  slash      the issuer's address has a slash in one place and none in another
  forbidden  one tool wants more rights, and says so with 403
  never      a refresh is refused whatever it has, with 200 and a form
"""
import json
import sys
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE = sys.argv[1]
SECONDS = 3
TOKENS = {}


def give(scope):
    token = f"access-{len(TOKENS)}"
    TOKENS[token] = (scope.split(), time.time() + SECONDS)
    return token


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, status, value=None, kind="application/json", **headers):
        body = b"" if value is None else (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path.startswith("/.well-known/oauth-protected-resource"):
            servers = [self.base + ("/" if MODE == "slash" else "")]
            self.answer(200, {"resource": self.base + "/mcp", "authorization_servers": servers, "scopes_supported": ["read"]})
        elif path.startswith(("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")):
            self.answer(200, {
                "issuer": self.base,
                "authorization_endpoint": self.base + "/authorize",
                "token_endpoint": self.base + "/token",
                "registration_endpoint": self.base + "/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"],
                "scopes_supported": ["read", "write"],
            })
        elif path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(query))
            back = {"code": "code:" + asked.get("scope", "read"), "state": asked["state"], "iss": self.base}
            self.answer(302, Location=asked["redirect_uri"] + "?" + urllib.parse.urlencode(back))
        else:
            self.answer(405)

    def do_DELETE(self):
        self.answer(405)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/register":
            self.answer(201, {**json.loads(body), "client_id": "client"})
        elif self.path == "/token":
            self.token(dict(urllib.parse.parse_qsl(body)))
        else:
            self.message(json.loads(body))

    def token(self, form):
        print(json.dumps(form), file=sys.stderr, flush=True)
        if form["grant_type"] == "authorization_code":
            scope = form["code"].removeprefix("code:")
            lives = {"expires_in": SECONDS, "refresh_token": "refresh-0", "scope": scope}
            return self.answer(200, {"access_token": give(scope), "token_type": "bearer", **lives})
        if MODE == "resource" and "resource" in form:
            return self.answer(400, {"error": "invalid_request", "error_description": "unknown parameter: resource"})
        if MODE == "never":
            said = "error=app_suspended&error_description=ask+the+administrator+about+refresh-0"
            return self.answer(200, said, kind="application/x-www-form-urlencoded")
        scope = form.get("scope", "" if MODE == "scope" else "read")
        self.answer(200, {"access_token": give(scope), "token_type": "bearer"})

    def message(self, message):
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        scopes, until = TOKENS.get(token, ([], 0))
        metadata = f'resource_metadata="{self.base}/.well-known/oauth-protected-resource/mcp"'
        if time.time() > until or "read" not in scopes:
            return self.answer(401, {"error": "invalid_token"}, WWW_Authenticate=f'Bearer {metadata}, scope="read"')
        if "id" not in message:
            return self.answer(202)
        method = message["method"]
        if method == "initialize":
            info = {"name": "refreshing", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("look", "delete")]}
        elif method == "tools/call":
            name = message["params"]["name"]
            if MODE == "forbidden" and name == "delete" and "write" not in scopes:
                wants = f'Bearer error="insufficient_scope", scope="write", {metadata}'
                return self.answer(403, {"error": "insufficient_scope"}, WWW_Authenticate=wants)
            result = {"content": [{"type": "text", "text": f"{name} done"}]}
        else:
            unknown = {"code": -32601, "message": "Method not found"}
            return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "error": unknown})
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


class Server(ThreadingHTTPServer):
    def handle_error(self, request, address):
        # A client that ends closes its connections; stderr has the forms alone.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
