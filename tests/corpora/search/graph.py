"""Turns the operations of Microsoft Graph v1.0 into one list of MCP tools, about 16,000.

The source is the PyPI package msgraph-sdk (MIT), made by Kiota from Microsoft's OpenAPI description:
    pip download --no-deps msgraph-sdk && unzip -q msgraph_sdk-*.whl -d sdk
    python3 graph.py sdk/msgraph/generated tools.json
"""

import ast
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(sys.argv[1])
TYPES = {"str": "string", "bool": "boolean", "int": "integer", "float": "number"}
VERBS = {"post": "create", "patch": "update", "put": "set", "delete": "delete"}
SKIPPED = ("additional_data", "backing_store", "odata_type")
MODELS = {}


def schema(annotation, comment):
    text = ast.unparse(annotation)
    inner = re.sub(r"^(Optional|Union)\[(.*?)(, None)?\]$", r"\2", text)
    many = re.match(r"list\[(.*)\]$", inner)
    kind = TYPES.get((many.group(1) if many else inner).strip("'"))
    one = {"type": kind} if kind else {"type": "string" if "date" in inner.lower() else "object"}
    result = {"type": "array", "items": one} if many else one
    if comment:
        result["description"] = comment
    return result


def fields(cls, lines):
    """The fields of a data class; each has its description in the comment above it."""
    for node in cls.body:
        if isinstance(node, ast.AnnAssign):
            above = lines[node.lineno - 2].strip()
            yield node.target.id, schema(node.annotation, above[2:] if above.startswith("# ") else "")


def model(path):
    if path not in MODELS:
        text = path.read_text()
        cls = next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef))
        MODELS[path] = {k: v for k, v in fields(cls, text.split("\n")) if k not in SKIPPED}
    return MODELS[path]


def camel(name):
    return re.sub("_(.)", lambda found: found.group(1).upper(), name)


def tools_of(file):
    text = file.read_text()
    tree = ast.parse(text)
    cls = next(n for n in tree.body if isinstance(n, ast.ClassDef))
    found = re.search(r'super\(\).__init__\(request_adapter, "(.*?)"', text)
    path = unquote(re.sub(r"\{\?.*?\}", "", found.group(1))).replace("{+baseurl}", "")
    ids = re.findall(r"\{([^}]+)\}", path)
    names = [re.sub(r"\(.*\)", "", s).split(".")[-1].replace("$", "") for s in path.split("/") if s and s[0] != "{"]
    for method in cls.body:
        if not isinstance(method, ast.AsyncFunctionDef) or method.name not in ("get", *VERBS):
            continue
        doc = ast.get_docstring(method) or ""
        lines = [l.strip() for l in doc.split("\n")]
        described = " ".join(l for l in lines if l and not re.match(r"(param \w+:|Returns:|Find more info here:)", l))
        result = ast.unparse(method.returns or ast.Constant(""))
        verb = VERBS.get(method.name) or ("list" if "CollectionResponse" in result else "get")
        properties = {i: {"type": "string", "description": f"The path's {i}"} for i in ids}
        required = list(ids)
        query = f"{cls.name}{method.name.title()}QueryParameters"
        for inner in cls.body:
            if isinstance(inner, ast.ClassDef) and inner.name == query:
                properties.update({camel(k): v for k, v in fields(inner, text.split("\n"))})
        body = next((a for a in method.args.args if a.arg == "body"), None)
        if body is not None:
            entry = {"type": "object", "description": ast.unparse(body.annotation)}
            source = re.search(rf"from (\.+)([\w.]+) import {entry['description']}\n", text)
            if source:
                base = file.parents[len(source.group(1)) - 1]
                target = base.joinpath(*source.group(2).split(".")).with_suffix(".py")
                entry["properties"] = {camel(k): v for k, v in model(target).items()}
            properties["body"], required = entry, [*required, "body"]
        yield {"name": "_".join([*names, verb]), "description": f"{described} ({method.name.upper()} {path})",
               "inputSchema": {"type": "object", "properties": properties, "required": required}}


tools, seen = [], {}
for builder in sorted(ROOT.rglob("*request_builder.py")):
    for tool in tools_of(builder):
        seen[tool["name"]] = count = seen.get(tool["name"], 0) + 1
        tool["name"] += f"_{count}" if count > 1 else ""
        tools.append(tool)
with open(sys.argv[2], "w") as out:
    out.write('{"server":"graph","serverInfo":{"name":"msgraph-sdk"},"tools":[\n')
    out.write(",\n".join(json.dumps(t, ensure_ascii=False, separators=(",", ":")) for t in tools) + "\n]}\n")
print(len(tools))
