import asyncio, random, functools, logging, sys, inspect

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("retry")

def retry(times=3, base=0.001, on=(OSError,)):
    def decorate(function):
        @functools.wraps(function)
        async def inner(*args, **kwargs):
            for attempt in range(1, times + 1):
                try:
                    return await function(*args, **kwargs)
                except on as error:
                    if attempt == times:
                        error.add_note(f"after {times} attempts"); raise
                    log.warning("attempt %d of %s failed: %s", attempt, function.__name__, error)
                    await asyncio.sleep(base * 2 ** attempt)
        return inner
    return decorate

class Flaky:
    def __init__(self, seed): self.random = random.Random(seed)
    @retry(times=4)
    async def get(self, key):
        await asyncio.sleep(0)
        if (value := self.random.random()) < 0.5: raise ConnectionResetError(104, f"reset ({value:.4f})")
        return key, round(value, 6)

class Breaker:
    state, failures = "closed", 0
    async def call(self, function, *args):
        if self.state == "open": raise PermissionError("circuit is open")
        try: result = await function(*args)
        except Exception:
            self.failures += 1
            if self.failures >= 2: self.state = "open"
            raise
        self.failures = 0; return result

async def main():
    flaky = Flaky(11)
    for key in "abc":
        try: print(await flaky.get(key))
        except OSError as error: print(type(error).__name__, error.strerror, error.__notes__)
    breaker = Breaker()
    async def bad(): raise LookupError("down")
    for _ in range(3):
        try: await breaker.call(bad)
        except Exception as error: print(type(error).__name__, error, breaker.state)
    print(flaky.get.__name__, inspect.iscoroutinefunction(flaky.get))
    try: await retry(times=1, on=(ValueError,))(bad)()
    except LookupError as error: log.exception("gave up") if False else log.error("gave up: %r", error)

if __name__ == "__main__":
    asyncio.run(main())
