//! Wheels, downloaded by the user's own pip: with its index, its settings and its rules.

use std::path::Path;

use ampoule::{Package, PackageError, PackageFolder, WheelName};
use ampoule_untrusted::text;
use tempfile::TempDir;
use tokio::process::Command;

use crate::exit::Failure;
use crate::packages::download::{SHOWN_LINES, ended, failure, lines};
use crate::streams;

/// The version of Python that scripts have.
const VERSION: &str = "3.14";
/// Runs pip, and nothing of a package.
const PIP: &str = include_str!("pip.py");

const COMPILED: &str = "only packages with a wheel of pure Python (`py3-none-any`) can be added; if a package builds one from its source, as `pip wheel NAME` may, add it with `--from FOLDER`";

/// How files end that pip would unpack and build.
const ARCHIVES: [&str; 10] = [
    ".whl", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".tlz",
];

/// What to download.
pub(super) struct Request<'a> {
    /// Names, perhaps with versions, as pip takes them; or paths of wheels.
    pub(super) packages: &'a [String],
    /// The folder of wheels that is used instead of an index.
    pub(super) from: Option<&'a Path>,
    /// Packages whose versions stay.
    pub(super) kept: Vec<&'a Package>,
    /// The folder of their wheels.
    pub(super) folder: &'a PackageFolder,
}

impl Request<'_> {
    /// Downloads the wheels, with those that they need, into a folder.
    pub(super) async fn download(&self) -> Result<TempDir, Failure> {
        self.check()?;
        let folder = tempfile::tempdir()?;
        let constraints = folder.path().join("constraints.txt");
        let versions: String = self.kept.iter().map(|it| it.pinned() + "\n").collect();
        tokio::fs::write(&constraints, versions).await?;
        let (kept, missing) = (folder.path().join("kept"), self.missing()?);
        self.put_kept(&kept).await?;
        let wheels = folder.path().join("wheels");
        let mut pip = Command::new("python3");
        pip.args(["-c", PIP, "download", "--quiet", "--no-input"])
            .args(["--disable-pip-version-check", "--only-binary", ":all:"])
            .args([
                "--implementation",
                "py",
                "--abi",
                "none",
                "--platform",
                "any",
            ])
            .args(["--python-version", VERSION, "--dest"])
            .arg(&wheels)
            .arg("--constraint")
            .arg(&constraints)
            .arg("--find-links")
            .arg(&kept);
        if let Some(from) = self.from {
            pip.args(["--no-index", "--find-links"]).arg(from);
        }
        pip.arg("--").args(self.packages).args(missing);
        let waiting = streams::err().waiting();
        waiting.on("pip downloads wheels".to_owned());
        let done = ended(pip, "python3 -m pip").await;
        drop(waiting);
        let done = done?;
        match done.status.success() {
            true => Ok(folder),
            false => Err(self.failed(&String::from_utf8_lossy(&done.stderr))),
        }
    }

    /// The packages that stay and whose wheels are gone, such as on another machine: pip downloads them
    /// again.
    fn missing(&self) -> Result<Vec<String>, Failure> {
        let mut missing = Vec::new();
        for package in &self.kept {
            match self.folder.archive(package) {
                Ok(_) => {}
                Err(PackageError::Missing { .. }) => missing.push(package.pinned()),
                Err(error) => return Err(Failure::usage(error.to_string())),
            }
        }
        Ok(missing)
    }

    /// Puts the wheels that stay where pip finds them: a folder of wheels may lack them.
    async fn put_kept(&self, folder: &Path) -> Result<(), Failure> {
        tokio::fs::create_dir(folder).await?;
        for package in &self.kept {
            if let Ok(wheel) = self.folder.archive(package) {
                let name = package.name().replace('-', "_");
                let file = format!("{name}-{}-py3-none-any.whl", package.version());
                tokio::fs::write(folder.join(file), wheel).await?;
            }
        }
        Ok(())
    }

    /// Refuses what pip would run or build: code of a package runs in an isolate alone.
    fn check(&self) -> Result<(), Failure> {
        for package in self.packages {
            let path = Path::new(package);
            if package.ends_with(".whl") && path.is_file() {
                let file = path.file_name().unwrap_or_default();
                let named = WheelName::of(&file.to_string_lossy());
                named.map_err(|error| Failure::usage(error.to_string()))?;
                continue;
            }
            let is_sign =
                |letter: char| letter.is_ascii_alphanumeric() || ".-_[],<>=!~+* ".contains(letter);
            if !package.starts_with(|first: char| first.is_ascii_alphanumeric())
                || !package.chars().all(is_sign)
                || ARCHIVES.iter().any(|ending| package.ends_with(ending))
            {
                return Err(Failure::usage(format!(
                    "`{}` is not the name of a package, such as `tabulate` or `tabulate==0.9.0`, nor a wheel's file",
                    text::one_line(package)
                )));
            }
        }
        Ok(())
    }

    fn failed(&self, said: &str) -> Failure {
        let said = lines(said);
        let last = &said[said.len().saturating_sub(SHOWN_LINES)..];
        let refused = self.from.map(refused_in).unwrap_or_default();
        let refused = refused.iter().map(String::as_str);
        let below = last.iter().copied().chain(refused).chain([COMPILED]);
        let message = "pip found no wheels of pure Python for all that this needs:";
        failure(message, below)
    }
}

/// Why wheels of a folder can't be used.
fn refused_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![format!("{} can't be read", folder.display())];
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut refused: Vec<String> = names
        .filter(|name| name.ends_with(".whl"))
        .filter_map(|name| Some(WheelName::of(&name).err()?.to_string()))
        .collect();
    refused.sort();
    refused.truncate(SHOWN_LINES);
    refused
}

/// A wheel that was downloaded.
pub(super) struct Wheel {
    pub(super) name: WheelName,
    pub(super) bytes: Vec<u8>,
}

/// The wheels of a download.
pub(super) fn wheels_in(download: &TempDir) -> Result<Vec<Wheel>, Failure> {
    let failed = |error: PackageError| Failure::usage(error.to_string());
    let (mut names, mut files) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(download.path().join("wheels"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        names.push(WheelName::of(&name).map_err(failed)?);
        files.push(path);
    }
    PackageFolder::check_number(files.len()).map_err(failed)?;
    let read = PackageFolder::read(&files).map_err(failed)?;
    let wheels = names.into_iter().zip(read);
    Ok(wheels.map(|(name, bytes)| Wheel { name, bytes }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_wheels_than_there_may_be_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let wheels = folder.path().join("wheels");
        std::fs::create_dir(&wheels).unwrap();
        let file = |at| wheels.join(format!("p{at}-1.0-py3-none-any.whl"));
        for at in 0..100 {
            std::fs::write(file(at), "").unwrap();
        }
        assert_eq!(wheels_in(&folder).unwrap().len(), 100);
        std::fs::write(file(100), "").unwrap();
        let refused = wheels_in(&folder).err().unwrap();
        let says = "there are 101 packages";
        assert!(refused.message().contains(says), "{refused:?}");
    }

    /// Pythons before 3.11 look for each module that is imported in the current folder first; newer ones
    /// do so for those that they have not frozen.
    #[test]
    fn no_module_of_the_current_folder_runs() {
        let folder = tempfile::tempdir().unwrap();
        for module in ["os", "runpy", "pkgutil", "pip"] {
            let text = "open('ran', 'a').write(__name__)\n";
            std::fs::write(folder.path().join(format!("{module}.py")), text).unwrap();
        }
        let mut python = std::process::Command::new("python3");
        python.args(["-X", "frozen_modules=off", "-c", PIP, "--version"]);
        let done = python.current_dir(folder.path()).output();
        let done = done.expect("python3 starts");
        let said = String::from_utf8_lossy(&done.stdout);
        let wants = String::from_utf8_lossy(&done.stderr);
        let is_pip = said.starts_with("pip ") || wants.contains("No module named pip");
        assert!(is_pip, "{done:?}");
        assert!(!folder.path().join("ran").exists());
        let first = PIP.lines().find(|line| !line.starts_with('#'));
        assert_eq!(first, Some("import sys"), "nothing is imported before it");
    }
}
