//! The text of a file, of bounded size.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The text of a file of at most that many bytes.
pub(super) fn of(file: &Path, most: u64) -> io::Result<String> {
    // A pipe without a writer would never open otherwise.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(file)?;
    let metadata = opened.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a folder, not a file"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other(
            "it is a pipe or a device, not a regular file",
        ));
    }
    let mut text = String::new();
    let length = opened.take(most + 1).read_to_string(&mut text)?;
    if length as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}
