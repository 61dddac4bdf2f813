//! The package of Debian, in a root of its own, in which nothing else is installed.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rustix::process::{Signal, geteuid, kill_process};
use xtask::repository;

use super::install_page::commands;
use super::usage::{Client, InstalledProgram, REPORTS};
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, answer};
use crate::{debian, say};

/// The service's user has this home.
const HOME: &str = "/var/lib/ampoule";

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["debootstrap", "dpkg", "unshare", "chroot", "cp"]) {
        return Ok(skipped);
    }
    if !geteuid().is_root() {
        return Ok(PartOutcome::Skipped(
            "only root has roots of its own".to_owned(),
        ));
    }
    let folder = tempfile::tempdir()?;
    let root = debian::copied(folder.path())?;
    // What is only recommended would be fetched.
    fs::write(
        root.join("etc/apt/apt.conf.d/needed-alone"),
        "APT::Install-Recommends \"false\";\n",
    )?;
    let inside = |words: &[&str]| {
        let [program, arguments @ ..] = within(&root, "root:root");
        let mut command = clean(&program, Path::new("/"));
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        answer(command.args(arguments).arg(&root).args(words))
    };
    let name = packages.deb.file_name().context("a file has a name")?;
    fs::copy(&packages.deb, root.join(name))?;
    let said = inside(&["sh", "-euc", &commands("deb")?])?;
    ensure!(
        said.ends_with(b"\n42\n"),
        "what docs/start/install.md says gives:\n{}",
        String::from_utf8_lossy(&said)
    );
    let owner = inside(&["stat", "--format=%U:%G %a", "/etc/ampoule"])?;
    let owner = String::from_utf8(owner)?;
    ensure!(
        owner.trim() == "root:ampoule 750",
        "its configuration is of {owner}"
    );
    let owner = inside(&["stat", "--format=%U:%G %a", HOME])?;
    let owner = String::from_utf8(owner)?;
    ensure!(
        owner.trim() == "ampoule:ampoule 700",
        "its data are of {owner}"
    );
    for report in REPORTS {
        fs::copy(
            repository().join("examples").join(report),
            root.join("tmp").join(report),
        )?;
    }
    installed(&root).works(client)?;
    serves(&root)?;
    inside(&["dpkg", "--purge", "ampoule"])?;
    for left in ["usr/bin/ampoule", "etc/ampoule", "var/lib/ampoule"] {
        ensure!(
            !root.join(left).exists(),
            "{left} is left after `dpkg --purge`"
        );
    }
    Ok(PartOutcome::Works)
}

/// What runs a program in a root, as somebody, with a view of processes of its own.
fn within(root: &Path, user: &str) -> [String; 8] {
    let root = root.display();
    [
        "unshare".to_owned(),
        "--mount".to_owned(),
        "--pid".to_owned(),
        "--fork".to_owned(),
        "--kill-child".to_owned(),
        format!("--mount-proc={root}/proc"),
        "chroot".to_owned(),
        format!("--userspec={user}"),
    ]
}

/// The program, as the service's user.
fn installed(root: &Path) -> InstalledProgram {
    let mut words = within(root, "ampoule:ampoule").to_vec();
    words.extend([root.display().to_string(), "/usr/bin/ampoule".to_owned()]);
    InstalledProgram {
        words,
        environment: vec![
            ("HOME", HOME.to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
        ],
        examples: "/tmp".to_owned(),
    }
}

/// What the unit starts answers on the socket that it is handed.
fn serves(root: &Path) -> Result<()> {
    if let Some(PartOutcome::Skipped(reason)) = missing(&["systemd-socket-activate"]) {
        say(&format!("the service is not started: {reason}"));
        return Ok(());
    }
    let unit = fs::read_to_string(root.join("usr/lib/systemd/system/ampoule.service"))?;
    let starts = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))
        .context("the unit starts nothing")?;
    let free = TcpListener::bind("127.0.0.1:0")?;
    let at = free.local_addr()?;
    drop(free);
    let (mounted, activated) = (root.join("proc"), at.to_string());
    let script = r#"mount -t proc proc "$1" && exec systemd-socket-activate --listen="$2" chroot --userspec=ampoule:ampoule "$3" $4"#;
    let mut server = clean("unshare", Path::new("/"))
        .env("HOME", HOME)
        .args(["--mount", "sh", "-c", script, "sh"])
        .args([
            mounted.as_os_str(),
            OsStr::new(&activated),
            root.as_os_str(),
        ])
        .arg(starts)
        .spawn()?;
    let said = loop {
        if let Some(status) = server.try_wait()? {
            anyhow::bail!("the service ended: {status}");
        }
        if let Ok(mut connection) = TcpStream::connect(at) {
            connection.write_all(
                format!("GET /healthz HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n")
                    .as_bytes(),
            )?;
            let mut said = String::new();
            connection.read_to_string(&mut said)?;
            break said;
        }
        std::thread::yield_now();
    };
    kill_process(rustix::process::Pid::from_child(&server), Signal::TERM)?;
    let status = server.wait()?;
    ensure!(said.starts_with("HTTP/1.1 200"), "the service says {said}");
    ensure!(status.success(), "told to stop, it ends with {status}");
    Ok(())
}
