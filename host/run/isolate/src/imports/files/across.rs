//! Files that are moved or copied between a run's memory and what it was given. A guest that asks for
//! it sees it done as a whole, or not at all.

use ampoule_effort::{self as effort, Effort};
use ampoule_workspace::{Code, FileError, NewFile, OpenOptions, ResolvedPath};

use super::{FileResult, OPERATION, PIECE, Run, bytes, given, in_memory, over};
use crate::fuel;

/// Whether a file is to be gone where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It is, and what is there is replaced.
    Move,
    /// It stays; what is there is replaced, unless this says that it must not be.
    Copy { exclusive: bool },
}

impl Way {
    fn moves(self) -> bool {
        self == Self::Move
    }

    fn exclusive(self) -> bool {
        matches!(self, Self::Copy { exclusive: true })
    }
}

/// From memory to a path among what was given.
pub(super) async fn out(
    store: &mut Run<'_>,
    from: ResolvedPath,
    to: String,
    way: Way,
) -> FileResult<()> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    let memory = store.data_mut().own_files();
    let (effort, is_heard) = (store.data().effort.clone(), store.data().files.are_heard());
    let looks = {
        let (memory, from) = (memory.clone(), from.clone());
        move |effort: &Effort| {
            let memory = memory.lock();
            let (content, modified) = match memory.contents(&from, way.moves()) {
                Ok(found) => found,
                Err(problem) => return Ok(Err(problem)),
            };
            // It is read here to be known again, and once more to be written.
            effort.spend(content.size())?;
            let mut hash = blake3::Hasher::new();
            for piece in content.all().filter(|_| is_heard) {
                hash.update(piece);
            }
            Ok(Ok((hash.finalize().to_hex(), modified)))
        }
    };
    let looked = effort.elsewhere(looks).await;
    let (hash, modified) = match looked.map_err(|broken| over(store, broken))? {
        Ok(looked) => looked,
        Err(problem) => return in_memory::known(store, Err(problem)).await,
    };
    let exclusive = way.exclusive();
    let asked = given::asked(
        store,
        "put",
        format_args!("{to:?} {modified} {exclusive} {hash}"),
    );
    let source = from.clone();
    let put = given::elsewhere(store, asked, move |files, spending| {
        let memory = memory.lock();
        let (content, modified) = memory.contents(&source, way.moves())?;
        let new = NewFile {
            content: &content,
            modified,
            exclusive,
        };
        files.put(&to, new, &bytes(spending))
    });
    let put = put.await?;
    if put.is_err() || !way.moves() {
        return Ok(put);
    }
    let now = store.data().world.now()?;
    let price = in_memory::weight(store, &from);
    in_memory::act(store, price, move |memory| memory.remove(&from, now)).await
}

/// From a path among what was given to memory.
pub(super) async fn into(
    store: &mut Run<'_>,
    from: String,
    to: ResolvedPath,
    way: Way,
) -> FileResult<()> {
    let now = store.data().world.now()?;
    let staged = match in_memory::act(store, 0, move |memory| memory.stage(now)).await? {
        Ok(staged) => staged,
        Err(problem) => return Ok(Err(problem)),
    };
    let filled = fill(store, &from, staged).await?;
    let placed = match filled {
        Ok(modified) => {
            let staged = StagedCopy {
                file: staged,
                modified,
            };
            place(store, &from, to, staged, way).await?
        }
        // As between two disks, which those who move folders expect.
        Err(problem) if problem.code == Code::IsFolder && way.moves() => Err(FileError {
            code: Code::CrossDevice,
            ..problem
        }),
        Err(problem) => Err(problem),
    };
    let closed = in_memory::close(store, staged).await?;
    Ok(placed.and(closed))
}

/// Fills a file in memory. Gives when the other was last modified.
async fn fill(store: &mut Run<'_>, from: &str, staged: u32) -> FileResult<u64> {
    let how = OpenOptions {
        read: true,
        ..OpenOptions::default()
    };
    let path = from.to_owned();
    let asked = given::asked(store, "open", format_args!("{path:?} r"));
    let opened = given::elsewhere(store, asked, move |files, spending| {
        files.open(&path, how, &bytes(spending))
    });
    let file = match opened.await? {
        Ok(file) => file,
        Err(problem) => return Ok(Err(problem)),
    };
    let filled = fill_from(store, file, staged).await?;
    let asked = given::asked(store, "close", format_args!("{file}"));
    let closed = given::at_once(store, asked, move |files| files.close(file)).await?;
    Ok(filled.and_then(|modified| closed.map(|()| modified)))
}

async fn fill_from(store: &mut Run<'_>, file: u32, staged: u32) -> FileResult<u64> {
    let asked = given::asked(store, "stat-of", format_args!("{file}"));
    let status = given::at_once(store, asked, move |files| files.status_of(file));
    let modified = match status.await? {
        Ok(status) => status.modified,
        Err(problem) => return Ok(Err(problem)),
    };
    let mut at = 0;
    loop {
        let held = store.data().held.hold(PIECE.into())?;
        let asked = given::asked(store, "read", format_args!("{file} {at} {PIECE}"));
        let price = OPERATION + u64::from(PIECE);
        let read = given::done(store, price, asked, move |files| {
            files.read(file, at, PIECE as usize)
        });
        let piece = match read.await? {
            Ok(piece) if piece.is_empty() => return Ok(Ok(modified)),
            Ok(piece) => piece,
            Err(problem) => return Ok(Err(problem)),
        };
        let written = in_memory::write(store, staged, at, piece).await?;
        drop(held);
        match written {
            Ok(end) => at = end,
            Err(problem) => return Ok(Err(problem)),
        }
    }
}

/// A file in memory that was filled, and has no name yet.
struct StagedCopy {
    file: u32,
    modified: u64,
}

/// Gives a file that was filled its name, and removes the one that it was filled from if it moves.
async fn place(
    store: &mut Run<'_>,
    from: &str,
    to: ResolvedPath,
    staged: StagedCopy,
    way: Way,
) -> FileResult<()> {
    if way.moves() {
        let there = to.clone();
        let may = in_memory::act(store, 0, move |memory| memory.may_place(&there));
        if let Err(problem) = may.await? {
            return Ok(Err(problem));
        }
        let path = from.to_owned();
        let asked = given::asked(store, "remove", format_args!("{path}"));
        let removed = given::elsewhere(store, asked, move |files, _| files.remove(&path));
        if let Err(problem) = removed.await? {
            return Ok(Err(problem));
        }
    }
    let price = in_memory::weight(store, &to);
    let exclusive = way.exclusive();
    in_memory::act(store, price, move |memory| {
        memory.place(staged.file, &to, exclusive, staged.modified)
    })
    .await
}
