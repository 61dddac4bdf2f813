//! Who is compared: how each is set up and driven, and what isolation it really gives.
//!
//! - `embedded`, `confined`: all of them; `parts`: what several have in common

mod confined;
mod embedded;
mod parts;

use crate::protocol::Language::{self, JavaScript, Python};

/// A way to run scripts in sandboxes.
pub(crate) struct Peer {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) language: Language,
    pub(crate) setup: Setup,
    /// The command that starts its driver, in words. `{own}` is this program, `{node}` and
    /// `{python}` the interpreters that are installed, `{peers}` the folder of drivers, `{setup}`
    /// the one that this peer was set up in, `{rootfs}` a container's root, `{private}` is
    /// [`PRIVATE`], `{crun}` and the like are programs of the set-up. The driver for processes takes
    /// a command in which it puts `{id}` and `{mb}`.
    pub(crate) driver: &'static str,
    /// What makes away with a process of it that does not end by itself.
    pub(crate) cleanup: &'static str,
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
    /// A folder of `peers` that has a crate, which is compiled.
    pub(crate) cargo: &'static str,
    /// What is made for it besides.
    pub(crate) made: SharedSetup,
}

/// What several programs together make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedSetup {
    Nothing,
    /// A root filesystem with Python and Node, by debootstrap, and bundles for containers.
    Containers,
    /// The same as the disk of a virtual machine, with a kernel.
    Machine,
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

/// Starts a container's driver where the cgroups of the second version, mounted beside those of the
/// first, are out of sight: crun wants one or the other.
pub(crate) const PRIVATE: &str = "umount /sys/fs/cgroup/unified 2>/dev/null; exec \"$0\" \"$@\"";

/// All of them: Ampoule's own, which the others are held against, come first.
pub(crate) fn all() -> impl Iterator<Item = &'static Peer> + Clone {
    embedded::EMBEDDED.iter().chain(confined::CONFINED)
}

/// The one that a peer is held against.
pub(crate) fn baseline(language: Language) -> &'static Peer {
    match language {
        JavaScript => &embedded::EMBEDDED[0],
        Python => &embedded::EMBEDDED[1],
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
        for peer in all() {
            assert!(names.insert(peer.id), "{}", peer.id);
            let words = peer.driver.split(' ').filter(|word| !word.contains(':'));
            let files = words.filter_map(|word| word.strip_prefix("{peers}/"));
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
        for peer in all() {
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
