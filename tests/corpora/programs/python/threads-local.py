import threading, itertools, contextvars
from functools import lru_cache, cached_property, wraps

request_id = contextvars.ContextVar("request_id", default="none")
def handler(n, out):
    request_id.set(f"req-{n}")
    out[n] = request_id.get()
out = {}
for n in range(3):
    contextvars.copy_context().run(handler, n, out)
print(out, request_id.get())
token = request_id.set("outer"); print(request_id.get(), token.old_value is contextvars.Token.MISSING)
request_id.reset(token); print(request_id.get(), request_id.name)
def synchronized(lock):
    def decorate(function):
        @wraps(function)
        def inner(*args, **kwargs):
            with lock: return function(*args, **kwargs)
        return inner
    return decorate
lock = threading.RLock()
@synchronized(lock)
def factorial(n): "n!"; return 1 if n < 2 else n * factorial(n - 1)
print(factorial(20), factorial.__name__, factorial.__doc__, factorial.__wrapped__ is not factorial)
ids = itertools.count(1); taken = []
def take(): taken.extend(next(ids) for _ in range(100))
pool = [threading.Thread(target=take) for _ in range(5)]
for t in pool: t.start()
for t in pool: t.join()
print(len(taken), len(set(taken)), max(taken))
class Lazy:
    calls = 0
    @cached_property
    def value(self): type(self).calls += 1; return object()
lazy = Lazy(); results = []
pool = [threading.Thread(target=lambda: results.append(lazy.value)) for _ in range(4)]
for t in pool: t.start()
for t in pool: t.join()
print(Lazy.calls >= 1, len(results))
@lru_cache(maxsize=2)
def square(n): return n * n
print([square(n) for n in (1, 2, 1, 3, 1, 2)], square.cache_info(), square.cache_parameters())
timer_fired = []
timer = threading.Timer(0.01, timer_fired.append, args=["fired"]); timer.start(); timer.join()
cancelled = threading.Timer(10, timer_fired.append, args=["never"]); cancelled.start(); cancelled.cancel(); cancelled.join()
print(timer_fired, threading.get_ident() == threading.main_thread().ident)
