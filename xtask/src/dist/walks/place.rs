//! A Debian as somebody finds it who begins, and the steps that they take there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::dist::{all_packages, answer, platform};
use crate::{debian, say};

/// Where programs are, with the toolchain that [`Place::shows`] may bring.
const PATH: &str = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/rust/bin";

/// What this machine knows of registries. A machine of one's own may know other authorities.
const OF_REGISTRIES: [&str; 2] = ["etc/ssl/certs/ca-certificates.crt", "etc/pip.conf"];

/// Runs a script in the system: the first argument is its folder, the second the script; folders of
/// this machine follow, each with its place there.
const ENTER: &str = r#"root=$1 script=$2
shift 2
while [ $# -gt 0 ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  shift 2
done
exec chroot "$root" sh -euc "$script""#;

pub(super) struct Place {
    /// It has the system, and goes with this.
    _folder: TempDir,
    root: PathBuf,
    /// Folders of this machine that are seen there.
    shown: Vec<PathBuf>,
    variables: Vec<(&'static str, &'static str)>,
    taken: Duration,
}

impl Place {
    pub(super) fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self {
            root: debian::copied(folder.path())?,
            _folder: folder,
            shown: Vec::new(),
            variables: vec![("HOME", "/root"), ("LANG", "C.UTF-8"), ("PATH", PATH)],
            taken: Duration::ZERO,
        })
    }

    /// How long all steps took.
    pub(super) fn seconds(&self) -> f64 {
        self.taken.as_secs_f64()
    }

    /// A path of the system, as this machine sees it.
    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// Packages of Debian that are there before the walk.
    pub(super) fn has(&self, packages: &[&str]) -> Result<()> {
        let packages = packages.join(" ");
        self.prints(&format!(
            "apt-get update && apt-get install --no-install-recommends {packages}"
        ))
        .map(drop)
    }

    /// Has it know the registries that this machine knows.
    pub(super) fn knows_registries(&mut self) -> Result<()> {
        for file in OF_REGISTRIES {
            let here = Path::new("/").join(file);
            if here.is_file() {
                let there = self.path(file);
                fs::create_dir_all(there.parent().context("a file is in a folder")?)?;
                fs::copy(here, there)?;
            }
        }
        let authorities = "/etc/ssl/certs/ca-certificates.crt";
        self.variables.push(("NODE_EXTRA_CA_CERTS", authorities));
        Ok(())
    }

    /// Has a folder of this machine seen there, at this place.
    pub(super) fn shows(&mut self, here: impl Into<PathBuf>, there: &str) {
        self.shown.extend([here.into(), there.into()]);
    }

    /// Sets a variable of all commands.
    pub(super) fn sets(&mut self, name: &'static str, value: &'static str) {
        self.variables.push((name, value));
    }

    /// Puts packages into the home: those whose names begin and end so.
    pub(super) fn brings(&self, begin: &str, end: &str) -> Result<()> {
        let folder = all_packages().join(platform::HERE);
        let mut found = 0;
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with(begin) && name.ends_with(end) {
                fs::copy(path, self.path("root").join(&*name))?;
                found += 1;
            }
        }
        let shown = folder.display();
        ensure!(
            found > 0,
            "{shown} has no package {begin}…{end}; run `cargo xtask dist` first"
        );
        Ok(())
    }

    /// Writes a file in the home.
    pub(super) fn writes(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path("root").join(name);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(&path, text).with_context(|| format!("{} can't be written", path.display()))
    }

    /// Takes a step: types commands in the home. Gives what they print.
    pub(super) fn step(&mut self, what: &str, typed: &str) -> Result<String> {
        let started = Instant::now();
        let said = self.prints(typed).with_context(|| what.to_owned())?;
        self.took(what, started);
        Ok(said)
    }

    /// Notes a step that began then.
    pub(super) fn took(&mut self, what: &str, started: Instant) {
        let time = started.elapsed();
        self.taken += time;
        say(&format!("{:7.1} s: {what}", time.as_secs_f64()));
    }

    /// What commands print that are not a step.
    pub(super) fn prints(&self, typed: &str) -> Result<String> {
        Ok(String::from_utf8(answer(&mut self.command(typed))?)?)
    }

    /// What runs commands in the home, with nothing of this machine but its network and what is
    /// shown. They end with this process.
    pub(super) fn command(&self, typed: &str) -> Command {
        let proc = self.path("proc");
        let mut command = Command::new("unshare");
        command
            .env_clear()
            .envs(self.variables.iter().copied())
            .args(["--mount", "--pid", "--fork", "--kill-child"])
            .arg(format!("--mount-proc={}", proc.display()))
            .args(["sh", "-euc", ENTER, "sh"])
            .arg(&self.root)
            .arg(format!("cd /root\n{typed}"))
            .args(&self.shown)
            .stdin(Stdio::null());
        command
    }
}
