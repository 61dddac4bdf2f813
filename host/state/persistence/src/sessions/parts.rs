//! Large heads in parts, which are kept once.
//!
//! From run to run, most of a large session stays as it is. So the file of a large head only says how
//! many parts it has, and these lie beside it, cut where their content says (so that a byte more
//! moves nothing but its own part). A part that another head of the principal's has already is that
//! file, by another name: the folder of parts knows them by their hashes. What is put together again
//! is signed as a small head is, so nothing here has to be trusted.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;

use ampoule_store::folder::PrivateFolder;
use fastcdc::v2020::FastCDC;

/// What the file of a head in parts begins with.
const MAGIC: &[u8] = b"ampoule session in parts 1\n";
/// From how many bytes on a head is in parts: below, a file more costs more than it saves.
const LEAST: usize = 128 << 10;
/// How large parts are, in bytes: at least, on average, and at most.
const SIZES: [usize; 3] = [16 << 10, 32 << 10, 128 << 10];
/// How the files of parts end.
pub(crate) const EXTENSION: &str = ".part";

/// Keeps what a head is, under its name. `known`: where the principal's parts are; none where they
/// can't be. Gives whether it is in parts.
///
/// # Errors
///
/// The disk's. There is no head of that name then.
pub(crate) fn keep(
    folder: &PrivateFolder,
    known: Option<&PrivateFolder>,
    name: &str,
    content: &[u8],
) -> io::Result<bool> {
    let index = match known.filter(|_| content.len() >= LEAST) {
        None => None,
        Some(known) => {
            // What a head of the same name left that never was whole.
            forget(folder, Some(known), name)?;
            let [least, average, most] = SIZES;
            let mut count = 0_u32;
            for cut in FastCDC::new(content, least, average, most) {
                let part = &content[cut.offset..cut.offset + cut.length];
                keep_part(folder, known, &part_of(name, count), part)?;
                count += 1;
            }
            let bytes = (content.len() as u64).to_le_bytes();
            Some([MAGIC, &count.to_le_bytes(), &bytes].concat())
        }
    };
    // What a power failure leaves of it is not taken for a head: it is signed.
    let whole = index.as_deref().unwrap_or(content);
    folder.draft("head", || ())?.keep_unsynced(name, whole)?;
    Ok(index.is_some())
}

/// What a head is; none if that is more bytes than there may be: how many.
///
/// # Errors
///
/// The disk's.
pub(crate) fn read(
    folder: &PrivateFolder,
    name: &str,
    most: u64,
) -> io::Result<Result<Vec<u8>, u64>> {
    let file = folder.file(name)?;
    let bytes = file.metadata()?.len();
    if bytes > most {
        return Ok(Err(bytes));
    }
    let mut content = Vec::with_capacity(bytes as usize);
    file.take(most).read_to_end(&mut content)?;
    let Some((count, bytes)) = index(&content) else {
        return Ok(Ok(content));
    };
    if bytes > most {
        return Ok(Err(bytes));
    }
    let mut content = Vec::with_capacity(bytes as usize);
    for number in 0..count {
        let left = bytes - content.len() as u64;
        let part = match folder.file(&part_of(name, number)) {
            // What is left is not what was signed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            part => part?,
        };
        if part.take(left).read_to_end(&mut content)? == 0 {
            break;
        }
    }
    Ok(Ok(content))
}

/// Removes a head, and what it alone has of parts.
///
/// # Errors
///
/// The disk's.
pub(crate) fn remove(
    folder: &PrivateFolder,
    known: Option<&PrivateFolder>,
    name: &str,
) -> io::Result<()> {
    folder.clear(name)?;
    forget(folder, known, name)
}

/// Removes parts that no head has.
pub(crate) fn sweep(known: &PrivateFolder) {
    for hash in known.names().unwrap_or_default() {
        let links = known.metadata(&hash).map(|found| found.nlink());
        if links.is_ok_and(|links| links < 2) && known.clear(&hash).is_err() {
            tracing::debug!(part = hash, "it can't be removed");
        }
    }
}

/// The name of a head's part.
fn part_of(head: &str, number: u32) -> String {
    format!("{head}.{number:04}{EXTENSION}")
}

fn keep_part(
    folder: &PrivateFolder,
    known: &PrivateFolder,
    name: &str,
    part: &[u8],
) -> io::Result<()> {
    let hash = hash(part);
    if is(known, &hash, part) && known.link(&hash, folder, name).is_ok() {
        return Ok(());
    }
    folder.draft("part", || ())?.keep_unsynced(name, part)?;
    // It is shared where that can be.
    let shared = known
        .clear(&hash)
        .and_then(|()| folder.link(name, known, &hash));
    if let Err(error) = shared {
        tracing::debug!(%error, "a part of a session is not shared");
    }
    Ok(())
}

fn hash(part: &[u8]) -> String {
    blake3::hash(part).to_hex().to_string()
}

/// Whether that is in a file.
fn is(folder: &PrivateFolder, name: &str, part: &[u8]) -> bool {
    let Ok(file) = folder.file(name) else {
        return false;
    };
    let mut found = Vec::with_capacity(part.len() + 1);
    let read = file.take(part.len() as u64 + 1).read_to_end(&mut found);
    read.is_ok() && found == part
}

/// Removes the parts of a head.
fn forget(folder: &PrivateFolder, known: Option<&PrivateFolder>, head: &str) -> io::Result<()> {
    let is_its = |name: &String| {
        let rest = name.strip_prefix(head);
        rest.is_some_and(|rest| rest.ends_with(EXTENSION))
    };
    for name in folder.names()?.into_iter().filter(is_its) {
        if let Some(known) = known {
            give_up(folder, known, &name);
        }
        folder.clear(&name)?;
    }
    Ok(())
}

/// Takes a part that nobody else has out of the folder of parts.
fn give_up(folder: &PrivateFolder, known: &PrivateFolder, name: &str) {
    let shared = |file: &std::fs::File| file.metadata().is_ok_and(|found| found.nlink() > 2);
    let mut part = Vec::new();
    let read = folder.file(name).ok().filter(|file| !shared(file));
    if read.is_some_and(|mut file| file.read_to_end(&mut part).is_ok()) {
        // What stays is swept later.
        let _ = known.clear(&hash(&part));
    }
}

fn index(content: &[u8]) -> Option<(u32, u64)> {
    let rest = content.strip_prefix(MAGIC)?;
    let (count, rest) = rest.split_first_chunk()?;
    let (bytes, rest) = rest.split_first_chunk()?;
    let index = (u32::from_le_bytes(*count), u64::from_le_bytes(*bytes));
    rest.is_empty().then_some(index)
}
