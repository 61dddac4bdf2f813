//! The guest of Python with numpy and pandas: a file of its own, beside the program or elsewhere.
//!
//! What is in it runs in isolates, as any guest does. But it is what interprets scripts, so whoever can
//! change it has what they are granted. So a file that others can write is refused.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ampoule_guests::GuestFile;
use ampoule_store::folder::open_what_only_owners_write;

/// A guest of Python with numpy and pandas, in its file.
#[derive(Debug, Clone)]
pub struct DataGuest(GuestFile);

impl DataGuest {
    /// What the file is called beside a program.
    pub const FILE: &str = "ampoule-python-data.wasm.zst";

    /// Opens its file: it reads what the guest has, and no more.
    ///
    /// # Errors
    ///
    /// The file can't be read, is not such a guest, or others can write it, or a folder that it is in.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open_what_only_owners_write(path)?;
        GuestFile::read(path, file).map(Self)
    }

    /// The file that is beside the program, or in `share/ampoule` beside the program's folder, if
    /// there is one.
    pub fn beside_the_program() -> Option<PathBuf> {
        let program = std::env::current_exe().ok()?.canonicalize().ok()?;
        let folder = program.parent()?;
        let shared = (folder.parent()).map(|prefix| prefix.join("share/ampoule"));
        let mut folders = [Some(folder.to_owned()), shared].into_iter().flatten();
        folders.find_map(|folder| Some(folder.join(Self::FILE)).filter(|path| path.is_file()))
    }

    /// Unpacks it, which takes most of a second: a file that is damaged is found by that.
    ///
    /// # Errors
    ///
    /// The file can't be read, or is not what it was when it was opened.
    pub fn prove(&self) -> io::Result<()> {
        self.0.component().map(drop)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The versions of the packages that are in it, by their names.
    pub fn packages(&self) -> &BTreeMap<String, String> {
        self.0.packages()
    }

    /// One that was opened before.
    pub(crate) fn of(file: GuestFile) -> Self {
        Self(file)
    }

    pub(crate) fn into_file(self) -> GuestFile {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_others_can_write_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(DataGuest::FILE);
        fs::write(&path, "no guest").expect("a file");
        for (mode, says) in [
            (0o602, "others can write the file"),
            (0o620, "others can write the file"),
            (0o644, "is not a guest"),
        ] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
            let refused = DataGuest::open(&path).expect_err("refused").to_string();
            assert!(refused.contains(says), "{mode:o}: {refused}");
        }
        let shared = folder.path().join("shared");
        fs::create_dir(&shared).expect("a folder");
        let within = shared.join(DataGuest::FILE);
        fs::write(&within, "no guest").expect("a file");
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).expect("its mode");
        let refused = DataGuest::open(&within).expect_err("refused").to_string();
        let says = format!("others can write to {}", shared.display());
        assert!(refused.contains(&says), "{refused}");
        // What a link leads to counts.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&within, &link).expect("a link");
        let refused = DataGuest::open(&link).expect_err("refused").to_string();
        assert!(refused.contains(&says), "{refused}");
        let missing = DataGuest::open(&folder.path().join("none")).expect_err("no file");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
