import asyncio

async def main():
    lock, log = asyncio.Lock(), []
    async def locked(n):
        async with lock:
            log.append(f"in {n}"); await asyncio.sleep(0.001); log.append(f"out {n}")
    await asyncio.gather(*(locked(n) for n in range(3)))
    print(log, lock.locked())
    event, started = asyncio.Event(), []
    async def waiter(n): started.append(n); await event.wait(); return n
    tasks = [asyncio.create_task(waiter(n)) for n in range(3)]
    await asyncio.sleep(0); print(started, event.is_set()); event.set()
    print(await asyncio.gather(*tasks))
    condition, stock = asyncio.Condition(), []
    async def take():
        async with condition:
            await condition.wait_for(lambda: stock); return stock.pop(0)
    takers = [asyncio.create_task(take()) for _ in range(2)]
    for item in "xy":
        await asyncio.sleep(0)
        async with condition: stock.append(item); condition.notify()
    print(await asyncio.gather(*takers))
    barrier = asyncio.Barrier(3); positions = await asyncio.gather(*(barrier.wait() for _ in range(3))); print(sorted(positions), barrier.n_waiting)
    semaphore = asyncio.BoundedSemaphore(1); await semaphore.acquire(); print(semaphore.locked()); semaphore.release()
    try: semaphore.release()
    except ValueError as error: print(error)
    try: lock.release()
    except RuntimeError as error: print(error)
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda f: log.append(f.result())); future.set_result("future"); await asyncio.sleep(0)
    print(log[-1], future.done(), await future)
    loop = asyncio.get_running_loop(); calls = []
    loop.call_soon(calls.append, "soon"); loop.call_later(0.02, calls.append, "later"); handle = loop.call_later(0.01, calls.append, "never"); handle.cancel()
    loop.call_at(loop.time() + 0.01, calls.append, "at"); await asyncio.sleep(0.05); print(calls, handle.cancelled())

asyncio.run(main())
