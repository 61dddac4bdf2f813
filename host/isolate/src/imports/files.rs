//! `ampoule:guest/files`: the files of a run.

mod types;

use std::sync::Arc;

use ampoule_effort::{self as effort, BrokenOff, Effort};
use ampoule_workspace::{Code as What, Files, How, Problem as Refused};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList, WasmStr};

use types::{Code, Entry, Listing, Problem, Status, Ways};

use super::{show, spend};
use crate::files::{self, Answer, FileAsked, FileTold, FilesHeard, RunFiles, Spending};
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
/// What a guest is told.
type Told<T> = wasmtime::Result<(Result<T, Problem>,)>;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut files = linker.instance("ampoule:guest/files@0.1.0")?;
    files.func_wrap_async("granted", |store: Run<'_>, (): ()| Box::new(granted(store)))?;
    files.func_wrap_async("open", |store: Run<'_>, asked| Box::new(open(store, asked)))?;
    files.func_wrap_async("read", |store: Run<'_>, asked| Box::new(read(store, asked)))?;
    files.func_wrap_async("write", |store: Run<'_>, asked| {
        Box::new(write(store, asked))
    })?;
    files.func_wrap_async("list", |store: Run<'_>, asked| Box::new(list(store, asked)))?;
    files.func_wrap_async("close", |store: Run<'_>, (file,): (u32,)| {
        let asked = asked(&store, "close", format_args!("{file}"));
        Box::new(at_once(store, asked, move |files| files.close(file)))
    })?;
    files.func_wrap_async("resize", |store: Run<'_>, (file, size): (u32, u64)| {
        let asked = asked(&store, "resize", format_args!("{file} {size}"));
        Box::new(at_once(store, asked, move |files| files.resize(file, size)))
    })?;
    files.func_wrap_async("stat-of", |store: Run<'_>, (file,): (u32,)| {
        let asked = asked(&store, "stat-of", format_args!("{file}"));
        Box::new(async move {
            let (status,) = at_once(store, asked, move |files| files.status_of(file)).await?;
            Ok((status.map(Status::from),))
        })
    })?;
    files.func_wrap_async("stat", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = asked(&store, "stat", format_args!("{path}"));
            let (status,) = at_once(store, asked, move |files| files.status(&path)).await?;
            Ok((status.map(Status::from),))
        })
    })?;
    changes(&mut files)
}

/// What changes the files at a path.
fn changes(files: &mut wasmtime::component::LinkerInstance<'_, RunState>) -> wasmtime::Result<()> {
    files.func_wrap_async("make-folder", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = asked(&store, "make-folder", format_args!("{path}"));
            elsewhere(store, asked, move |files, _| files.make_folder(&path)).await
        })
    })?;
    files.func_wrap_async("remove", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = asked(&store, "remove", format_args!("{path}"));
            elsewhere(store, asked, move |files, _| files.remove(&path)).await
        })
    })?;
    files.func_wrap_async("remove-folder", |store: Run<'_>, (path,): (WasmStr,)| {
        Box::new(async move {
            let path = copied(&store, &path)?;
            let asked = asked(&store, "remove-folder", format_args!("{path}"));
            elsewhere(store, asked, move |files, _| files.remove_folder(&path)).await
        })
    })?;
    files.func_wrap_async("rename", |store: Run<'_>, paths: (WasmStr, WasmStr)| {
        Box::new(async move {
            let (from, to) = (copied(&store, &paths.0)?, copied(&store, &paths.1)?);
            let asked = asked(&store, "rename", format_args!("{from:?} {to:?}"));
            elsewhere(store, asked, move |files, spending| {
                files.rename(&from, &to, &names(spending))
            })
            .await
        })
    })?;
    files.func_wrap_async(
        "copy",
        |store: Run<'_>, (from, to, exclusive): (WasmStr, WasmStr, bool)| {
            Box::new(async move {
                let (from, to) = (copied(&store, &from)?, copied(&store, &to)?);
                let asked = asked(&store, "copy", format_args!("{from:?} {to:?} {exclusive}"));
                elsewhere(store, asked, move |files, spending| {
                    files.copy(&from, &to, exclusive, &bytes(spending))
                })
                .await
            })
        },
    )?;
    files.func_wrap_async(
        "touch",
        |store: Run<'_>, (path, modified): (WasmStr, u64)| {
            Box::new(async move {
                let path = copied(&store, &path)?;
                let asked = asked(&store, "touch", format_args!("{path:?} {modified}"));
                elsewhere(store, asked, move |files, spending| {
                    files.touch(&path, modified, &bytes(spending))
                })
                .await
            })
        },
    )
}

async fn granted(mut store: Run<'_>) -> wasmtime::Result<(Option<String>,)> {
    fuel::settle(&mut store, effort::REQUEST).await?;
    let none = matches!(store.data().files, RunFiles::None);
    Ok((none.then(|| NONE.to_owned()),))
}

async fn open(store: Run<'_>, (path, ways): (WasmStr, Ways)) -> Told<u32> {
    let path = copied(&store, &path)?;
    let how = How {
        read: ways.contains(Ways::READ),
        write: ways.contains(Ways::WRITE),
        append: ways.contains(Ways::APPEND),
        create: ways.contains(Ways::CREATE),
        exclusive: ways.contains(Ways::EXCLUSIVE),
        truncate: ways.contains(Ways::TRUNCATE),
    };
    let asked = asked(&store, "open", format_args!("{path:?} {}", letters(how)));
    elsewhere(store, asked, move |files, spending| {
        files.open(&path, how, &bytes(spending))
    })
    .await
}

async fn read(mut store: Run<'_>, (file, at, count): (u32, u64, u32)) -> Told<Vec<u8>> {
    let count = count.min(PIECE);
    // Held until the guest has it.
    let held = store.data().held.hold(count.into())?;
    let price = OPERATION + u64::from(count);
    let asked = asked(&store, "read", format_args!("{file} {at} {count}"));
    let read = done(&mut store, (price, asked), move |files| {
        files.read(file, at, count as usize)
    });
    let read = read.await?;
    drop(held);
    Ok((read,))
}

async fn write(mut store: Run<'_>, (file, at, given): (u32, u64, WasmList<u8>)) -> Told<u64> {
    let given = given.as_le_slice(&store);
    if given.len() > PIECE as usize {
        return Err(wasmtime::Error::msg(format!(
            "{} bytes written at once; at most {PIECE}",
            given.len()
        )));
    }
    let given = given.to_vec();
    let held = store.data().held.hold(given.len() as u64)?;
    let price = OPERATION + given.len() as u64;
    let hash = store.data().files.are_heard().then(|| blake3::hash(&given));
    let hash = hash.map(|hash| hash.to_hex()).unwrap_or_default();
    let asked = asked(&store, "write", format_args!("{file} {at} {hash}"));
    let written = done(&mut store, (price, asked), move |files| {
        files.write(file, at, &given)
    });
    let written = written.await?;
    drop(held);
    Ok((written,))
}

async fn list(mut store: Run<'_>, (path, after): (WasmStr, WasmStr)) -> Told<Listing> {
    let (path, after) = (copied(&store, &path)?, copied(&store, &after)?);
    let asked = asked(&store, "list", format_args!("{path:?} {after:?}"));
    let listed = in_background(&mut store, asked, move |files, spending| {
        files.list(&path, &after, &names(spending))
    });
    let listing = listed.await?.map(Listing::from);
    if let Ok(listing) = &listing {
        let bytes = |entry: &Entry| (size_of::<Entry>() + entry.name.len()) as u64;
        show(&store, listing.entries.iter().map(bytes).sum())?;
    }
    fuel::settle(&mut store, 0).await?;
    Ok((listing,))
}

/// How a file is opened, a letter for each way.
fn letters(how: How) -> String {
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

/// What the guest asks, told in full only where somebody hears of it.
fn asked(store: &Run<'_>, what: &'static str, of: std::fmt::Arguments<'_>) -> FileAsked {
    let of = match store.data().files.are_heard() {
        true => of.to_string(),
        false => String::new(),
    };
    FileAsked { what, of }
}

/// What little there is to do is done here.
async fn at_once<T: Answer + Clone>(
    mut store: Run<'_>,
    asked: FileAsked,
    action: impl FnOnce(&Files) -> Result<T, Refused> + Send + 'static,
) -> Told<T> {
    let answer = done(&mut store, (OPERATION, asked), action);
    Ok((answer.await?,))
}

/// What may have to look at a whole folder, to copy a file, or to wait for another run's merge, is
/// done where nobody else waits.
async fn elsewhere<T: Answer + Clone>(
    mut store: Run<'_>,
    asked: FileAsked,
    action: impl FnOnce(&Files, &Spending<'_>) -> Result<T, Refused> + Send + 'static,
) -> Told<T> {
    let answer = in_background(&mut store, asked, action).await?;
    fuel::settle(&mut store, 0).await?;
    Ok((answer,))
}

async fn in_background<T: Answer + Clone>(
    store: &mut Run<'_>,
    asked: FileAsked,
    action: impl FnOnce(&Files, &Spending<'_>) -> Result<T, Refused> + Send + 'static,
) -> wasmtime::Result<Result<T, Problem>> {
    fuel::pay(&mut *store, OPERATION)?;
    let (files, effort) = (store.data().files.clone(), store.data().effort.clone());
    let answer = match files {
        RunFiles::None => return Ok(Err(none())),
        RunFiles::There(files, heard) => {
            let work = move |effort: &Effort| {
                let spending = Spending::of(effort);
                let answer = action(&files, &spending);
                let told = heard.is_some().then(|| spending.told(&answer));
                Ok((answer, heard.zip(told)))
            };
            let (answer, told) = effort
                .elsewhere(work)
                .await
                .map_err(|broken| over(store, broken))?;
            hears(told, asked);
            answer
        }
        RunFiles::Told(teller) => files::again(&*teller, &asked, &effort)?,
    };
    answered(store, answer)
}

/// Does what has a known price: here, if that is little.
async fn done<T: Answer + Clone>(
    store: &mut Run<'_>,
    (price, asked): (u64, FileAsked),
    action: impl FnOnce(&Files) -> Result<T, Refused> + Send + 'static,
) -> wasmtime::Result<Result<T, Problem>> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    let (files, effort) = (store.data().files.clone(), store.data().effort.clone());
    let answer = match files {
        RunFiles::None => return Ok(Err(none())),
        RunFiles::There(files, heard) => {
            let work = move |_: &Effort| Ok(action(&files));
            let answer = effort
                .work(price, work)
                .await
                .map_err(|broken| over(store, broken))?;
            let told = heard.map(|heard| (heard, Spending::of(&effort).told(&answer)));
            hears(told, asked);
            answer
        }
        RunFiles::Told(teller) => {
            effort.spend(price).map_err(|broken| over(store, broken))?;
            files::again(&*teller, &asked, &effort)?
        }
    };
    let answer = answered(store, answer);
    fuel::settle(store, 0).await?;
    answer
}

fn hears(told: Option<(Arc<dyn FilesHeard>, FileTold)>, asked: FileAsked) {
    if let Some((heard, told)) = told {
        heard.heard(asked, told);
    }
}

fn over(store: &Run<'_>, _: BrokenOff) -> wasmtime::Error {
    store.data().limits.out_of_fuel().into()
}

fn answered<T>(
    store: &Run<'_>,
    answer: Result<T, Refused>,
) -> wasmtime::Result<Result<T, Problem>> {
    match answer {
        Ok(done) => Ok(Ok(done)),
        Err(refused) if refused.code != What::BrokenOff => Ok(Err(refused.into())),
        Err(_) => Err(over(store, BrokenOff)),
    }
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

/// What a run is told that has no files.
const NONE: &str = "this run was given no files: give it some with `ampoule run --workspace FOLDER`, or with `[workspace]` in ampoule.toml";

fn none() -> Problem {
    Problem {
        code: Code::NoEntry,
        advice: NONE.to_owned(),
    }
}
