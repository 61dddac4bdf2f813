import threading
from collections import defaultdict

class Counter:
    def __init__(self):
        self._lock = threading.Lock()
        self.values = defaultdict(int)
    def add(self, key, n=1):
        with self._lock:
            self.values[key] += n

counter = Counter()
def work(key, times):
    for _ in range(times):
        counter.add(key)
threads = [threading.Thread(target=work, args=(k, t)) for k, t in [("a", 1000), ("b", 500), ("a", 250)]]
[t.start() for t in threads]
[t.join() for t in threads]
print(dict(counter.values))
lock = threading.Lock()
print(lock.acquire(), lock.locked(), lock.acquire(blocking=False), lock.acquire(timeout=0.01))
lock.release()
try: lock.release()
except RuntimeError as error: print("RuntimeError:", error)
rlock = threading.RLock()
with rlock, rlock: print("twice", rlock.locked())
try: rlock.release()
except RuntimeError as error: print("RuntimeError:", error)
semaphore = threading.BoundedSemaphore(2)
print(semaphore.acquire(), semaphore.acquire(), semaphore.acquire(blocking=False)); semaphore.release(2)
try: semaphore.release()
except ValueError as error: print("ValueError:", error)
once = []
def init(): once.append(len(once))
event = threading.Event()
def setter(): init(); event.set()
threading.Thread(target=setter).start()
print(event.wait(2), event.is_set(), once, threading.Event().wait(0.01))
condition, items = threading.Condition(), []
def produce():
    with condition: items.extend([1, 2]); condition.notify_all()
thread = threading.Thread(target=produce); thread.start()
with condition: print(condition.wait_for(lambda: items, timeout=2), items)
thread.join(); print(threading.active_count() >= 1, threading.main_thread().name, threading.current_thread() is threading.main_thread())
