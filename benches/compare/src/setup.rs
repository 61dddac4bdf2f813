//! What peers need, brought here by ordinary package managers and kept between runs. Nothing of the
//! system is changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::containers;
use crate::peers::{PRIVATE, Peer, Setup};

/// The real MCP server, and what it is started by.
const SERVER: &str = "@modelcontextprotocol/server-everything@2026.8.31";
const SERVER_FILE: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A folder for what was set up, and what was found on this machine.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    pub(crate) peers: PathBuf,
    node: Option<Interpreter>,
    python: Option<Interpreter>,
}

#[derive(Clone)]
struct Interpreter {
    path: String,
    version: String,
}

/// A peer that can be started.
#[derive(Clone)]
pub(crate) struct Ready {
    command: Vec<String>,
    cleanup: Vec<String>,
    environment: HashMap<&'static str, String>,
}

impl Place {
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let tell = "process.stdout.write(process.execPath + ' Node ' + process.versions.node)";
        Ok(Self {
            folder,
            peers: Path::new(env!("CARGO_MANIFEST_DIR")).join("peers"),
            node: interpreter("node", &["-e", tell]),
            python: interpreter("python3", &["-c", PYTHON]),
        })
    }

    /// The command of the real MCP server, which is set up for it.
    pub(crate) fn server(&self) -> Result<Vec<String>> {
        let node = self.node.as_ref().context("there is no `node` here")?;
        let folder = self.folder.join("server");
        once(&folder, SERVER, |folder| npm(folder, &[SERVER]))?;
        let file = folder.join(SERVER_FILE).display().to_string();
        Ok(vec![node.path.clone(), file])
    }

    /// Sets a peer up, or says why that can't be done.
    pub(crate) fn prepare(&self, peer: &Peer) -> Result<Ready> {
        let own = env::current_exe()?.display().to_string();
        let folder = self.folder.join(peer.setup.name);
        let mut words = HashMap::from([
            ("{own}", own),
            ("{peers}", self.peers.display().to_string()),
            ("{setup}", folder.display().to_string()),
            ("{private}", PRIVATE.to_owned()),
        ]);
        for (word, found) in [("{node}", &self.node), ("{python}", &self.python)] {
            let needed = peer.driver.contains(word);
            match found {
                Some(found) => drop(words.insert(word, found.path.clone())),
                None if needed => bail!("there is no `{}` here", word.trim_matches(['{', '}'])),
                None => {}
            }
        }
        self.packages(&peer.setup, &folder)?;
        let mut environment = HashMap::from([("COMPARE_SETUP", folder.display().to_string())]);
        self.programs(&peer.setup, &mut words, &mut environment)?;
        if peer.setup.root {
            self.containers(&mut words, &mut environment)?;
        }
        let programs = peer.setup.programs.iter().filter_map(|(program, _)| {
            let word = format!("{{{program}}}");
            let used = peer.driver.contains(&word);
            used.then(|| version_of(&words[word.as_str()], &environment))?
        });
        let versions: Vec<String> = programs.chain([self.version(peer)]).collect();
        let versions = versions.into_iter().filter(|version| !version.is_empty());
        let versions = versions.collect::<Vec<_>>().join(", ");
        environment.insert("COMPARE_VERSION", versions);
        let filled = |template: &str| -> Vec<String> {
            let fill = |word: &str| {
                let fill =
                    |text: String, (name, value): (&&str, &String)| text.replace(*name, value);
                words.iter().fold(word.to_owned(), fill)
            };
            template.split_whitespace().map(fill).collect()
        };
        Ok(Ready {
            command: filled(peer.driver),
            cleanup: filled(peer.cleanup),
            environment,
        })
    }

    /// The interpreter that a process of the peer is, where it is one of the machine's.
    fn version(&self, peer: &Peer) -> String {
        let interpreters = [("{node}", &self.node), ("{python}", &self.python)];
        let used = interpreters
            .iter()
            .filter(|(word, _)| peer.driver.contains(*word));
        let versions = used.filter_map(|(_, found)| Some(found.as_ref()?.version.clone()));
        let packages = peer.setup.npm.iter().chain(peer.setup.pip);
        let packages = packages.map(|package| (*package).to_owned());
        versions.chain(packages).collect::<Vec<_>>().join(", ")
    }

    fn packages(&self, setup: &Setup, folder: &Path) -> Result<()> {
        let wanted = [setup.npm, setup.pip].concat().join(" ");
        if wanted.is_empty() {
            return Ok(());
        }
        once(folder, &wanted, |folder| {
            if !setup.npm.is_empty() {
                npm(folder, setup.npm)?;
            }
            if !setup.pip.is_empty() {
                let python = newest_python().or_else(|| self.python.clone());
                let python = python.context("there is no `python3` here")?;
                let venv = folder.join("venv");
                succeed(Command::new(&python.path).args(["-m", "venv"]).arg(&venv))?;
                let mut pip = Command::new(venv.join("bin/pip"));
                pip.args(["install", "--quiet", "--disable-pip-version-check"]);
                succeed(pip.args(setup.pip))?;
            }
            Ok(())
        })
    }

    /// Finds programs of the system, or unpacks the packages that have them beside it.
    fn programs(
        &self,
        setup: &Setup,
        words: &mut HashMap<&'static str, String>,
        environment: &mut HashMap<&'static str, String>,
    ) -> Result<()> {
        let missing = setup
            .programs
            .iter()
            .filter(|(program, _)| on_path(program).is_none());
        let packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
        let root = self.folder.join(format!("apt-{}", setup.name));
        if !packages.is_empty() {
            once(&root, &packages.join(" "), |root| unpack(root, &packages))?;
            let libraries = format!(
                "{0}/usr/lib/x86_64-linux-gnu:{0}/lib/x86_64-linux-gnu",
                root.display()
            );
            let path = format!("{0}/usr/bin:{0}/usr/sbin", root.display());
            let system = env::var("PATH").unwrap_or_default();
            environment.insert("LD_LIBRARY_PATH", libraries);
            environment.insert("PATH", format!("{path}:{system}"));
        }
        for (program, package) in setup.programs {
            let unpacked = ["usr/bin", "usr/sbin", "bin", "sbin"]
                .map(|folder| root.join(folder).join(program));
            let mut unpacked = unpacked.into_iter().filter(|path| path.exists());
            let found = on_path(program).or_else(|| unpacked.next());
            let found = found.with_context(|| format!("{package} has no `{program}`"))?;
            let word = PROGRAMS
                .iter()
                .find(|word| word.trim_matches(['{', '}']) == *program);
            words.insert(
                word.copied().unwrap_or("{program}"),
                found.display().to_string(),
            );
        }
        Ok(())
    }

    /// Makes what containers need.
    fn containers(
        &self,
        words: &mut HashMap<&'static str, String>,
        environment: &mut HashMap<&'static str, String>,
    ) -> Result<()> {
        let folder = self.folder.join("rootfs");
        let debootstrap = PathBuf::from(&words["{debootstrap}"]);
        let node = self.node.as_ref().map(|node| node.path.as_str());
        let root = containers::root_filesystem(&folder, &debootstrap, node)?;
        let bundles = containers::bundles(&folder, &root, &self.peers)?;
        if on_path("podman").is_none() {
            let apt = self.folder.join("apt-containers");
            let file = containers::podman(&folder.join("podman"), &apt)?;
            environment.insert("CONTAINERS_CONF", file.display().to_string());
        }
        for (word, path) in [("{rootfs}", root), ("{bundles}", bundles)] {
            words.insert(word, path.display().to_string());
        }
        Ok(())
    }
}

/// What commands name programs of the system by.
const PROGRAMS: [&str; 6] = [
    "{bwrap}",
    "{crun}",
    "{runc}",
    "{podman}",
    "{conmon}",
    "{debootstrap}",
];

impl Ready {
    /// The driver, with nothing in its environment but what it is told.
    pub(crate) fn command(&self, more: &[(&str, String)]) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env_clear();
        for name in ["PATH", "HOME"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(&self.environment);
        if !self.cleanup.is_empty() {
            command.env(
                "COMPARE_CLEANUP",
                serde_json::json!(self.cleanup).to_string(),
            );
        }
        command.envs(more.iter().map(|(name, value)| (name, value)));
        command
    }

    /// As it stands in the report.
    pub(crate) fn shown(&self, place: &Place) -> String {
        let words = self.command.iter().map(|word| {
            let word = word.replace(&place.folder.display().to_string(), "target/compare");
            let word = word.replace(&place.peers.display().to_string(), "peers");
            // The rest of a path is this machine's.
            match word.starts_with('/') && word.len() > 1 {
                true => word.rsplit('/').next().unwrap_or_default().to_owned(),
                false => word,
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Makes a folder unless it was made from the same list before.
pub(crate) fn once(
    folder: &Path,
    wanted: &str,
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let wanted = format!("{:x?}", Sha256::digest(wanted));
    let stamp = folder.join("made-from");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    make(folder)?;
    Ok(fs::write(stamp, wanted)?)
}

fn npm(folder: &Path, packages: &[&str]) -> Result<()> {
    // Or npm would look for a project further up.
    fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    let install = [
        "install",
        "--no-audit",
        "--no-fund",
        "--silent",
        "--save-exact",
    ];
    succeed(
        Command::new("npm")
            .args(install)
            .args(packages)
            .current_dir(folder),
    )
}

/// Packages of apt, and what they depend on that is not installed, unpacked into a folder.
fn unpack(root: &Path, packages: &[&str]) -> Result<()> {
    let archives = root.join("archives");
    fs::create_dir_all(archives.join("partial"))?;
    let mut apt = Command::new("apt-get");
    apt.args([
        "install",
        "--yes",
        "--quiet",
        "--download-only",
        "--no-install-recommends",
    ])
    .arg("-o")
    .arg(format!("Dir::Cache::archives={}", archives.display()))
    .args(["-o", "Debug::NoLocking=1"])
    .args(packages);
    succeed(&mut apt)?;
    for entry in fs::read_dir(&archives)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            succeed(
                Command::new("dpkg-deb")
                    .arg("--extract")
                    .arg(&path)
                    .arg(root),
            )?;
        }
    }
    Ok(fs::remove_dir_all(archives)?)
}

pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{program}` can't be started"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stderr, output.stdout].concat();
    let words = String::from_utf8_lossy(&words);
    let mut lines = words.lines().filter(|line| !line.trim().is_empty());
    bail!(
        "`{program}` failed: {}",
        lines.next_back().unwrap_or_default()
    )
}

/// Asks Python where it is, and what it is.
const PYTHON: &str =
    "import sys, platform; print(sys.executable, 'CPython', platform.python_version())";

/// A Python that is newer than the machine's own may be: some packages want one.
fn newest_python() -> Option<Interpreter> {
    let names = ["python3.14", "python3.13", "python3.12"];
    let mut there = names
        .iter()
        .filter_map(|name| interpreter(name, &["-c", PYTHON]));
    there.next().or_else(|| {
        // One that pyenv has, but does not offer.
        let versions = PathBuf::from(env::var_os("HOME")?).join(".pyenv/versions");
        let versions = fs::read_dir(versions).ok()?.flatten();
        let programs = versions.map(|version| version.path().join("bin/python3"));
        let programs = programs.filter_map(|path| interpreter(path.to_str()?, &["-c", PYTHON]));
        programs.max_by_key(|python| {
            let version = python.version.trim_start_matches("CPython ");
            let numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
            numbers.collect::<Vec<u32>>()
        })
    })
}

/// What a program says of where it really is, and of its version.
fn interpreter(program: &str, ask: &[&str]) -> Option<Interpreter> {
    let output = Command::new(program).args(ask).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (path, version) = text.trim().split_once(' ')?;
    Some(Interpreter {
        path: path.to_owned(),
        version: version.to_owned(),
    })
}

/// The first line of what a program of the system says of itself.
fn version_of(program: &str, environment: &HashMap<&'static str, String>) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .envs(environment)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().next()?.to_owned())
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut found = env::split_paths(&path).map(|folder| folder.join(program));
    found.find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_kept_until_the_list_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("peer");
        let made = |wanted: &str| {
            let mut made = false;
            once(&folder, wanted, |_| {
                made = true;
                Ok(())
            })
            .unwrap();
            made
        };
        assert!(made("a@1") && !made("a@1") && made("a@2"));
        assert!(once(&folder, "a@3", |_| bail!("no")).is_err());
        // What failed is tried again.
        assert!(made("a@3"));
    }
}
