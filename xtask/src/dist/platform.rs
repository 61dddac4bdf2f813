//! The list of platforms, and what each kind of package calls them.

use anyhow::{Context, Result};

/// The target that is built and tested where nothing else is said.
pub(super) const HERE: &str = "x86_64-unknown-linux-gnu";

/// An operating system, with the C library where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    /// Linux with GNU's C library.
    Linux,
    MacOs,
    Windows,
}

/// A kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processor {
    X86_64,
    Arm64,
}

/// One target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Platform {
    /// Rust's name.
    pub(super) triple: &'static str,
    pub(super) system: System,
    pub(super) processor: Processor,
}

/// All targets that a manifest or the install script may list. What was not built is not listed:
/// see `built`. `dist` builds those for Linux. Another one needs what `needs` and `release` do for
/// its kind of executables; it is built and tried on a machine of its kind, or by `--runner`. Only
/// [`HERE`] was.
pub(super) const PLATFORMS: [Platform; 5] = [
    platform(HERE, System::Linux, Processor::X86_64),
    platform("aarch64-unknown-linux-gnu", System::Linux, Processor::Arm64),
    platform("aarch64-apple-darwin", System::MacOs, Processor::Arm64),
    platform("x86_64-apple-darwin", System::MacOs, Processor::X86_64),
    platform("x86_64-pc-windows-msvc", System::Windows, Processor::X86_64),
];

const fn platform(triple: &'static str, system: System, processor: Processor) -> Platform {
    Platform {
        triple,
        system,
        processor,
    }
}

impl Platform {
    /// The one with this name, for which `dist` makes packages.
    ///
    /// # Errors
    ///
    /// No packages are made for it.
    pub(super) fn of(triple: &str) -> Result<Self> {
        let mut packaged = PLATFORMS
            .iter()
            .filter(|platform| platform.system == System::Linux);
        let found = packaged.clone().find(|platform| platform.triple == triple);
        found.copied().with_context(|| {
            let known: Vec<_> = packaged.by_ref().map(|platform| platform.triple).collect();
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

    /// The folder of npm's package, and what `process.arch` says.
    pub(super) const fn npm(self) -> [&'static str; 2] {
        match self.processor {
            Processor::X86_64 => ["linux-x64", "x64"],
            Processor::Arm64 => ["linux-arm64", "arm64"],
        }
    }

    /// Debian's name of the processor, which is also that of container images.
    pub(super) const fn deb(self) -> &'static str {
        match self.processor {
            Processor::X86_64 => "amd64",
            Processor::Arm64 => "arm64",
        }
    }

    /// The kernel's name of the processor, as RPM and Python's wheels have it.
    pub(super) const fn machine(self) -> &'static str {
        match self.processor {
            Processor::X86_64 => "x86_64",
            Processor::Arm64 => "aarch64",
        }
    }

    /// Nix's name.
    pub(super) const fn nix(self) -> Option<&'static str> {
        Some(match (self.system, self.processor) {
            (System::Linux, Processor::X86_64) => "x86_64-linux",
            (System::Linux, Processor::Arm64) => "aarch64-linux",
            (System::MacOs, Processor::X86_64) => "x86_64-darwin",
            (System::MacOs, Processor::Arm64) => "aarch64-darwin",
            (System::Windows, _) => return None,
        })
    }

    /// What `uname` prints of the system and of the processor. The install script runs where `uname`
    /// is.
    pub(super) const fn uname(self) -> Option<[&'static str; 2]> {
        Some(match (self.system, self.processor) {
            (System::Linux, Processor::X86_64) => ["Linux", "x86_64"],
            (System::Linux, Processor::Arm64) => ["Linux", "aarch64"],
            (System::MacOs, Processor::X86_64) => ["Darwin", "x86_64"],
            (System::MacOs, Processor::Arm64) => ["Darwin", "arm64"],
            (System::Windows, _) => return None,
        })
    }

    /// How the name of its archive ends.
    pub(super) const fn archive_end(self) -> &'static str {
        match self.system {
            System::Linux | System::MacOs => "tar.gz",
            System::Windows => "zip",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_made_for_linux_alone() {
        for platform in PLATFORMS {
            let of = Platform::of(platform.triple);
            assert_eq!(of.is_ok(), platform.system == System::Linux, "{of:?}");
        }
        let error = Platform::of("riscv64gc-unknown-linux-gnu").expect_err("it is not in the list");
        assert!(
            error
                .to_string()
                .ends_with("but for x86_64-unknown-linux-gnu and aarch64-unknown-linux-gnu")
        );
    }
}
