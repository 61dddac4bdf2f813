import asyncio

async def fetch(name, delay, fail=False):
    await asyncio.sleep(delay / 1000)
    if fail:
        raise ConnectionError(f"{name} unreachable")
    return {"name": name, "delay": delay}

async def main():
    results = await asyncio.gather(fetch("a", 30), fetch("b", 10), fetch("c", 20, fail=True), return_exceptions=True)
    for result in results:
        print(result if isinstance(result, dict) else repr(result))
    try:
        await asyncio.gather(fetch("x", 5), fetch("y", 1, True))
    except ConnectionError as error:
        print("gather raised:", error)
    order = []
    for next_done in asyncio.as_completed([fetch("slow", 60), fetch("fast", 1), fetch("mid", 30)]):
        order.append((await next_done)["name"])
    print(order)
    done, pending = await asyncio.wait([asyncio.create_task(fetch(n, d), name=n) for n, d in (("p", 1), ("q", 500))], return_when=asyncio.FIRST_COMPLETED)
    print([t.get_name() for t in done], [t.get_name() for t in pending])
    for task in pending:
        print(task.cancel("enough"), task.cancelling())
    try:
        await pending.pop()
    except asyncio.CancelledError as error:
        print("cancelled", error.args)
    try:
        await asyncio.wait_for(fetch("late", 1000), timeout=0.01)
    except TimeoutError as error:
        print("timeout", repr(error))
    print(await asyncio.wait_for(asyncio.shield(fetch("ok", 1)), 1))

asyncio.run(main())
