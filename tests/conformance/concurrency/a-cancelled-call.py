import asyncio
call = tools.test_tools.hang()
asyncio.get_running_loop().call_later(0.02, call.cancel)
try:
    await call
except asyncio.CancelledError:
    return 'cancelled'
