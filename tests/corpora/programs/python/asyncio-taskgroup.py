import asyncio

log = []
async def worker(n, delay, error=None):
    try:
        await asyncio.sleep(delay)
        if error: raise error
        log.append(f"done {n}")
        return n * 10
    except asyncio.CancelledError:
        log.append(f"cancelled {n}")
        raise
    finally:
        log.append(f"finally {n}")

async def main():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(worker(n, 0.02 * n), name=f"w{n}") for n in range(3)]
    print([t.result() for t in tasks], log); log.clear()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(worker(1, 0.01, ValueError("one")))
            group.create_task(worker(2, 5))
            group.create_task(worker(3, 0.01, KeyError("three")))
    except* ValueError as eg:
        print("values", eg.exceptions, eg.message)
    except* KeyError as eg:
        print("keys", eg.exceptions)
    print(sorted(log)); log.clear()
    try:
        async with asyncio.timeout(0.02) as scope:
            async with asyncio.TaskGroup() as group:
                group.create_task(worker(7, 9))
    except TimeoutError:
        print("expired", scope.expired(), log)
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(worker(8, 0.01))
            raise RuntimeError("body failed")
    except ExceptionGroup as eg:
        print(eg.subgroup(RuntimeError), task.cancelled())
    try: group.create_task(asyncio.sleep(0))
    except RuntimeError as error: print(str(error).split(" <")[0].split(" at ")[0][:10], type(error).__name__)

asyncio.run(main())
