//! `wasi:filesystem`, for the C library: by the host's files. A link is not followed, and can't be made.

use crate::host::files::{self, Code, How, Kind, Status};

use super::Result;
use super::descriptors::{self, Descriptor, noted};

/// How much is read or written at once.
const PIECE: u64 = 1 << 20;
/// WASI's flags: of how something is opened, and of what is done with it.
const CREATE: i32 = 1;
const DIRECTORY: i32 = 2;
const EXCLUSIVE: i32 = 4;
const TRUNCATE: i32 = 8;
const READ: i32 = 1;
const WRITE: i32 = 2;
/// What a folder can be used for, besides.
const MUTATE_DIRECTORY: u8 = 32;
/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

type Answer<T> = std::result::Result<T, Code>;

macro_rules! system {
    ($($name:literal: fn $function:ident($($argument:ident: $ty:ty),*) $body:block)*) => {
        $(
            #[unsafe(export_name = concat!("wasi:filesystem/", $name))]
            extern "C" fn $function($($argument: $ty),*) $body
        )*
    };
}

system! {
    "preopens@0.2.0#get-directories": fn directories(result: Result) {
        // A list of one pair: a descriptor, and a name.
        let list = Vec::leak(vec![0usize; 3]);
        let name = Vec::leak(b"/".to_vec());
        list[0] = descriptors::root();
        list[1] = name.as_ptr() as usize;
        list[2] = name.len();
        result.put(0, list.as_ptr() as usize);
        result.put(4, 1usize);
    }
    "types@0.2.0#[resource-drop]descriptor": fn drop_descriptor(descriptor: usize) { descriptors::drop(descriptor) }
    "types@0.2.0#[resource-drop]directory-entry-stream": fn drop_list(list: usize) { descriptors::drop_list(list) }
    "types@0.2.0#[method]descriptor.open-at": fn open_at(folder: usize, _follow: i32, path: *const u8, bytes: usize, opens: i32, flags: i32, result: Result) {
        let opened = path_at(folder, path, bytes).and_then(|path| descriptors::open(path, how(opens, flags), opens & DIRECTORY != 0));
        give(&result, 4, opened.map(descriptors::add), |number| result.put(4, number));
    }
    "types@0.2.0#[method]descriptor.get-flags": fn flags(descriptor: usize, result: Result) {
        let flags = descriptors::get(descriptor).map(|descriptor| match descriptor {
            Descriptor::Folder(_) => READ as u8 | MUTATE_DIRECTORY,
            _ => (READ | WRITE) as u8,
        });
        give(&result, 1, flags, |flags| result.put(1, flags));
    }
    "types@0.2.0#[method]descriptor.read-via-stream": fn read_via_stream(descriptor: usize, at: u64, result: Result) { stream(&result, descriptor, at, false) }
    "types@0.2.0#[method]descriptor.write-via-stream": fn write_via_stream(descriptor: usize, at: u64, result: Result) { stream(&result, descriptor, at, false) }
    "types@0.2.0#[method]descriptor.append-via-stream": fn append_via_stream(descriptor: usize, result: Result) { stream(&result, descriptor, 0, true) }
    "types@0.2.0#[method]descriptor.read": fn read(descriptor: usize, count: u64, at: u64, result: Result) {
        let count = count.min(PIECE);
        let read = descriptors::file(descriptor).and_then(|file| noted(files::read(file, at, count as u32)));
        give(&result, 4, read, |bytes| {
            let is_end = (bytes.len() as u64) < count;
            put_list(&result, bytes);
            result.put(12, u8::from(is_end));
        });
    }
    "types@0.2.0#[method]descriptor.write": fn write(descriptor: usize, bytes: *const u8, count: usize, at: u64, result: Result) {
        let bytes = given(bytes, count.min(PIECE as usize));
        let written = descriptors::file(descriptor).and_then(|file| noted(files::write(file, at, bytes)));
        give(&result, 8, written, |_| result.put(8, bytes.len() as u64));
    }
    "types@0.2.0#[method]descriptor.set-size": fn set_size(descriptor: usize, size: u64, result: Result) {
        done(&result, descriptors::file(descriptor).and_then(|file| noted(files::resize(file, size))));
    }
    "types@0.2.0#[method]descriptor.advise": fn advise(_descriptor: usize, _at: u64, _bytes: u64, _advice: i32, result: Result) { done(&result, Ok(())) }
    "types@0.2.0#[method]descriptor.sync": fn sync(descriptor: usize, result: Result) { done(&result, descriptors::get(descriptor).map(drop)) }
    "types@0.2.0#[method]descriptor.sync-data": fn sync_data(descriptor: usize, result: Result) { done(&result, descriptors::get(descriptor).map(drop)) }
    "types@0.2.0#[method]descriptor.stat": fn stat(descriptor: usize, result: Result) {
        give(&result, 8, descriptors::status(descriptor), |(status, _)| put_status(&result, &status));
    }
    "types@0.2.0#[method]descriptor.stat-at": fn stat_at(folder: usize, _follow: i32, path: *const u8, bytes: usize, result: Result) {
        let status = path_at(folder, path, bytes).and_then(|path| noted(files::stat(&path)));
        give(&result, 8, status, |status| put_status(&result, &status));
    }
    "types@0.2.0#[method]descriptor.metadata-hash": fn hash(descriptor: usize, result: Result) {
        let path = descriptors::get(descriptor).map(|descriptor| match descriptor {
            Descriptor::Folder(path) | Descriptor::File(_, path) => path,
            Descriptor::Closed => String::new(),
        });
        give(&result, 8, path, |path| put_hash(&result, &path));
    }
    "types@0.2.0#[method]descriptor.metadata-hash-at": fn hash_at(folder: usize, _follow: i32, path: *const u8, bytes: usize, result: Result) {
        give(&result, 8, path_at(folder, path, bytes), |path| put_hash(&result, &path));
    }
    "types@0.2.0#[method]descriptor.set-times": fn set_times(descriptor: usize, _a: i32, _as: u64, _an: i32, kind: i32, seconds: u64, nanoseconds: i32, result: Result) {
        let path = descriptors::get(descriptor).map(|descriptor| match descriptor {
            Descriptor::Folder(path) | Descriptor::File(_, path) => path,
            Descriptor::Closed => String::new(),
        });
        done(&result, path.and_then(|path| touch(&path, kind, seconds, nanoseconds)));
    }
    "types@0.2.0#[method]descriptor.set-times-at": fn set_times_at(folder: usize, _follow: i32, path: *const u8, bytes: usize, _a: i32, _as: u64, _an: i32, kind: i32, seconds: u64, nanoseconds: i32, result: Result) {
        let path = path_at(folder, path, bytes);
        done(&result, path.and_then(|path| touch(&path, kind, seconds, nanoseconds)));
    }
    "types@0.2.0#[method]descriptor.create-directory-at": fn make_folder(folder: usize, path: *const u8, bytes: usize, result: Result) {
        done(&result, path_at(folder, path, bytes).and_then(|path| noted(files::make_folder(&path))));
    }
    "types@0.2.0#[method]descriptor.unlink-file-at": fn unlink(folder: usize, path: *const u8, bytes: usize, result: Result) {
        done(&result, path_at(folder, path, bytes).and_then(|path| noted(files::remove(&path))));
    }
    "types@0.2.0#[method]descriptor.remove-directory-at": fn remove_folder(folder: usize, path: *const u8, bytes: usize, result: Result) {
        done(&result, path_at(folder, path, bytes).and_then(|path| noted(files::remove_folder(&path))));
    }
    "types@0.2.0#[method]descriptor.rename-at": fn rename(folder: usize, path: *const u8, bytes: usize, new_folder: usize, new_path: *const u8, new_bytes: usize, result: Result) {
        let paths = path_at(folder, path, bytes).and_then(|from| Ok((from, path_at(new_folder, new_path, new_bytes)?)));
        done(&result, paths.and_then(|(from, to)| noted(files::rename(&from, &to))));
    }
    "types@0.2.0#[method]descriptor.link-at": fn link(_folder: usize, _follow: i32, _path: *const u8, _bytes: usize, _new_folder: usize, _new_path: *const u8, _new_bytes: usize, result: Result) { done(&result, Err(Code::Unsupported)) }
    "types@0.2.0#[method]descriptor.symlink-at": fn symlink(_folder: usize, _old: *const u8, _old_bytes: usize, _new: *const u8, _new_bytes: usize, result: Result) { done(&result, Err(Code::Unsupported)) }
    "types@0.2.0#[method]descriptor.readlink-at": fn readlink(_folder: usize, _path: *const u8, _bytes: usize, result: Result) {
        give(&result, 4, Err::<(), _>(Code::Invalid), |()| ());
    }
    "types@0.2.0#[method]descriptor.read-directory": fn read_directory(folder: usize, result: Result) {
        give(&result, 4, descriptors::list(folder), |list| result.put(4, list));
    }
    "types@0.2.0#[method]directory-entry-stream.read-directory-entry": fn next_entry(list: usize, result: Result) {
        give(&result, 4, descriptors::next_entry(list), |entry| {
            result.put(4, u8::from(entry.is_some()));
            if let Some(entry) = entry {
                let name = entry.name.into_bytes().leak();
                result.put(8, type_of(entry.kind));
                result.put(12, name.as_ptr() as usize);
                result.put(16, name.len());
            }
        });
    }
}

/// What a file's stream has next; nothing where that is none of a file.
pub(super) fn read_stream(number: usize, count: u64) -> Option<Answer<Vec<u8>>> {
    let stream = descriptors::stream_of(number)?;
    let count = count.min(PIECE) as u32;
    let read = noted(files::read(stream.file, stream.at, count));
    if let Ok(bytes) = &read {
        descriptors::move_stream(number, stream.at + bytes.len() as u64);
    }
    Some(read)
}

/// Writes to a file's stream; nothing where that is none of a file.
pub(super) fn write_stream(number: usize, bytes: &[u8]) -> Option<Answer<()>> {
    let stream = descriptors::stream_of(number)?;
    let at = if stream.appends {
        noted(files::stat_of(stream.file)).map(|status| status.size)
    } else {
        Ok(stream.at)
    };
    let written = at.and_then(|at| noted(files::write(stream.file, at, bytes)));
    Some(written.map(|end| descriptors::move_stream(number, end)))
}

fn how(opens: i32, flags: i32) -> How {
    let all = [
        (opens & CREATE != 0, How::CREATE),
        (opens & EXCLUSIVE != 0, How::EXCLUSIVE),
        (opens & TRUNCATE != 0, How::TRUNCATE),
        (flags & WRITE != 0, How::WRITE),
        (flags & READ != 0 || flags & WRITE == 0, How::READ),
    ];
    let those = all.into_iter().filter(|(is_so, _)| *is_so);
    those.fold(How::empty(), |how, (_, more)| how | more)
}

fn given(bytes: *const u8, count: usize) -> &'static [u8] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the canonical ABI gives a list as its address and length, and it is there until the
    // function returns.
    unsafe { std::slice::from_raw_parts(bytes, count) }
}

fn path_at(folder: usize, path: *const u8, bytes: usize) -> Answer<String> {
    let path = str::from_utf8(given(path, bytes)).map_err(|_| Code::Invalid)?;
    descriptors::path_in(folder, path)
}

fn stream(result: &Result, descriptor: usize, at: u64, appends: bool) {
    let file = descriptors::file(descriptor);
    let stream = file.map(|file| descriptors::stream(file, at, appends));
    give(result, 4, stream, |stream| result.put(4, stream));
}

fn touch(path: &str, kind: i32, seconds: u64, nanoseconds: i32) -> Answer<()> {
    let modified = match kind {
        0 => return Ok(()),
        1 => crate::host::now(),
        _ => seconds.saturating_mul(SECOND) + nanoseconds as u64,
    };
    noted(files::touch(path, modified))
}

/// Writes an answer: of one that has a value, `put` writes that.
pub(super) fn give<T>(result: &Result, error_at: usize, answer: Answer<T>, put: impl FnOnce(T)) {
    result.put(0, u8::from(answer.is_err()));
    match answer {
        Ok(value) => put(value),
        Err(code) => result.put(error_at, number_of(code)),
    }
}

fn done(result: &Result, answer: Answer<()>) {
    give(result, 1, answer, |()| ());
}

/// Bytes that the C library frees, with the allocator that is also Rust's here.
pub(super) fn put_list(result: &Result, bytes: Vec<u8>) {
    let bytes = bytes.leak();
    result.put(4, bytes.as_ptr() as usize);
    result.put(8, bytes.len());
}

fn put_status(result: &Result, status: &Status) {
    result.put(8, type_of(status.kind));
    result.put(16, 1u64);
    result.put(24, status.size);
    for at in [32, 56, 80] {
        result.put(at, 1u8);
        result.put(at + 8, status.modified / SECOND);
        result.put(at + 16, (status.modified % SECOND) as u32);
    }
}

/// What tells a file from others: its path, which nothing else has.
fn put_hash(result: &Result, path: &str) {
    // FNV-1a.
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    result.put(8, hash);
    result.put(16, 0u64);
}

fn type_of(kind: Kind) -> u8 {
    match kind {
        Kind::File => 6,
        Kind::Folder => 3,
        Kind::Link => 5,
        Kind::Other => 0,
    }
}

/// The number of a code in WASI.
fn number_of(code: Code) -> u8 {
    match code {
        Code::Access => 0,
        Code::BadHandle => 3,
        Code::TooManyOpen => 6,
        Code::Exists => 7,
        Code::Invalid => 12,
        Code::Io => 13,
        Code::IsFolder => 14,
        Code::Link => 15,
        Code::NameTooLong => 18,
        Code::NoEntry => 20,
        Code::Full => 23,
        Code::NotFolder => 24,
        Code::NotEmpty => 25,
        Code::Unsupported => 27,
        Code::ReadOnly => 33,
        Code::CrossDevice => 36,
    }
}
