//! What containers need: a root filesystem, made here by debootstrap, so that no registry of images
//! takes part; a bundle for each language; where podman's parts are.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::packages::{once, succeed};

/// Memory of each, in MiB: an interpreter that is given half of it needs some besides.
const MEMORY: u64 = 256;

/// Makes a root filesystem with Python in it, and this machine's Node, in a folder.
pub(crate) fn root_filesystem(
    folder: &Path,
    debootstrap: &Path,
    node: Option<&str>,
) -> Result<PathBuf> {
    ensure!(
        rustix::process::getuid().is_root(),
        "only root can make a root filesystem"
    );
    let release = fs::read_to_string("/etc/os-release")?;
    let mut lines = release.lines();
    let name = lines.find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let name = name.context("this machine's release has no name")?;
    let root = folder.join("root");
    once(folder, &format!("{name} python3"), |_| {
        let mut command = Command::new(debootstrap);
        // Unpacked beside the system, it does not know where its own parts are.
        if let Some(own) = debootstrap
            .ancestors()
            .nth(3)
            .filter(|own| *own != Path::new("/"))
        {
            command.env("DEBOOTSTRAP_DIR", own.join("usr/share/debootstrap"));
        }
        command.args(["--variant=minbase", "--include=python3,libstdc++6", name]);
        succeed(command.arg(&root))?;
        if let Some(node) = node {
            fs::copy(node, root.join("usr/local/bin/node"))?;
        }
        Ok(fs::create_dir_all(root.join("peers"))?)
    })?;
    Ok(root)
}

/// Writes a bundle for each language, and gives the folder that has them.
pub(crate) fn bundles(folder: &Path, root: &Path, peers: &Path) -> Result<PathBuf> {
    let bundles = folder.join("bundles");
    let commands: [(&str, &[&str]); 2] = [
        (
            "python",
            &["/usr/bin/python3", "-I", "-S", "/peers/runner.py", "128"],
        ),
        (
            "node",
            &[
                "/usr/local/bin/node",
                "--max-old-space-size=128",
                "/peers/runner.mjs",
            ],
        ),
    ];
    for (name, command) in commands {
        let bundle = bundles.join(name);
        fs::create_dir_all(&bundle)?;
        let config = config(command, root, &peers.join("shared"));
        fs::write(
            bundle.join("config.json"),
            serde_json::to_vec_pretty(&config)?,
        )?;
    }
    Ok(bundles)
}

/// As `runc spec` writes it, but for a root that can't be written to, and no rights.
fn config(command: &[&str], root: &Path, peers: &Path) -> Value {
    let namespaces = ["pid", "network", "ipc", "uts", "mount"];
    let mount = |destination: &str, kind: &str, options: &[&str]| json!({ "destination": destination, "type": kind, "source": kind, "options": options });
    json!({
        "ociVersion": "1.0.2",
        "process": {
            "terminal": false,
            "user": { "uid": 65534, "gid": 65534 },
            "args": command,
            "env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
            "cwd": "/",
            "noNewPrivileges": true,
        },
        "root": { "path": root, "readonly": true },
        "mounts": [
            mount("/proc", "proc", &[]),
            mount("/dev", "tmpfs", &["nosuid", "mode=755", "size=65536k"]),
            mount("/tmp", "tmpfs", &["nosuid", "nodev", "size=16m"]),
            { "destination": "/peers", "type": "bind", "source": peers, "options": ["rbind", "ro"] },
        ],
        "linux": {
            "namespaces": namespaces.map(|kind| json!({ "type": kind })),
            "resources": { "memory": { "limit": MEMORY << 20 } },
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
            "readonlyPaths": ["/proc/bus", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        },
    })
}

/// Tells podman, by a file, where its parts were unpacked.
pub(crate) fn podman(folder: &Path, apt: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    // It starts its runtimes with an empty environment, in which they do not find their libraries.
    let program = |name: &str| apt.join("usr/bin").join(name);
    let runtime = |name: &str| -> Result<PathBuf> {
        let wrapper = folder.join(name);
        let libraries = apt.join("usr/lib/x86_64-linux-gnu");
        let text = format!(
            "#!/bin/sh\nLD_LIBRARY_PATH={} exec {} \"$@\"\n",
            libraries.display(),
            program(name).display()
        );
        fs::write(&wrapper, text)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&wrapper, mode)?;
        Ok(wrapper)
    };
    if fs::symlink_metadata(apt.join("usr/bin/runc")).is_err() {
        symlink("../sbin/runc", apt.join("usr/bin/runc"))?;
    }
    let (crun, runc) = (runtime("crun")?, runtime("runc")?);
    // Strings of JSON are strings of TOML.
    let text = format!(
        "[engine]\nconmon_path = {}\nhelper_binaries_dir = {}\n[engine.runtimes]\ncrun = {}\nrunc = {}\n",
        json!([program("conmon")]),
        json!([apt.join("usr/lib/podman"), apt.join("usr/libexec/podman")]),
        json!([crun]),
        json!([runc])
    );
    let file = folder.join("containers.conf");
    fs::write(&file, text)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_has_no_network_and_can_write_nowhere_but_to_its_own_memory() {
        let config = config(&["true"], Path::new("/root"), Path::new("/peers"));
        let namespaces = config["linux"]["namespaces"].as_array().unwrap();
        assert!(namespaces.contains(&json!({ "type": "network" })));
        assert_eq!(config["root"]["readonly"], true);
        let mounts = config["mounts"].as_array().unwrap();
        assert!(
            mounts
                .iter()
                .all(|mount| mount["type"] != "bind" || mount["options"][1] == "ro")
        );
    }
}
