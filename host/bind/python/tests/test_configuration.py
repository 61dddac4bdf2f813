"""What a runtime is configured with: servers, accounts, APIs, secrets, roles and policies."""

import http.server
import json
import pathlib
import sys
import threading
from typing import Any

import pytest

import pyampoule

SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": lambda: {
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "greeter", "version": "1"},
        },
        "tools/list": lambda: {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]},
        "tools/call": lambda: {"content": [{"type": "text", "text": "hello"}]},
    }
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    made = answers.get(asked["method"])
    answer |= {"result": made()} if made else {"error": {"code": -32601, "message": "no such method"}}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize("way", ["dict", "document", "toml"])
def test_servers_are_written_as_clients_write_them(tmp_path: pathlib.Path, way: str) -> None:
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    entry = {"command": sys.executable, "args": [str(file)]}
    config = tmp_path / "ampoule.toml"
    config.write_text(f"[servers.greeter]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(file))}]\n")
    ways: dict[str, dict[str, Any]] = {
        "dict": {"servers": {"greeter": entry}},
        "document": {"servers": {"mcpServers": {"greeter": entry}}},
        "toml": {"config": config},
    }
    with pyampoule.Runtime(**ways[way]) as runtime:
        code = "return await greeter.greet({})"
        assert runtime.run(code, grant="greeter.*").result() == "hello"
        # Nothing is granted that nobody names.
        assert isinstance(runtime.run(code), pyampoule.Threw)
        assert "greet(" in runtime.declarations(grant=["greeter"])


def test_a_server_has_several_accounts(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    config = tmp_path / "ampoule.toml"
    command, script = json.dumps(sys.executable), json.dumps(str(file))
    config.write_text(
        f'[servers.greeter]\ncommand = {command}\nargs = [{script}]\naccount = "work"\n'
        "[servers.greeter.accounts.work]\n[servers.greeter.accounts.home]\n"
    )
    code = "await greeter.greet({}); return await greeter.as('home').greet({})"
    with pyampoule.Runtime(config=config) as runtime:
        outcome = runtime.run(code, grant="greeter")
        assert outcome.result() == "hello"
        assert [call.server for call in outcome.usage.calls] == ["greeter@work", "greeter@home"]
        refused = runtime.run("return await greeter.as('work').greet({})", grant="greeter@home")
        assert refused.ending == "threw" and not refused.usage.calls


def test_a_configuration_may_have_apis_and_secrets_by_reference(tmp_path: pathlib.Path) -> None:
    tokens: list[str | None] = []

    class Api(http.server.BaseHTTPRequestHandler):
        def answer(self, value: Any) -> None:
            tokens.append(self.headers["Authorization"])
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.answer({"name": "Ada"})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.answer({"data": {"me": {"name": "Eve"}}})

        def log_message(self, format: str, *args: Any) -> None:
            pass

    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    answers = {"200": {"description": "It.", "content": {"application/json": {"schema": schema}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "People", "version": "1"},
        "security": [{"token": []}],
        "paths": {"/me": {"get": {"operationId": "me", "responses": answers}}},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }
    (tmp_path / "people.json").write_text(json.dumps(document))
    (tmp_path / "schema.graphql").write_text("type Query { me: Me! } type Me { name: String! }")
    secret = tmp_path / "secret"
    secret.write_text("hunter2-token")
    secret.chmod(0o600)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        config = tmp_path / "ampoule.toml"
        config.write_text(
            f'[servers.people]\nopenapi = "people.json"\nbase-url = "{at}"\n'
            'credentials = { token = "${file:secret}" }\n'
            f'[servers.shop]\ngraphql = "schema.graphql"\nbase-url = "{at}"\n'
            'credentials = { bearer = "${file:secret}" }\n'
        )
        code = "return [(await people.me()).name, (await shop.me()).name]"
        with pyampoule.Runtime(config=config) as runtime:
            assert runtime.run(code, grant=["people", "shop"]).result() == ["Ada", "Eve"]
        server.shutdown()
    assert tokens == ["Bearer hunter2-token"] * 2


def test_groups_count_where_a_configuration_says_who_may_do_what(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "ampoule.toml"
    config.write_text('[skills]\n[roles.operators]\ngroups = ["ops"]\ntools = ["skills"]\n')
    with pyampoule.Runtime(config=config) as runtime:
        code = "return (await tools.skills.list({})).length"
        assert runtime.run(code, grant="*", principal="ada", groups=["dev", "ops"]).result() == 0
        assert runtime.run(code, grant="*", principal="ada", groups=("dev",)).ending == "threw"
        assert "save(" in runtime.declarations(grant="*", principal="ada", groups=["ops"])
        assert "save(" not in runtime.declarations(grant="*", principal="ada")
        with pytest.raises(pyampoule.UsageError, match="`groups` need a `principal`"):
            runtime.run(code, groups=["ops"])


def test_what_policies_keep_back_is_withheld(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "ampoule.toml"
    config.write_text("[policies]\n")
    (tmp_path / "policies").mkdir()
    policy = '@reason("not today")\nforbid(principal, action == Action::"model", resource);\n'
    (tmp_path / "policies" / "model.cedar").write_text(policy)
    with pyampoule.Runtime(config=config) as runtime:
        outcome = runtime.run("console.log(1); return 2")
    assert outcome.ending == "returned" and outcome.printed == ""
    assert outcome.withheld is not None and "not today" in outcome.withheld
    with pytest.raises(pyampoule.WithheldError, match="not today"):
        outcome.result()
