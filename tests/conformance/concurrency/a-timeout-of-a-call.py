import asyncio
try:
    await asyncio.wait_for(tools.test_tools.hang(), 0.02)
except TimeoutError as error:
    return type(error).__name__
