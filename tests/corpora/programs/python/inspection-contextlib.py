import contextlib, io, sys, warnings
from contextlib import contextmanager, ExitStack, AsyncExitStack, closing, redirect_stdout, redirect_stderr, suppress, nullcontext, ContextDecorator, asynccontextmanager
import asyncio

log = []
@contextmanager
def resource(name, swallow=()):
    log.append(f"+{name}")
    try:
        yield name.upper()
    except swallow as error:
        log.append(f"!{name}:{type(error).__name__}")
    finally:
        log.append(f"-{name}")

with resource("a") as a, resource("b", (KeyError,)) as b:
    {}["x"]
print(a, b, log); log.clear()
with ExitStack() as stack:
    names = [stack.enter_context(resource(n)) for n in "xyz"]
    stack.callback(log.append, "callback")
    stack.push(lambda kind, error, tb: log.append(kind and kind.__name__) or kind is ZeroDivisionError)
    kept = stack.pop_all() if False else None
    1 / 0
print(names, log); log.clear()
@resource("deco")
def decorated(): log.append("body"); return 5
print(decorated(), log)
class Timer(ContextDecorator):
    def __enter__(self): self.ticks = 1; return self
    def __exit__(self, *exc): self.ticks += 1; return False
@Timer()
def timed(): return "timed"
print(timed(), nullcontext(3).__enter__())
with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err, suppress(ValueError):
    print("hidden"); print("error", file=sys.stderr); int("x")
print(repr(out.getvalue()), repr(err.getvalue()))
with closing(io.StringIO("text")) as f: print(f.read())
print(f.closed)
@asynccontextmanager
async def connection(n):
    await asyncio.sleep(0); yield n; log.append(f"closed {n}")
async def main():
    async with AsyncExitStack() as stack, asyncio.timeout(5):
        print([await stack.enter_async_context(connection(n)) for n in range(3)])
log.clear(); asyncio.run(main()); print(log)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always"); warnings.warn("old", DeprecationWarning, stacklevel=2); warnings.warn("user")
print([(w.category.__name__, str(w.message)) for w in caught])
for bad in (lambda: resource("gen").__exit__(None, None, None), lambda: 5 .__enter__()):
    try: bad()
    except Exception as error: print(type(error).__name__, error)
try:
    with 5: pass
except TypeError as error: print(error)
