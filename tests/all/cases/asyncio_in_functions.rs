//! Python that runs coroutines in code that is not async, and that starts threads: it does what is
//! meant, or one error says that there are no threads. Nothing waits for the wall time.

use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace};
use serde_json::{Value, json};

/// How long a script may take that has nothing to wait for. Most of it is the binary's start.
const SOON: Duration = Duration::from_secs(20);

async fn run(code: &str) -> Ran {
    let workplace = Workplace::default();
    let config = format!(
        "[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n[limits]\nwall-time = '60s'\n",
        binary().display()
    );
    workplace.file("ampoule.toml", config);
    let began = Instant::now();
    let arguments = [
        "run",
        "--quiet",
        "--json",
        "--language",
        "python",
        "-e",
        code,
    ];
    let ran = workplace.run(&arguments).await;
    assert!(began.elapsed() < SOON, "{code}: {ran:?}");
    ran
}

async fn gives(code: &str, value: Value) {
    let ran = run(code).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.json()["value"], value, "{ran:?}");
}

async fn says(code: &str, parts: &[&str]) {
    let ran = run(code).await;
    assert_ne!(ran.code, Some(0), "{ran:?}");
    let told = ran.json().to_string();
    for part in parts {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test]
async fn runners_and_loops_work_where_a_loop_runs() {
    let code = "
import asyncio
async def work(n):
    await asyncio.sleep(0.01)
    return n * 2
out = []
with asyncio.Runner() as runner:
    out.append(runner.run(work(1)))
    out.append(runner.run(work(2)))
    out.append(runner.get_loop() is not None)
out.append(asyncio.run(work(3)))
out.append(await work(4))
async def many():
    async with asyncio.TaskGroup() as g:
        tasks = [g.create_task(work(i)) for i in (5, 6)]
    return [t.result() for t in tasks]
out += asyncio.run(many())
loop = asyncio.new_event_loop()
out.append(loop.run_until_complete(work(7)))
loop.close()
out.append(await asyncio.wait_for(work(8), 1))
out.append(await asyncio.gather(*(asyncio.to_thread(lambda i=i: i) for i in range(3))))
return out
";
    gives(code, json!([2, 4, true, 6, 8, 10, 12, 14, 16, [0, 1, 2]])).await;
}

#[tokio::test]
async fn tools_are_called_in_runners_within_functions_of_async_code() {
    let code = "
import asyncio
def helper():
    with asyncio.Runner() as runner:
        async def work():
            orders = (await tools.demo.list_orders(limit=2))['items']
            return len(orders), asyncio.get_running_loop() is runner.get_loop()
        return runner.run(work())
async def main():
    return [helper(), *await asyncio.gather(asyncio.to_thread(helper), asyncio.to_thread(helper))]
await main()
";
    gives(code, json!([[2, true], [2, true], [2, true]])).await;
}

#[tokio::test]
async fn a_nested_run_that_nothing_can_end_says_so_at_once() {
    let code = "
import asyncio
async def never():
    await asyncio.get_running_loop().create_future()
async def main():
    with asyncio.Runner() as runner:
        runner.run(never())
await main()
";
    says(code, &["waits for something that nothing can bring about"]).await;
}

#[tokio::test]
async fn runs_within_runs_have_a_bound() {
    let code = "
import asyncio
async def work(n):
    return asyncio.run(work(n + 1)) if n < most else n
most = 40
assert await work(0) == 40
most = 10**9
await work(0)
";
    says(
        code,
        &[
            "RecursionError",
            "event loops would run one within the other",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_thread_wakes_the_loop() {
    let code = "
import asyncio, sqlite3, threading
async def main():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    def worker():
        row = sqlite3.connect(':memory:').execute('select 1').fetchone()
        loop.call_soon_threadsafe(future.set_result, list(row))
    thread = threading.Thread(target=worker, daemon=True)
    thread.start()
    row = await asyncio.wait_for(future, 5)
    thread.join()
    return {'row': row, 'done': await asyncio.to_thread(lambda: 1)}
return await main()
";
    gives(code, json!({"row": [1], "done": 1})).await;
}

#[tokio::test]
async fn a_thread_takes_what_is_in_a_queue() {
    let code = "
import queue, threading
from concurrent.futures import ThreadPoolExecutor, as_completed
q, out = queue.Queue(), []
def work():
    while (n := q.get()) is not None:
        out.append(n * n)
        q.task_done()
for n in range(3): q.put(n)
q.put(None)
t = threading.Thread(target=work)
t.start(); t.join(timeout=5)
with ThreadPoolExecutor(4) as pool:
    squares = sorted(f.result() for f in as_completed([pool.submit(pow, n, 2) for n in range(3)]))
assert squares == [0, 1, 4]
return out
";
    gives(code, json!([0, 1, 4])).await;
}

#[tokio::test]
async fn where_only_a_thread_would_help_one_error_says_so() {
    let no_threads = [
        "RuntimeError",
        "There are no threads here",
        "asyncio.gather",
        "asyncio.to_thread",
    ];
    // The thread and the script wait for each other in turn.
    let bounded = "
import queue, threading
q = queue.Queue(maxsize=1)
def work():
    while q.get() is not None:
        pass
thread = threading.Thread(target=work)
thread.start()
for n in range(3):
    q.put(n)
thread.join()
";
    says(bounded, &no_threads).await;
    for wait in [
        "queue.SimpleQueue().get()",
        "threading.Event().wait()",
        "threading.Barrier(2).wait()",
        "threading.Semaphore(0).acquire()",
        "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    ] {
        says(&format!("import queue, threading\n{wait}"), &no_threads).await;
    }
}

#[tokio::test]
async fn a_thread_that_would_sleep_for_ever_ends() {
    let code = "
import threading, time
stop = threading.Event()
def spin():
    while not stop.is_set():
        time.sleep(0.5)
threading.Thread(target=spin).start()
await tools.demo.list_orders(limit=1)
stop.set()
";
    says(
        code,
        &["the rest of the script", "There are no threads here"],
    )
    .await;
}
