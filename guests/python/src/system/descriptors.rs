//! What the C library has open: files and folders, and the streams over files, by their numbers.

use std::cell::RefCell;

use crate::host::files::{self, Code, Entry, How, Kind, Problem, Status};

/// Something that is open.
#[derive(Clone)]
pub(super) enum Descriptor {
    /// By its path, from `/` on.
    Folder(String),
    /// The host's number of it, and its path.
    File(u32, String),
    /// An earlier run of the session had it.
    Closed,
}

/// Where a stream is in its file.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) file: u32,
    pub(super) at: u64,
    pub(super) appends: bool,
}

/// What is left of a folder's list.
#[derive(Clone)]
pub(super) struct Listed {
    path: String,
    entries: Vec<Entry>,
    next: usize,
    more: bool,
}

/// Things by numbers, which are free again when they are dropped.
pub(super) struct Table<T>(Vec<Option<T>>);

impl<T: Clone> Table<T> {
    const fn new() -> Self {
        Self(Vec::new())
    }

    fn add(&mut self, item: T) -> usize {
        let free = self.0.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.0.push(None);
            self.0.len() - 1
        });
        self.0[place] = Some(item);
        place
    }

    fn get(&self, number: usize) -> Option<T> {
        self.0.get(number).cloned().flatten()
    }

    fn remove(&mut self, number: usize) -> Option<T> {
        let item = self.0.get_mut(number).and_then(Option::take);
        while matches!(self.0.last(), Some(None)) {
            self.0.pop();
        }
        item
    }
}

thread_local! {
    static DESCRIPTORS: RefCell<Table<Descriptor>> = const { RefCell::new(Table::new()) };
    static STREAMS: RefCell<Table<Stream>> = const { RefCell::new(Table::new()) };
    static LISTS: RefCell<Table<Listed>> = const { RefCell::new(Table::new()) };
    /// What the host said last, besides the code.
    static ADVICE: RefCell<Option<Problem>> = const { RefCell::new(None) };
}

/// The numbers of streams that are none of files end below this.
pub(super) const FIRST_STREAM: usize = 16;

/// Keeps what the host says besides the code, for whoever asks.
pub(super) fn noted<T>(done: Result<T, Problem>) -> Result<T, Code> {
    done.map_err(|problem| {
        let code = problem.code;
        ADVICE.set(Some(problem));
        code
    })
}

/// What the host said last: the code, and what that does not say.
pub(crate) fn last_problem() -> Option<Problem> {
    ADVICE.take()
}

/// The code of what the host said last.
pub(super) fn noted_code() -> Option<Code> {
    ADVICE.with_borrow(|problem| problem.as_ref().map(|problem| problem.code))
}

/// What that does not say, if there is anything.
pub(super) fn noted_advice() -> Option<String> {
    ADVICE.with_borrow(|problem| {
        let advice = problem.as_ref().map(|problem| &problem.advice);
        advice.filter(|advice| !advice.is_empty()).cloned()
    })
}

/// Whether files are open.
pub(crate) fn any_open() -> bool {
    DESCRIPTORS.with_borrow(|open| {
        let mut open = open.0.iter().flatten();
        open.any(|descriptor| matches!(descriptor, Descriptor::File(..)))
    })
}

/// The run has ended, and with it the host's files.
pub(crate) fn close_all() {
    DESCRIPTORS.with_borrow_mut(|open| {
        for descriptor in open.0.iter_mut().flatten() {
            if matches!(descriptor, Descriptor::File(..)) {
                *descriptor = Descriptor::Closed;
            }
        }
    });
    // A folder's list is as its run saw it.
    LISTS.with_borrow_mut(|lists| {
        for list in lists.0.iter_mut().flatten() {
            list.more = false;
        }
    });
    ADVICE.take();
}

pub(super) fn root() -> usize {
    add(Descriptor::Folder("/".to_owned()))
}

pub(super) fn add(descriptor: Descriptor) -> usize {
    DESCRIPTORS.with_borrow_mut(|open| open.add(descriptor))
}

pub(super) fn get(number: usize) -> Result<Descriptor, Code> {
    match DESCRIPTORS.with_borrow(|open| open.get(number)) {
        None | Some(Descriptor::Closed) => Err(Code::BadHandle),
        Some(descriptor) => Ok(descriptor),
    }
}

pub(super) fn drop(number: usize) {
    let dropped = DESCRIPTORS.with_borrow_mut(|open| open.remove(number));
    if let Some(Descriptor::File(file, _)) = dropped {
        // One that is not open need not be closed.
        let _ = files::close(file);
    }
}

/// The path of something in a folder.
pub(super) fn path_in(folder: usize, path: &str) -> Result<String, Code> {
    match get(folder)? {
        Descriptor::Folder(folder) if path.is_empty() || path == "." => Ok(folder),
        Descriptor::Folder(folder) => Ok(format!("{}/{path}", folder.trim_end_matches('/'))),
        _ => Err(Code::NotFolder),
    }
}

pub(super) fn file(number: usize) -> Result<u32, Code> {
    match get(number)? {
        Descriptor::File(file, _) => Ok(file),
        _ => Err(Code::IsFolder),
    }
}

pub(super) fn open(path: String, how: How, as_folder: bool) -> Result<Descriptor, Code> {
    if as_folder {
        let status = noted(files::stat(&path))?;
        return match status.kind {
            Kind::Folder => Ok(Descriptor::Folder(path)),
            _ => Err(Code::NotFolder),
        };
    }
    match files::open(&path, how) {
        Ok(file) => Ok(Descriptor::File(file, path)),
        Err(problem) if problem.code == Code::IsFolder && how == How::READ => {
            Ok(Descriptor::Folder(path))
        }
        Err(problem) => noted(Err(problem)),
    }
}

pub(super) fn status(number: usize) -> Result<(Status, String), Code> {
    match get(number)? {
        Descriptor::Folder(path) => Ok((noted(files::stat(&path))?, path)),
        Descriptor::File(file, path) => Ok((noted(files::stat_of(file))?, path)),
        Descriptor::Closed => Err(Code::BadHandle),
    }
}

pub(super) fn stream(file: u32, at: u64, appends: bool) -> usize {
    let stream = Stream { file, at, appends };
    FIRST_STREAM + STREAMS.with_borrow_mut(|streams| streams.add(stream))
}

pub(super) fn stream_of(number: usize) -> Option<Stream> {
    let place = number.checked_sub(FIRST_STREAM)?;
    STREAMS.with_borrow(|streams| streams.get(place))
}

pub(super) fn move_stream(number: usize, at: u64) {
    STREAMS.with_borrow_mut(|streams| {
        let place = number.checked_sub(FIRST_STREAM);
        if let Some(Some(stream)) = place.and_then(|place| streams.0.get_mut(place)) {
            stream.at = at;
        }
    });
}

pub(super) fn drop_stream(number: usize) {
    if let Some(place) = number.checked_sub(FIRST_STREAM) {
        STREAMS.with_borrow_mut(|streams| streams.remove(place));
    }
}

pub(super) fn list(folder: usize) -> Result<usize, Code> {
    let path = path_in(folder, "")?;
    let listing = noted(files::list(&path, ""))?;
    let listed = Listed {
        path,
        entries: listing.entries,
        next: 0,
        more: listing.more,
    };
    Ok(LISTS.with_borrow_mut(|lists| lists.add(listed)))
}

pub(super) fn next_entry(list: usize) -> Result<Option<Entry>, Code> {
    LISTS.with_borrow_mut(|lists| {
        let listed = lists.0.get_mut(list).and_then(Option::as_mut);
        let listed = listed.ok_or(Code::BadHandle)?;
        if listed.next == listed.entries.len() && listed.more {
            let last = listed.entries.last().map_or("", |entry| &entry.name);
            let listing = noted(files::list(&listed.path, last))?;
            (listed.entries, listed.more) = (listing.entries, listing.more);
            listed.next = 0;
        }
        let entry = listed.entries.get(listed.next).cloned();
        listed.next += usize::from(entry.is_some());
        Ok(entry)
    })
}

pub(super) fn drop_list(list: usize) {
    LISTS.with_borrow_mut(|lists| lists.remove(list));
}
