//! Where clients keep the user's own file, on each system.

use super::super::user::System;

/// Where a user's own file may be, on each system, as [`User::path`](super::super::User::path)
/// reads it. The first that is there counts; where none is, the first that can be is made.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) linux: &'static [&'static str],
    pub(super) macos: &'static [&'static str],
    pub(super) windows: &'static [&'static str],
}

impl Places {
    /// The same on each system, but for what `~` and the like stand for there.
    pub(super) const fn same(places: &'static [&'static str]) -> Self {
        Self {
            linux: places,
            macos: places,
            windows: places,
        }
    }

    /// Those on one system.
    pub(super) const fn on(&self, system: System) -> &'static [&'static str] {
        match system {
            System::Linux => self.linux,
            System::MacOs => self.macos,
            System::Windows => self.windows,
        }
    }
}
