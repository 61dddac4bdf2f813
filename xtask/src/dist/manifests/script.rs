//! `install.sh`, with the list of what was built.

use super::super::VERSION;
use super::super::built::Archive;
use super::Manifest;

/// The script, without version and list.
const TEMPLATE: &str = include_str!("../files/install.sh");

pub(super) fn script(archives: &[Archive]) -> Manifest {
    let lines: Vec<_> = archives.iter().filter_map(line).collect();
    let text = TEMPLATE
        .replace("@VERSION@", VERSION)
        .replace("@ARCHIVES@", &lines.join("\n"));
    Manifest {
        path: "install.sh".to_owned(),
        text,
    }
}

/// An archive for a system that runs the script.
fn line(archive: &Archive) -> Option<String> {
    let [system, processor] = archive.platform.uname()?;
    let glibc = archive.glibc.map_or_else(
        || "-".to_owned(),
        |[major, minor]| format!("{major}.{minor}"),
    );
    let Archive {
        digest,
        folder,
        file,
        ..
    } = archive;
    Some(format!(
        "{system} {processor} {glibc} {digest} {folder} {file}"
    ))
}
