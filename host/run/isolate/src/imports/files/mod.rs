//! `ampoule:guest/files`: the files of a run.
//!
//! - `given`: those that it was given; `in_memory`: those that it has in memory; `across`: from the one to the
//!   other
//! - `types`: what guests see

mod across;
mod given;
mod in_memory;
mod types;

use ampoule_effort::{self as effort, EffortError};
use ampoule_workspace::{
    self as workspace, Code as FileCode, FileError, Files, Memory, Mount, OpenOptions, ResolvedPath,
};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList, WasmStr};

use across::Way;
use types::{Entry, Listing, Problem, Status, Ways};

use super::price::{show, spend};
use crate::files::{Answer, FileRequest, NO_WORKSPACE, Spending};
use crate::fuel;
use crate::state::RunState;

/// How much is read or written at once, in bytes.
const PIECE: u32 = 1 << 20;
/// What an operation of the file system takes, besides the bytes.
const OPERATION: u64 = 16_384;
/// For each name in a folder that is looked at.
const NAME: u64 = 512;
/// What a path may have in bytes; of one that is longer, no more need be copied to refuse it.
const PATH_BYTES: usize = 8192;

type Run<'store> = StoreContextMut<'store, RunState>;
/// What was found or done, or why not; the run may be over.
type FileResult<T> = wasmtime::Result<Result<T, FileError>>;
/// What a guest learns.
type GuestResult<T> = wasmtime::Result<(Result<T, Problem>,)>;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut files = linker.instance("ampoule:guest/files@0.1.0")?;
    files.func_wrap_async("granted", |store: Run<'_>, (): ()| Box::new(granted(store)))?;
    files.func_wrap_async("open", |store: Run<'_>, (path, ways)| {
        Box::new(open(store, path, ways))
    })?;
    files.func_wrap_async("close", |store: Run<'_>, (file,)| {
        Box::new(close(store, file))
    })?;
    files.func_wrap_async("read", |store: Run<'_>, (file, at, count)| {
        Box::new(read(store, file, at, count))
    })?;
    files.func_wrap_async("write", |store: Run<'_>, (file, at, given)| {
        Box::new(write(store, file, at, given))
    })?;
    files.func_wrap_async("resize", |store: Run<'_>, (file, size)| {
        Box::new(resize(store, file, size))
    })?;
    files.func_wrap_async("stat-of", |store: Run<'_>, (file,)| {
        Box::new(stat_of(store, file))
    })?;
    files.func_wrap_async("stat", |store: Run<'_>, (path,)| {
        Box::new(stat(store, path))
    })?;
    files.func_wrap_async("list", |store: Run<'_>, (path, after)| {
        Box::new(list(store, path, after))
    })?;
    changes(&mut files)
}

/// What changes the files at a path.
fn changes(files: &mut wasmtime::component::LinkerInstance<'_, RunState>) -> wasmtime::Result<()> {
    files.func_wrap_async("make-folder", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = given::asked(&store, "make-folder", format_args!("{path}"));
            let own =
                |memory: &mut Memory, place: &ResolvedPath, now| memory.make_folder(place, now);
            let given = |files: &Files, path: &str, _: &Spending<'_>| files.make_folder(path);
            change(store, path, asked, own, given).await
        })
    })?;
    files.func_wrap_async("remove", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = given::asked(&store, "remove", format_args!("{path}"));
            let own = |memory: &mut Memory, place: &ResolvedPath, now| memory.remove(place, now);
            let given = |files: &Files, path: &str, _: &Spending<'_>| files.remove(path);
            change(store, path, asked, own, given).await
        })
    })?;
    files.func_wrap_async("remove-folder", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = given::asked(&store, "remove-folder", format_args!("{path}"));
            let own =
                |memory: &mut Memory, place: &ResolvedPath, now| memory.remove_folder(place, now);
            let given = |files: &Files, path: &str, _: &Spending<'_>| files.remove_folder(path);
            change(store, path, asked, own, given).await
        })
    })?;
    files.func_wrap_async(
        "touch",
        |store: Run<'_>, (path, modified): (WasmStr, u64)| {
            Box::new(async move {
                let path = copied(&store, &path)?;
                let asked = given::asked(&store, "touch", format_args!("{path:?} {modified}"));
                let own = move |memory: &mut Memory, place: &ResolvedPath, _| {
                    memory.touch(place, modified)
                };
                let given = move |files: &Files, path: &str, spending: &Spending<'_>| {
                    files.touch(path, modified, &bytes(spending))
                };
                change(store, path, asked, own, given).await
            })
        },
    )?;
    files.func_wrap_async("rename", |store: Run<'_>, (from, to)| {
        Box::new(rename(store, from, to))
    })?;
    files.func_wrap_async("copy", |store: Run<'_>, (from, to, exclusive)| {
        Box::new(copy(store, from, to, exclusive))
    })
}

/// Each run has files: those that it makes in memory, if no others.
async fn granted(mut store: Run<'_>) -> wasmtime::Result<(Option<String>,)> {
    fuel::settle(&mut store, effort::REQUEST).await?;
    Ok((None,))
}

async fn open(mut store: Run<'_>, path: WasmStr, ways: Ways) -> GuestResult<u32> {
    let path = copied(&store, &path)?;
    let how = OpenOptions {
        read: ways.contains(Ways::READ),
        write: ways.contains(Ways::WRITE),
        append: ways.contains(Ways::APPEND),
        create: ways.contains(Ways::CREATE),
        exclusive: ways.contains(Ways::EXCLUSIVE),
        truncate: ways.contains(Ways::TRUNCATE),
    };
    let changes = how.write || how.append || how.create || how.truncate;
    let opened = match mount(&store, &path) {
        Ok(Mount::Given) => {
            let letters = letters(how);
            let asked = given::asked(&store, "open", format_args!("{path:?} {letters}"));
            given::elsewhere(&mut store, asked, move |files, spending| {
                files.open(&path, how, &bytes(spending))
            })
            .await
        }
        Ok(Mount::Memory(_)) if changes && path.ends_with('/') => {
            in_memory::known(&mut store, Err(FileCode::IsFolder.into())).await
        }
        Ok(Mount::Memory(place)) => in_memory::open(&mut store, place, how).await,
        Ok(Mount::Top) => in_memory::known(&mut store, Err(FileCode::IsFolder.into())).await,
        Err(problem) => in_memory::known(&mut store, Err(problem)).await,
    };
    told(opened?)
}

async fn close(mut store: Run<'_>, file: u32) -> GuestResult<()> {
    if Memory::has(file) {
        return told(in_memory::close(&mut store, file).await?);
    }
    let asked = given::asked(&store, "close", format_args!("{file}"));
    let closed = given::at_once(&mut store, asked, move |files| files.close(file));
    told(closed.await?)
}

async fn read(mut store: Run<'_>, file: u32, at: u64, count: u32) -> GuestResult<Vec<u8>> {
    let count = count.min(PIECE);
    // Held until the guest has it.
    let held = store.data().held.hold(count.into())?;
    let read = if Memory::has(file) {
        in_memory::read(&mut store, file, at, count).await?
    } else {
        let price = OPERATION + u64::from(count);
        let asked = given::asked(&store, "read", format_args!("{file} {at} {count}"));
        let read = given::done(&mut store, price, asked, move |files| {
            files.read(file, at, count as usize)
        });
        read.await?
    };
    drop(held);
    told(read)
}

async fn write(mut store: Run<'_>, file: u32, at: u64, given: WasmList<u8>) -> GuestResult<u64> {
    let given = given.as_le_slice(&store);
    if given.len() > PIECE as usize {
        return Err(wasmtime::Error::msg(format!(
            "{} bytes written at once; at most {PIECE}",
            given.len()
        )));
    }
    let given = given.to_vec();
    let held = store.data().held.hold(given.len() as u64)?;
    let written = if Memory::has(file) {
        in_memory::write(&mut store, file, at, given).await?
    } else {
        let price = OPERATION + given.len() as u64;
        let hash = store.data().files.are_heard().then(|| blake3::hash(&given));
        let hash = hash.map(|hash| hash.to_hex()).unwrap_or_default();
        let asked = given::asked(&store, "write", format_args!("{file} {at} {hash}"));
        let written = given::done(&mut store, price, asked, move |files| {
            files.write(file, at, &given)
        });
        written.await?
    };
    drop(held);
    told(written)
}

async fn resize(mut store: Run<'_>, file: u32, size: u64) -> GuestResult<()> {
    if Memory::has(file) {
        return told(in_memory::resize(&mut store, file, size).await?);
    }
    let asked = given::asked(&store, "resize", format_args!("{file} {size}"));
    let resized = given::at_once(&mut store, asked, move |files| files.resize(file, size));
    told(resized.await?)
}

async fn stat_of(mut store: Run<'_>, file: u32) -> GuestResult<Status> {
    let status = if Memory::has(file) {
        in_memory::act(&mut store, 0, move |memory| memory.status_of(file)).await?
    } else {
        let asked = given::asked(&store, "stat-of", format_args!("{file}"));
        let status = given::at_once(&mut store, asked, move |files| files.status_of(file));
        status.await?
    };
    told(status.map(Status::from))
}

async fn stat(mut store: Run<'_>, path: WasmStr) -> GuestResult<Status> {
    let path = copied(&store, &path)?;
    let status = match mount(&store, &path) {
        Ok(Mount::Given) => {
            let asked = given::asked(&store, "stat", format_args!("{path}"));
            given::at_once(&mut store, asked, move |files| files.status(&path)).await
        }
        Ok(Mount::Memory(place)) => {
            in_memory::act(&mut store, 0, move |memory| memory.status(&place)).await
        }
        Ok(Mount::Top) => in_memory::known(&mut store, Ok(in_memory::top())).await,
        Err(problem) => in_memory::known(&mut store, Err(problem)).await,
    };
    told(status?.map(Status::from))
}

async fn list(mut store: Run<'_>, path: WasmStr, after: WasmStr) -> GuestResult<Listing> {
    let (path, after) = (copied(&store, &path)?, copied(&store, &after)?);
    let listed = match mount(&store, &path) {
        Ok(Mount::Given) => {
            let asked = given::asked(&store, "list", format_args!("{path:?} {after:?}"));
            given::elsewhere(&mut store, asked, move |files, spending| {
                files.list(&path, &after, &names(spending))
            })
            .await
        }
        Ok(Mount::Memory(place)) => in_memory::list(&mut store, place, after).await,
        Ok(Mount::Top) => in_memory::list_top(&mut store, after).await,
        Err(problem) => in_memory::known(&mut store, Err(problem)).await,
    };
    let listing = listed?.map(Listing::from);
    if let Ok(listing) = &listing {
        let bytes = |entry: &Entry| (size_of::<Entry>() + entry.name.len()) as u64;
        show(&store, listing.entries.iter().map(bytes).sum())?;
    }
    fuel::settle(&mut store, 0).await?;
    told(listing)
}

/// Changes what is at a path, in memory or among what the run was given.
async fn change<T: Answer + Clone>(
    mut store: Run<'_>,
    path: String,
    asked: FileRequest,
    own: impl FnOnce(&mut Memory, &ResolvedPath, u64) -> Result<T, FileError> + Send + 'static,
    given: impl FnOnce(&Files, &str, &Spending<'_>) -> Result<T, FileError> + Send + 'static,
) -> GuestResult<T> {
    let changed = match mount(&store, &path) {
        Ok(Mount::Given) => {
            given::elsewhere(&mut store, asked, move |files, spending| {
                given(files, &path, spending)
            })
            .await
        }
        Ok(Mount::Memory(place)) => {
            let now = store.data().world.now()?;
            let price = in_memory::weight(&mut store, &place);
            in_memory::act(&mut store, price, move |memory| own(memory, &place, now)).await
        }
        Ok(Mount::Top) => in_memory::known(&mut store, Err(no_root())).await,
        Err(problem) => in_memory::known(&mut store, Err(problem)).await,
    };
    told(changed?)
}

async fn rename(mut store: Run<'_>, from: WasmStr, to: WasmStr) -> GuestResult<()> {
    let (from, to) = (copied(&store, &from)?, copied(&store, &to)?);
    let run = &mut store;
    let renamed = match (mount(run, &from), mount(run, &to)) {
        (Err(problem), _) | (_, Err(problem)) => in_memory::known(run, Err(problem)).await,
        (Ok(Mount::Top), _) | (_, Ok(Mount::Top)) => in_memory::known(run, Err(no_root())).await,
        (Ok(Mount::Memory(from)), Ok(Mount::Memory(to))) => in_memory::rename(run, from, to).await,
        (Ok(Mount::Memory(from)), Ok(Mount::Given)) => across::out(run, from, to, Way::Move).await,
        (Ok(Mount::Given), Ok(Mount::Memory(to))) => across::into(run, from, to, Way::Move).await,
        (Ok(Mount::Given), Ok(Mount::Given)) => {
            let asked = given::asked(run, "rename", format_args!("{from:?} {to:?}"));
            given::elsewhere(run, asked, move |files, spending| {
                files.rename(&from, &to, &names(spending))
            })
            .await
        }
    };
    told(renamed?)
}

async fn copy(mut store: Run<'_>, from: WasmStr, to: WasmStr, exclusive: bool) -> GuestResult<()> {
    let (from, to) = (copied(&store, &from)?, copied(&store, &to)?);
    let (run, way) = (&mut store, Way::Copy { exclusive });
    let copied = match (mount(run, &from), mount(run, &to)) {
        (Err(problem), _) | (_, Err(problem)) => in_memory::known(run, Err(problem)).await,
        (Ok(Mount::Top), _) | (_, Ok(Mount::Top)) => {
            in_memory::known(run, Err(FileCode::IsFolder.into())).await
        }
        (Ok(Mount::Memory(from)), Ok(Mount::Memory(to))) => {
            in_memory::copy(run, from, to, exclusive).await
        }
        (Ok(Mount::Memory(from)), Ok(Mount::Given)) => across::out(run, from, to, way).await,
        (Ok(Mount::Given), Ok(Mount::Memory(to))) => across::into(run, from, to, way).await,
        (Ok(Mount::Given), Ok(Mount::Given)) => {
            let asked = given::asked(run, "copy", format_args!("{from:?} {to:?} {exclusive}"));
            given::elsewhere(run, asked, move |files, spending| {
                files.copy(&from, &to, exclusive, &bytes(spending))
            })
            .await
        }
    };
    told(copied?)
}

/// Where what a path means is.
fn mount(store: &Run<'_>, path: &str) -> Result<Mount, FileError> {
    let has_workspace = store.data().files.have_workspace();
    workspace::mount(path, (!has_workspace).then_some(NO_WORKSPACE))
}

fn told<T, E>(found: Result<T, E>) -> GuestResult<T>
where
    Problem: From<E>,
{
    Ok((found.map_err(Problem::from),))
}

/// `/` has nothing but the roots, which stay.
fn no_root() -> FileError {
    let advice = "this works only in the working folder, in `/tmp` and in granted folders";
    FileError {
        code: FileCode::Access,
        advice: advice.to_owned(),
    }
}

/// How a file is opened, a letter for each way.
fn letters(how: OpenOptions) -> String {
    let ways = [
        (how.read, 'r'),
        (how.write, 'w'),
        (how.append, 'a'),
        (how.create, 'c'),
        (how.exclusive, 'x'),
        (how.truncate, 't'),
    ];
    let ways = ways.into_iter().filter(|(is_one, _)| *is_one);
    ways.map(|(_, letter)| letter).collect()
}

fn over(store: &Run<'_>, _: EffortError) -> wasmtime::Error {
    store.data().limits.out_of_fuel().into()
}

/// Copies a path out of the guest.
fn copied(store: &Run<'_>, path: &WasmStr) -> wasmtime::Result<String> {
    let path = path.to_str(store)?;
    // What is cut off was looked at, too.
    spend(store, path.len() as u64)?;
    Ok(path[..path.floor_char_boundary(PATH_BYTES)].to_owned())
}

fn bytes(spending: &Spending<'_>) -> impl Fn(u64) -> bool {
    |bytes| spending.pay(bytes)
}

fn names(spending: &Spending<'_>) -> impl Fn(u64) -> bool {
    |names| spending.pay(names.saturating_mul(NAME))
}
