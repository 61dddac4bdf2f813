import threading, time

events = []
lock = threading.Lock()
def note(text):
    with lock:
        events.append(text)

def runner(n, ready, go):
    note(f"ready {n}")
    ready.release()
    go.wait(5)
    note(f"ran {n}")

ready, go = threading.Semaphore(0), threading.Event()
threads = [threading.Thread(target=runner, args=(n, ready, go)) for n in range(3)]
for t in threads: t.start()
for _ in threads: ready.acquire()
note("go")
go.set()
for t in threads: t.join()
print(events.index("go"))
print(*sorted(events), sep="\n")
barrier = threading.Barrier(3, action=lambda: note("all here"))
order = []
def meet(n):
    order.append(barrier.wait())
threads = [threading.Thread(target=meet, args=(n,)) for n in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(order), events[-1], barrier.parties, barrier.n_waiting, barrier.broken)
try:
    threading.Barrier(2).wait(timeout=0.01)
except threading.BrokenBarrierError as error:
    print("broken", repr(error))
print(threading.Barrier(1).wait())
