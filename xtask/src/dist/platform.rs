//! What a target is called by each kind of package.

use anyhow::{Context, Result};

/// The target that is built and tested where nothing else is said.
pub(super) const HERE: &str = "x86_64-unknown-linux-gnu";

/// One target's names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Platform {
    /// Rust's.
    pub(super) triple: &'static str,
    /// npm's: the folder of the package, what `process.arch` says.
    pub(super) npm: [&'static str; 2],
    /// Debian's.
    pub(super) deb: &'static str,
    /// That of container images.
    pub(super) oci: &'static str,
    /// Python's.
    pub(super) wheel: &'static str,
}

/// Those that packages can be made for. Another one needs its names here, and what `needs` and
/// `release` do for its kind of executables; it is built and tried on a machine of its kind, or by
/// `--runner`. Only [`HERE`] was.
const PLATFORMS: [Platform; 2] = [
    Platform {
        triple: HERE,
        npm: ["linux-x64", "x64"],
        deb: "amd64",
        oci: "amd64",
        wheel: "x86_64",
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        npm: ["linux-arm64", "arm64"],
        deb: "arm64",
        oci: "arm64",
        wheel: "aarch64",
    },
];

impl Platform {
    /// The one with this name.
    ///
    /// # Errors
    ///
    /// No packages are made for it.
    pub(super) fn of(triple: &str) -> Result<Self> {
        let found = PLATFORMS
            .iter()
            .find(|platform| platform.triple == triple)
            .copied();
        found.with_context(|| {
            let known: Vec<_> = PLATFORMS.iter().map(|platform| platform.triple).collect();
            format!(
                "no packages are made for {triple}, but for {}",
                known.join(" and ")
            )
        })
    }

    /// Whether its programs run on this machine.
    pub(super) fn is_here(self) -> bool {
        let (processor, _) = self.triple.split_once('-').unwrap_or_default();
        cfg!(target_os = "linux") && processor == std::env::consts::ARCH
    }
}
