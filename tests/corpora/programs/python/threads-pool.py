from concurrent.futures import ThreadPoolExecutor, as_completed, wait, FIRST_EXCEPTION, ALL_COMPLETED
import threading, time

def fetch(n):
    time.sleep(0.001 * n)
    if n == 3:
        raise ValueError(f"bad id {n}")
    return n * n

with ThreadPoolExecutor(max_workers=4, thread_name_prefix="worker") as pool:
    futures = {pool.submit(fetch, n): n for n in range(6)}
    results = {}
    for future in as_completed(futures):
        n = futures[future]
        try:
            results[n] = future.result()
        except ValueError as error:
            results[n] = f"error: {error}"
for n in sorted(results):
    print(n, results[n])
with ThreadPoolExecutor() as pool:
    print(list(pool.map(pow, [2, 3, 4], [5, 2, 1])), sum(pool.map(len, ["a", "bb"], timeout=5)))
    done, pending = wait([pool.submit(fetch, n) for n in (1, 3)], return_when=ALL_COMPLETED)
    print(len(done), len(pending), sorted(type(f.exception()).__name__ for f in done))
future = pool.submit if False else None
try:
    pool.submit(fetch, 1)
except RuntimeError as error:
    print("RuntimeError:", error)
with ThreadPoolExecutor(2) as pool:
    future = pool.submit(lambda: threading.current_thread().is_alive())
    seen = []
    future.add_done_callback(lambda f: seen.append((f.done(), f.cancelled(), f.exception())))
    print(future.result(timeout=2), seen, future.running())
    iterator = pool.map(fetch, [1, 3, 2])
    print(next(iterator))
    try: next(iterator)
    except ValueError as error: print("ValueError:", error)
