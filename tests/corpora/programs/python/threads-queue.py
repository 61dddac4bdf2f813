import queue
import threading

tasks, results = queue.Queue(), queue.Queue()
STOP = object()

def worker(name):
    while (item := tasks.get()) is not STOP:
        results.put((item, item ** 2))
        tasks.task_done()
    tasks.task_done()

threads = [threading.Thread(target=worker, args=(f"w{i}",), name=f"w{i}", daemon=True) for i in range(3)]
for n in range(10):
    tasks.put(n)
for _ in threads:
    tasks.put(STOP)
for thread in threads:
    thread.start()
tasks.join()
for thread in threads:
    thread.join()
print(sorted(results.queue), results.qsize(), tasks.empty(), tasks.unfinished_tasks)
ordered = queue.PriorityQueue()
for item in [(3, "low"), (1, "high"), (2, "mid")]:
    ordered.put(item)
print([ordered.get()[1] for _ in range(3)])
stack = queue.LifoQueue(2); stack.put("a"); stack.put("b")
print(stack.full(), stack.get(), stack.maxsize)
for attempt in (lambda: queue.Queue().get_nowait(), lambda: queue.Queue(1).get(timeout=0.01), lambda: [q := queue.Queue(1), q.put(1), q.put(2, block=False)], lambda: queue.Queue().task_done()):
    try: attempt()
    except (queue.Empty, queue.Full, ValueError) as error: print(type(error).__name__, error)
closing = queue.Queue(); closing.put(1); closing.shutdown()
print(closing.get())
for attempt in (closing.get, lambda: closing.put(2)):
    try: attempt()
    except queue.ShutDown as error: print("ShutDown", repr(error))
print([t.is_alive() for t in threads], threads[0].name, threads[0].daemon)
