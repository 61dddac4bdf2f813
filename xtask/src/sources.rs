//! The files of the repository that something is made from.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::repository;

/// What building and installing leave among sources.
const BUILT: [&str; 3] = ["target", "__pycache__", "node_modules"];

/// All files below a folder of the repository, in order, except what building and installing leave
/// there.
///
/// # Errors
///
/// Names a folder that can't be read.
pub fn files_in(folder: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(&repository(), folder.as_ref(), &mut files)?;
    files.retain(|path| {
        let mut parts = path.components();
        !parts.any(|part| BUILT.iter().any(|built| part.as_os_str() == *built))
    });
    files.sort();
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))
        .with_context(|| format!("{} can't be read", folder.display()))?
    {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The digest of files of the repository, names and contents.
///
/// # Errors
///
/// Names a file that can't be read.
pub fn digest_of(sources: &[PathBuf]) -> Result<String> {
    let mut digest = Sha256::new();
    for path in sources {
        let content = fs::read(repository().join(path))
            .with_context(|| format!("{} can't be read", path.display()))?;
        digest.update(path.to_string_lossy().as_bytes());
        digest.update([0]);
        digest.update(Sha256::digest(content));
    }
    Ok(hex(digest.finalize()))
}

/// Bytes in hexadecimal.
pub fn hex(digest: impl AsRef<[u8]>) -> String {
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
