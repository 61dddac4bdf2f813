import asyncio, contextvars, inspect, sys

user = contextvars.ContextVar("user", default="nobody")
async def show(label): await asyncio.sleep(0); return f"{label}:{user.get()}"
async def as_user(name): user.set(name); return await show(name)

async def main():
    print(await asyncio.gather(as_user("ann"), as_user("bob"), show("plain")))
    print(await as_user("direct"), user.get())
    task = asyncio.create_task(show("task"), context=contextvars.Context()); print(await task)
    current = asyncio.current_task(); print(current.get_name() != "", len(asyncio.all_tasks()) >= 1, current.done())
    async def deep(n):
        if n: return await deep(n - 1)
        return [f.name if hasattr(f, "name") else f.f_code.co_name for f in asyncio.current_task().get_stack()][-1:], len(inspect.stack()) > 3
    print((await asyncio.create_task(deep(3)))[0])
    result = await asyncio.to_thread(lambda: (user.get(), sum(range(100)))); print(result)
    loop = asyncio.get_running_loop(); print(await loop.run_in_executor(None, pow, 2, 10), loop.is_running(), loop.is_closed())
    finished = []
    background = {asyncio.create_task(asyncio.sleep(0, n)) for n in range(3)}
    for t in background: t.add_done_callback(lambda t: finished.append(t.result()))
    await asyncio.wait(background); await asyncio.sleep(0); print(sorted(finished))
    failing = asyncio.create_task(asyncio.sleep(0)); failing.set_name("renamed"); await failing; print(failing.get_name(), failing.exception())
    cancelled = asyncio.create_task(asyncio.sleep(9)); await asyncio.sleep(0); cancelled.cancel(); await asyncio.wait([cancelled]); print(cancelled.cancelled())
    for call in (cancelled.result, cancelled.exception, asyncio.get_running_loop().create_future().result):
        try: call()
        except (asyncio.CancelledError, asyncio.InvalidStateError) as error: print(type(error).__name__, error)
    async def stubborn():
        for n in range(3):
            try: await asyncio.sleep(9)
            except asyncio.CancelledError: print("refused", n, asyncio.current_task().cancelling(), asyncio.current_task().uncancel())
        return "survived"
    t = asyncio.create_task(stubborn())
    for _ in range(3): await asyncio.sleep(0); t.cancel()
    print(await t)
asyncio.run(main(), debug=False)
with asyncio.Runner() as runner:
    print(runner.run(show("runner")), runner.run(as_user("r2")))
try: asyncio.get_running_loop()
except RuntimeError as error: print(error)
