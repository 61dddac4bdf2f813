import queue, threading, time

buffer = queue.Queue(maxsize=2)
log = []
def producer():
    for n in range(6):
        buffer.put(n)
        log.append(("put", n))
    buffer.put(None)
def consumer(out):
    while (item := buffer.get()) is not None:
        out.append(item * 10)
out = []
threads = [threading.Thread(target=producer), threading.Thread(target=consumer, args=(out,))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(out)
print(len(log), log[0], log[-1])
print(buffer.empty(), buffer.qsize(), buffer.maxsize)
print(sum(out), max(out))
print(all(not thread.is_alive() for thread in threads))
