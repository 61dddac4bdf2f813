//! What peers need, brought here by ordinary package managers and kept between runs. Nothing of the
//! system is changed.
//!
//! - `packages`: those managers; `interpreters`: what this machine has
//! - `containers`: a root filesystem, and settings of container runtimes; `microvm`: it as a
//!   machine
//! - `ready`: a peer that can be started

mod containers;
mod interpreters;
mod microvm;
mod packages;
mod ready;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use self::interpreters::{Interpreter, newest_python, on_path, version_of};
use self::packages::{npm, once, succeed, unpack};
pub(crate) use self::ready::StartablePeer;
use crate::peers::{PRIVATE, Peer, Setup, SharedSetup};

/// The real MCP server, and what it is started by.
const SERVER: &str = "@modelcontextprotocol/server-everything@2026.8.31";
const SERVER_FILE: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A folder for what was set up, and what was found on this machine.
pub(crate) struct SetupFolder {
    pub(crate) folder: PathBuf,
    pub(crate) peers: PathBuf,
    node: Option<Interpreter>,
    python: Option<Interpreter>,
}

/// What stands for what in the words of a command.
type Substitutions = HashMap<String, String>;
/// The environment of a driver.
type Environment = HashMap<&'static str, String>;

impl SetupFolder {
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            peers: Path::new(env!("CARGO_MANIFEST_DIR")).join("peers"),
            node: interpreters::node(),
            python: interpreters::python(),
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
    pub(crate) fn prepare(&self, peer: &Peer) -> Result<StartablePeer> {
        let own = env::current_exe()?.display().to_string();
        let folder = self.folder.join(peer.setup.name);
        let mut words: Substitutions = [
            ("{own}", own),
            ("{peers}", self.peers.display().to_string()),
            ("{setup}", folder.display().to_string()),
            ("{private}", PRIVATE.to_owned()),
        ]
        .map(|(word, value)| (word.to_owned(), value))
        .into();
        for (word, found) in [("{node}", &self.node), ("{python}", &self.python)] {
            match found {
                Some(found) => drop(words.insert(word.to_owned(), found.path.clone())),
                None if peer.driver.contains(word) => {
                    bail!("there is no `{}` here", word.trim_matches(['{', '}']))
                }
                None => {}
            }
        }
        if peer.setup.made == SharedSetup::Machine {
            microvm::possible()?;
        }
        self.packages(&peer.setup, &folder)?;
        let mut environment = Environment::from([("COMPARE_SETUP", folder.display().to_string())]);
        self.programs(&peer.setup, &mut words, &mut environment)?;
        match peer.setup.made {
            SharedSetup::Nothing => {}
            SharedSetup::Containers => self.containers(&mut words, &mut environment)?,
            SharedSetup::Machine => self.machine(&mut words)?,
        }
        environment.insert("COMPARE_VERSION", self.versions(peer, &words, &environment));
        let filled = |template: &str| -> Vec<String> {
            let fill = |word: &str| {
                let fill = |text: String, (name, value): (&String, &String)| {
                    text.replace(name.as_str(), value)
                };
                words.iter().fold(word.to_owned(), fill)
            };
            template.split_whitespace().map(fill).collect()
        };
        Ok(StartablePeer {
            command: filled(peer.driver),
            cleanup: filled(peer.cleanup),
            environment,
        })
    }

    /// What its driver does not know of itself: the versions of the programs that its command
    /// names, of the interpreter, and of packages.
    fn versions(&self, peer: &Peer, words: &Substitutions, environment: &Environment) -> String {
        let programs = peer.setup.programs.iter().filter_map(|(program, _)| {
            let word = format!("{{{program}}}");
            let used = peer.driver.contains(&word);
            used.then(|| version_of(&words[&word], environment))?
        });
        let interpreters = [("{node}", &self.node), ("{python}", &self.python)];
        let used = interpreters
            .iter()
            .filter(|(word, _)| peer.driver.contains(*word));
        let interpreters = used.filter_map(|(_, found)| Some(found.as_ref()?.version.clone()));
        let packages = peer.setup.npm.iter().chain(peer.setup.pip);
        let packages = packages.map(|package| (*package).to_owned());
        let versions = programs.chain(interpreters).chain(packages);
        versions.collect::<Vec<_>>().join(", ")
    }

    fn packages(&self, setup: &Setup, folder: &Path) -> Result<()> {
        let wanted = [setup.npm, setup.pip].concat().join(" ");
        if !setup.cargo.is_empty() {
            let manifest = self.peers.join(setup.cargo).join("Cargo.toml");
            // Cargo knows itself what is up to date.
            packages::cargo(folder, &manifest)?;
        }
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
        words: &mut Substitutions,
        environment: &mut Environment,
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
            words.insert(format!("{{{program}}}"), found.display().to_string());
        }
        Ok(())
    }

    /// A root filesystem with interpreters.
    fn root(&self, words: &Substitutions) -> Result<PathBuf> {
        let folder = self.folder.join("rootfs");
        let debootstrap = PathBuf::from(&words["{debootstrap}"]);
        let node = self.node.as_ref().map(|node| node.path.as_str());
        containers::root_filesystem(&folder, &debootstrap, node)
    }

    /// Makes what containers need.
    fn containers(&self, words: &mut Substitutions, environment: &mut Environment) -> Result<()> {
        let root = self.root(words)?;
        let folder = self.folder.join("rootfs");
        let bundles = containers::bundles(&folder, &root, &self.peers)?;
        if on_path("podman").is_none() {
            let apt = self.folder.join("apt-containers");
            let file = containers::podman(&folder.join("podman"), &apt)?;
            environment.insert("CONTAINERS_CONF", file.display().to_string());
        }
        for (word, path) in [("{rootfs}", root), ("{bundles}", bundles)] {
            words.insert(word.to_owned(), path.display().to_string());
        }
        Ok(())
    }

    /// Makes what virtual machines need.
    fn machine(&self, words: &mut Substitutions) -> Result<()> {
        let root = self.root(words)?;
        let mke2fs = Path::new(&words["{mke2fs}"]);
        let folder = self.folder.join("machine");
        let made = microvm::machine(&folder, &root, &self.peers, mke2fs)?;
        // QEMU that is installed knows where its firmware is; one that was unpacked does not.
        let program = Path::new(&words["{qemu-system-x86_64}"]);
        let firmware = program.ancestors().nth(2).map(|own| own.join("share/qemu"));
        let firmware = firmware.context("QEMU has no firmware")?;
        for (word, path) in [
            ("{kernel}", made.kernel),
            ("{initial}", made.initial),
            ("{image}", made.image),
            ("{firmware}", firmware),
        ] {
            words.insert(word.to_owned(), path.display().to_string());
        }
        // Words of one word.
        let quiet = "quiet reboot=t panic=-1 ";
        words.insert("{quiet}".to_owned(), quiet.to_owned());
        Ok(())
    }
}
