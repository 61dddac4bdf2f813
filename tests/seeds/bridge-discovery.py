from mcp import runtime

print("Discovered:", runtime.discovered_servers())
print("Selectable:", await runtime.list_servers())

loaded = runtime.list_loaded_server_metadata()
if loaded:
    first = runtime.describe_server(loaded[0]["name"])
    for tool in first["tools"]:
        print(tool["alias"], "→", tool.get("description", ""))

docs = await runtime.query_tool_docs("slack")
print([doc["toolAlias"] for doc in docs])
found = await runtime.search_tool_docs("update a record", limit=1)
print(found[0]["server"], found[0]["toolAlias"])
