//! The files that a run has in memory.

use ampoule_effort::{self as effort, Effort};
use ampoule_workspace::{
    Entry, FileError, Kind, Listing, Memory, OpenOptions, ResolvedPath, Status,
};

use super::{FileResult, Run, given, over};
use crate::files::RunFiles;
use crate::fuel;

/// What an operation takes, besides the bytes.
const OPERATION: u64 = 1_024;
/// How many bytes are let go of for one unit.
const FREED: u64 = 16;
/// For each file or folder that may have to be looked at where a folder is moved.
const LOOKED_AT: u64 = 16;

/// Does something of a known price: here, if that is little.
pub(super) async fn act<T: Send + 'static>(
    store: &mut Run<'_>,
    price: u64,
    action: impl FnOnce(&mut Memory) -> Result<T, FileError> + Send + 'static,
) -> FileResult<T> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    let memory = store.data_mut().own_files();
    let effort = store.data().effort.clone();
    let work = move |_: &Effort| Ok(action(&mut memory.lock()));
    let done = effort.work(OPERATION.saturating_add(price), work).await;
    let done = done.map_err(|broken| over(store, broken))?;
    fuel::settle(store, 0).await?;
    Ok(done)
}

/// What takes no looking, at the price of a request.
pub(super) async fn known<T>(store: &mut Run<'_>, known: Result<T, FileError>) -> FileResult<T> {
    fuel::settle(store, effort::REQUEST).await?;
    Ok(known)
}

/// What it takes to let go of the file at a place.
pub(super) fn weight(store: &mut Run<'_>, place: &ResolvedPath) -> u64 {
    store.data_mut().own_files().lock().size(place) / FREED
}

pub(super) async fn open(
    store: &mut Run<'_>,
    place: ResolvedPath,
    how: OpenOptions,
) -> FileResult<u32> {
    let now = store.data().world.now()?;
    let price = match how.truncate {
        true => weight(store, &place),
        false => 0,
    };
    act(store, price, move |memory| memory.open(&place, how, now)).await
}

pub(super) async fn close(store: &mut Run<'_>, file: u32) -> FileResult<()> {
    let now = store.data().world.now()?;
    let size = store.data_mut().own_files().lock().size_of(file);
    let price = size.unwrap_or(0) / FREED;
    act(store, price, move |memory| memory.close(file, now)).await
}

pub(super) async fn read(
    store: &mut Run<'_>,
    file: u32,
    at: u64,
    count: u32,
) -> FileResult<Vec<u8>> {
    let size = store.data_mut().own_files().lock().size_of(file);
    let left = size.unwrap_or(0).saturating_sub(at).min(count.into());
    act(store, left, move |memory| {
        memory.read(file, at, count as usize)
    })
    .await
}

pub(super) async fn write(
    store: &mut Run<'_>,
    file: u32,
    at: u64,
    given: Vec<u8>,
) -> FileResult<u64> {
    let bytes = given.len() as u64;
    let grows = {
        let memory = store.data_mut().own_files();
        memory.lock().growth(file, at.saturating_add(bytes))
    };
    let price = bytes.saturating_add(grows);
    act(store, price, move |memory| memory.write(file, at, &given)).await
}

pub(super) async fn resize(store: &mut Run<'_>, file: u32, size: u64) -> FileResult<()> {
    let price = {
        let memory = store.data_mut().own_files();
        let memory = memory.lock();
        let freed = memory.size_of(file).unwrap_or(0).saturating_sub(size);
        memory.growth(file, size) + freed / FREED
    };
    act(store, price, move |memory| memory.resize(file, size)).await
}

pub(super) async fn list(
    store: &mut Run<'_>,
    place: ResolvedPath,
    after: String,
) -> FileResult<Listing> {
    let listing = act(store, 0, move |memory| memory.list(&place, &after)).await?;
    let names = listing.as_ref().map_or(0, |listing| listing.entries.len());
    fuel::pay(&mut *store, effort::ITEM * names as u64)?;
    Ok(listing)
}

/// Gives something another name, within memory.
pub(super) async fn rename(
    store: &mut Run<'_>,
    from: ResolvedPath,
    to: ResolvedPath,
) -> FileResult<()> {
    let now = store.data().world.now()?;
    let all = LOOKED_AT * store.data_mut().own_files().lock().count();
    let price = all + weight(store, &to);
    act(store, price, move |memory| memory.rename(&from, &to, now)).await
}

/// Copies a file within memory.
pub(super) async fn copy(
    store: &mut Run<'_>,
    from: ResolvedPath,
    to: ResolvedPath,
    exclusive: bool,
) -> FileResult<()> {
    let now = store.data().world.now()?;
    let size = store.data_mut().own_files().lock().size(&from);
    let price = size + weight(store, &to);
    act(store, price, move |memory| {
        memory.copy(&from, &to, exclusive, now)
    })
    .await
}

/// What is known of `/`.
pub(super) fn top() -> Status {
    Status {
        kind: Kind::Folder,
        size: 0,
        modified: 0,
        id: 0,
        writable: false,
    }
}

/// What is in `/`: what the run has in memory, and what it was given.
pub(super) async fn list_top(store: &mut Run<'_>, after: String) -> FileResult<Listing> {
    let mut names = vec!["tmp".to_owned(), "workspace".to_owned()];
    if !matches!(store.data().files, RunFiles::None) {
        let asked = given::asked(store, "list", format_args!("{:?} {:?}", "/", ""));
        let listed = given::elsewhere(store, asked, |files, _| files.list("/", "", &|_| true));
        let listed = match listed.await? {
            Ok(listed) => listed,
            Err(problem) => return Ok(Err(problem)),
        };
        names.extend(listed.entries.into_iter().map(|entry| entry.name));
        names.sort();
        names.dedup();
    }
    let names = names.into_iter().filter(|name| **name > *after);
    let entries = names.map(|name| Entry {
        name,
        kind: Kind::Folder,
    });
    let listing = Listing {
        entries: entries.collect(),
        more: false,
    };
    known(store, Ok(listing)).await
}
