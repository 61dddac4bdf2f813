import asyncio, inspect
from contextlib import aclosing, asynccontextmanager
from typing import AsyncIterator

class Ticker:
    def __init__(self, stop): self.n, self.stop = 0, stop
    def __aiter__(self): return self
    async def __anext__(self):
        if self.n >= self.stop: raise StopAsyncIteration
        self.n += 1; await asyncio.sleep(0); return self.n

async def countdown(n: int) -> AsyncIterator[int]:
    try:
        while n:
            received = yield n
            n = received if received is not None else n - 1
    finally:
        await asyncio.sleep(0); print("countdown closed at", n)

async def amap(function, source):
    async for item in source: yield await function(item) if inspect.iscoroutinefunction(function) else function(item)
async def azip(*sources):
    iterators = [aiter(s) for s in sources]
    while True:
        try: yield tuple([await anext(i) for i in iterators])
        except StopAsyncIteration: return

async def main():
    print([n async for n in Ticker(5) if n % 2], {n: n * n async for n in Ticker(3)}, [x async for x in azip(Ticker(9), countdown(2))])
    async for n in (g := countdown(5)):
        if n == 3: break
    await g.aclose()
    g = countdown(10); print(await anext(g), await g.asend(4), await anext(g, "default")); await g.aclose(); print(await anext(g, "finished"))
    async with aclosing(countdown(3)) as c: print(await anext(c))
    async def double(x): await asyncio.sleep(0); return x * 2
    print([x async for x in amap(double, amap(lambda x: x + 1, Ticker(3)))])
    @asynccontextmanager
    async def span(name):
        print("enter", name)
        try: yield name.upper()
        except ValueError as error: print("swallowed", error)
        finally: print("exit", name)
    async with span("s") as s, span("t"): print(s); raise ValueError("inside")
    coroutine = double(1); print(type(coroutine).__name__, coroutine.cr_frame is not None); print(await coroutine)
    try: await coroutine
    except RuntimeError as error: print(error)
    for bad in ("for x in Ticker(1): pass", "with span('q'): pass"):
        try: exec(bad, {"Ticker": Ticker, "span": span})
        except TypeError as error: print(error)
    try: await 5
    except TypeError as error: print(error)
asyncio.run(main())
