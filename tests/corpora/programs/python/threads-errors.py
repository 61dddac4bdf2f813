import threading, sys, traceback
from concurrent.futures import ThreadPoolExecutor, CancelledError, Future, TimeoutError, InvalidStateError

caught = []
threading.excepthook = lambda args: caught.append((args.exc_type.__name__, str(args.exc_value), args.thread.name))
def fail(kind): raise kind("on purpose")
threads = [threading.Thread(target=fail, args=(k,), name=f"t-{k.__name__}") for k in (ValueError, KeyError, ZeroDivisionError)]
for t in threads: t.start(); t.join()
print(*caught, sep="\n")
class Result(threading.Thread):
    def __init__(self, function, *args):
        super().__init__(); self.function, self.args, self.value, self.error = function, args, None, None
    def run(self):
        try: self.value = self.function(*self.args)
        except Exception as error: self.error = error
    def result(self):
        self.join()
        if self.error: raise self.error
        return self.value
jobs = [Result(divmod, 7, 2), Result(divmod, 7, 0)]
for job in jobs: job.start()
for job in jobs:
    try: print(job.result())
    except ZeroDivisionError as error: print("ZeroDivisionError:", error)
try: jobs[0].start()
except RuntimeError as error: print(error)
try: threading.Thread(target=print).join()
except RuntimeError as error: print(error)
future = Future(); print(future.cancel(), future.cancelled(), future.cancel())
try: future.result()
except CancelledError as error: print("CancelledError", error)
future = Future(); future.set_result(5)
try: future.set_result(6)
except InvalidStateError as error: print(type(error).__name__, str(error).split(":")[0])
try: Future().result(timeout=0.01)
except TimeoutError as error: print("TimeoutError", TimeoutError is __builtins__.TimeoutError)
with ThreadPoolExecutor(1) as pool:
    try: pool.submit(fail, LookupError).result()
    except LookupError as error: print(traceback.format_exception_only(error), [f.name for f in traceback.extract_tb(error.__traceback__)][-1])
