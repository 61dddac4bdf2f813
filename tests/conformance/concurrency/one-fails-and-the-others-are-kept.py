import asyncio
ends = await asyncio.gather(tools.test_tools.add(a=1, b=1), tools.test_tools.fail(), tools.test_tools.add(a=2, b=2), return_exceptions=True)
return [end.message if isinstance(end, ToolError) else int(end.sum) for end in ends]
