from mcp import runtime
return (await runtime.call_tool('test-tools', 'add', {'a': 1, 'b': 2})).sum
