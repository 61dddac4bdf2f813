//! A user with a folder of their own, for tests.

use super::{System, User};

pub(super) struct Somebody {
    pub(super) home: tempfile::TempDir,
    pub(super) user: User,
}

impl Somebody {
    /// One who works in a folder, with Ampoule at a place. What their variables hold is secret.
    pub(super) fn at(folder: &str, program: &str) -> Self {
        Self::on(System::Linux, folder, program)
    }

    /// The same on another system, whose variables there are, and no others.
    pub(super) fn on(system: System, folder: &str, program: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let variables = [
            (system.home_variable(), home.path().to_str().unwrap()),
            ("GITHUB_TOKEN", "hunter2-hunter2"),
            ("AMPOULE_INPUT_API_KEY", "hunter2-input"),
        ];
        let user = User {
            system,
            environment: variables
                .map(|(name, value)| (name.to_owned(), value.into()))
                .into(),
            folder: folder.into(),
            program: program.into(),
        };
        Self { home, user }
    }
}
