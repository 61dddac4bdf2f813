//! Listings, as both versions of WASI give them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use rustix::fs::FileType;
use tokio::sync::oneshot;
use wasmtime::StoreContextMut;
use wasmtime::component::{
    Destination, FutureReader, Linker, Resource, ResourceType, StreamProducer, StreamReader,
    StreamResult, VecBuffer,
};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types as p2;
use wasmtime_wasi::p3::bindings::filesystem::types as p3;

use super::listing::{Entry, Listing, ListingError};
use super::streams::{EndTeller, StreamEnd};
use super::{NEW, OLD, use_file};
use crate::state::RunState;
use crate::wasi::link;
use crate::wasi::price::FILE;

/// A listing once it is there.
type ListingResult = wasmtime::Result<Result<Listing, ListingError>>;

pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    link::replace(linker, OLD, |types| {
        types.resource(
            "directory-entry-stream",
            ResourceType::host::<Listing>(),
            |mut store: StoreContextMut<'_, RunState>, listing| {
                let listing = Resource::<Listing>::new_own(listing);
                store.data_mut().wasi().table.delete(listing)?;
                Ok(())
            },
        )
    })?;
    link::replace(linker, OLD, |types| {
        types.func_wrap_async(
            "[method]descriptor.read-directory",
            |mut store: StoreContextMut<'_, RunState>, (folder,): (Resource<Descriptor>,)| {
                Box::new(async move {
                    let Some(listing) = begin(store.data_mut(), &folder)? else {
                        return Ok((Err(p2::ErrorCode::NotDirectory),));
                    };
                    Ok((match listing.await? {
                        Ok(listing) => Ok(store.data_mut().wasi().table.push(listing)?),
                        Err(ListingError::System(error)) => Err(error.into()),
                        Err(ListingError::Limit(hit)) => return Err(hit.into()),
                    },))
                })
            },
        )
    })?;
    link::replace(linker, OLD, |types| {
        types.func_wrap(
            "[method]directory-entry-stream.read-directory-entry",
            |mut store: StoreContextMut<'_, RunState>, (listing,): (Resource<Listing>,)| {
                let run = store.data_mut();
                run.spend(ampoule_effort::REQUEST)?;
                let listing = run.wasi().table.get_mut(&listing)?;
                Ok((listing.entries.next().map(old_entry).transpose(),))
            },
        )
    })?;
    link::replace(linker, NEW, |types| {
        types.func_wrap(
            "[method]descriptor.read-directory",
            |store: StoreContextMut<'_, RunState>, (folder,): (Resource<Descriptor>,)| {
                Ok((read_directory(store, &folder)?,))
            },
        )
    })
}

/// Begins to list a folder; none if it is not one.
fn begin(
    run: &mut RunState,
    folder: &Resource<Descriptor>,
) -> wasmtime::Result<Option<BoxFuture<'static, ListingResult>>> {
    run.spend(FILE)?;
    let account = run.account();
    let turns = Arc::clone(&run.wasi().file_turns);
    let Descriptor::Dir(folder) = run.wasi().table.get(folder)? else {
        return Ok(None);
    };
    let folder = Arc::clone(&folder.dir);
    Ok(Some(Box::pin(use_file(turns, move || {
        account.list(&folder)
    }))))
}

fn old_entry(entry: Entry) -> Result<p2::DirectoryEntry, p2::ErrorCode> {
    let type_ = match entry.kind {
        FileType::RegularFile => p2::DescriptorType::RegularFile,
        FileType::Directory => p2::DescriptorType::Directory,
        FileType::Symlink => p2::DescriptorType::SymbolicLink,
        FileType::Fifo => p2::DescriptorType::Fifo,
        FileType::Socket => p2::DescriptorType::Socket,
        FileType::CharacterDevice => p2::DescriptorType::CharacterDevice,
        FileType::BlockDevice => p2::DescriptorType::BlockDevice,
        FileType::Unknown => p2::DescriptorType::Unknown,
    };
    let name = entry.name.ok_or(p2::ErrorCode::IllegalByteSequence)?;
    Ok(p2::DirectoryEntry { type_, name })
}

fn new_entry(entry: Entry) -> Result<p3::DirectoryEntry, p3::ErrorCode> {
    let type_ = match entry.kind {
        FileType::RegularFile => p3::DescriptorType::RegularFile,
        FileType::Directory => p3::DescriptorType::Directory,
        FileType::Symlink => p3::DescriptorType::SymbolicLink,
        FileType::Fifo => p3::DescriptorType::Fifo,
        FileType::Socket => p3::DescriptorType::Socket,
        FileType::CharacterDevice => p3::DescriptorType::CharacterDevice,
        FileType::BlockDevice => p3::DescriptorType::BlockDevice,
        FileType::Unknown => p3::DescriptorType::Other(None),
    };
    let name = entry.name.ok_or(p3::ErrorCode::IllegalByteSequence)?;
    Ok(p3::DirectoryEntry { type_, name })
}

/// A stream of entries, and a future of how it ends.
fn read_directory(
    mut store: StoreContextMut<'_, RunState>,
    folder: &Resource<Descriptor>,
) -> wasmtime::Result<(StreamReader<p3::DirectoryEntry>, FutureReader<StreamEnd>)> {
    let (told, end) = oneshot::channel();
    let state = match begin(store.data_mut(), folder)? {
        Some(listing) => StreamState::Awaited(listing),
        None => StreamState::Over(Err(p3::ErrorCode::NotDirectory)),
    };
    let entries = EntryStream {
        state,
        end: EndTeller(Some(told)),
    };
    Ok((
        StreamReader::new(&mut store, entries)?,
        FutureReader::new(&mut store, end)?,
    ))
}

/// The entries of a folder as a stream of WASI 0.3. A guest that never reads it has nothing listed.
struct EntryStream {
    state: StreamState,
    end: EndTeller,
}

enum StreamState {
    Awaited(BoxFuture<'static, ListingResult>),
    Listed(Listing),
    Over(StreamEnd),
}

impl EntryStream {
    /// The next entry, or how the stream ends.
    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<wasmtime::Result<Result<p3::DirectoryEntry, StreamEnd>>> {
        loop {
            self.state = match &mut self.state {
                StreamState::Awaited(listing) => match ready!(listing.as_mut().poll(context))? {
                    Ok(listing) => StreamState::Listed(listing),
                    Err(ListingError::System(error)) => StreamState::Over(Err(error.into())),
                    Err(ListingError::Limit(hit)) => return Poll::Ready(Err(hit.into())),
                },
                StreamState::Listed(listing) => match listing.entries.next().map(new_entry) {
                    Some(Ok(entry)) => return Poll::Ready(Ok(Ok(entry))),
                    Some(Err(error)) => StreamState::Over(Err(error)),
                    None => StreamState::Over(Ok(())),
                },
                StreamState::Over(end) => {
                    let end = std::mem::replace(end, Ok(()));
                    return Poll::Ready(Ok(Err(end)));
                }
            };
        }
    }
}

impl StreamProducer<RunState> for EntryStream {
    type Item = p3::DirectoryEntry;
    type Buffer = VecBuffer<p3::DirectoryEntry>;

    fn poll_produce<'a>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut store: StoreContextMut<'a, RunState>,
        mut destination: Destination<'a, Self::Item, Self::Buffer>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        // The guest asks whether there is anything, and it may ask for it.
        let room = destination.remaining(&mut store).unwrap_or(1);
        if room == 0 {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        let mut entries = Vec::new();
        while entries.len() < room {
            match self.poll_next(context) {
                Poll::Ready(Ok(Ok(entry))) => entries.push(entry),
                Poll::Ready(Ok(Err(end))) if entries.is_empty() => {
                    self.end.tell(end);
                    return Poll::Ready(Ok(StreamResult::Dropped));
                }
                Poll::Ready(Ok(Err(end))) => {
                    self.state = StreamState::Over(end);
                    break;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                // Only before the first entry.
                Poll::Pending if finish => return Poll::Ready(Ok(StreamResult::Cancelled)),
                Poll::Pending => return Poll::Pending,
            }
        }
        store.data().owe(ampoule_effort::REQUEST);
        destination.set_buffer(entries.into());
        Poll::Ready(Ok(StreamResult::Completed))
    }
}
