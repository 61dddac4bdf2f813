//! Reading and writing files as streams of WASI 0.3.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use tokio::sync::{Semaphore, oneshot};
use wasmtime::StoreContextMut;
use wasmtime::component::{
    Destination, FutureReader, Linker, Resource, Source, StreamConsumer, StreamProducer,
    StreamReader, StreamResult, VecBuffer,
};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p3::bindings::filesystem::types::ErrorCode;

use super::{NEW, use_file};
use crate::state::RunState;
use crate::wasi::link;
use crate::wasi::price::FILE;

/// How many bytes are read or written at once.
const CHUNK_BYTES: usize = 8 << 10;

/// How a stream ended, as a type of WASI 0.3.
pub(super) type StreamEnd = Result<(), ErrorCode>;

/// A use of a file that is under way.
type FileUse<T> = BoxFuture<'static, wasmtime::Result<io::Result<T>>>;

pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    link::replace(linker, NEW, |types| {
        types.func_wrap(
            "[method]descriptor.read-via-stream",
            |mut store: StoreContextMut<'_, RunState>,
             (file, offset): (Resource<Descriptor>, u64)| {
                let (told, end) = oneshot::channel();
                let reader = FileReader {
                    file: file_of(store.data_mut(), &file, Use::Read)?,
                    turns: Arc::clone(&store.data_mut().wasi().file_turns),
                    offset,
                    reading: None,
                    end: EndTeller(Some(told)),
                };
                let bytes = StreamReader::new(&mut store, reader)?;
                Ok(((bytes, FutureReader::new(&mut store, end)?),))
            },
        )
    })?;
    link::replace(linker, NEW, |types| {
        types.func_wrap(
            "[method]descriptor.write-via-stream",
            |store: StoreContextMut<'_, RunState>,
             (file, bytes, offset): (Resource<Descriptor>, StreamReader<u8>, u64)| {
                Ok((write(store, &file, bytes, Some(offset))?,))
            },
        )
    })?;
    link::replace(linker, NEW, |types| {
        types.func_wrap(
            "[method]descriptor.append-via-stream",
            |store: StoreContextMut<'_, RunState>,
             (file, bytes): (Resource<Descriptor>, StreamReader<u8>)| {
                Ok((write(store, &file, bytes, None)?,))
            },
        )
    })
}

/// What a file is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

/// A file, or why it can't be used so.
fn file_of(
    run: &mut RunState,
    file: &Resource<Descriptor>,
    used: Use,
) -> wasmtime::Result<Result<Arc<File>, ErrorCode>> {
    run.spend(FILE)?;
    Ok(match run.wasi().table.get(file)? {
        Descriptor::Dir(_) if used == Use::Read => Err(ErrorCode::IsDirectory),
        Descriptor::Dir(_) => Err(ErrorCode::BadDescriptor),
        Descriptor::File(file) if used == Use::Write && file.perms.write_not_permitted() => {
            Err(ErrorCode::NotPermitted)
        }
        Descriptor::File(file) => Ok(Arc::clone(&file.file)),
    })
}

/// Tells how a stream ended: well, if it is dropped before that.
pub(super) struct EndTeller(pub(super) Option<oneshot::Sender<StreamEnd>>);

impl EndTeller {
    pub(super) fn tell(&mut self, end: StreamEnd) {
        if let Some(told) = self.0.take() {
            let _ = told.send(end);
        }
    }
}

impl Drop for EndTeller {
    fn drop(&mut self) {
        self.tell(Ok(()));
    }
}

/// Reads a file.
struct FileReader {
    file: Result<Arc<File>, ErrorCode>,
    turns: Arc<Semaphore>,
    offset: u64,
    reading: Option<FileUse<Vec<u8>>>,
    end: EndTeller,
}

impl FileReader {
    /// The bytes that come next; none at the end.
    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<wasmtime::Result<io::Result<Vec<u8>>>> {
        let Ok(file) = &self.file else {
            return Poll::Ready(Ok(Ok(Vec::new())));
        };
        let reading = self.reading.get_or_insert_with(|| {
            let (file, offset) = (Arc::clone(file), self.offset);
            Box::pin(use_file(Arc::clone(&self.turns), move || {
                let mut bytes = vec![0; CHUNK_BYTES];
                let count = file.read_at(&mut bytes, offset)?;
                bytes.truncate(count);
                Ok(bytes)
            }))
        });
        let read = ready!(reading.as_mut().poll(context));
        self.reading = None;
        Poll::Ready(read)
    }
}

impl StreamProducer<RunState> for FileReader {
    type Item = u8;
    type Buffer = VecBuffer<u8>;

    fn poll_produce<'a>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut store: StoreContextMut<'a, RunState>,
        mut destination: Destination<'a, Self::Item, Self::Buffer>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        // The guest asks whether there is anything, and it may ask for it.
        if destination.remaining(&mut store) == Some(0) {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        let this = &mut *self;
        let read = match this.poll_read(context) {
            Poll::Ready(read) => read?,
            // What is read is given to whoever asks next.
            Poll::Pending if finish => return Poll::Ready(Ok(StreamResult::Cancelled)),
            Poll::Pending => return Poll::Pending,
        };
        let end = match (read, &this.file) {
            (Ok(bytes), _) if !bytes.is_empty() => {
                store.data().spend(FILE + bytes.len() as u64)?;
                match this.offset.checked_add(bytes.len() as u64) {
                    Some(offset) => {
                        this.offset = offset;
                        destination.set_buffer(bytes.into());
                        return Poll::Ready(Ok(StreamResult::Completed));
                    }
                    None => Err(ErrorCode::Overflow),
                }
            }
            (Ok(_), Ok(_)) => Ok(()),
            (Ok(_), Err(error)) => Err(error.clone()),
            (Err(error), _) => Err(error.into()),
        };
        this.end.tell(end);
        Poll::Ready(Ok(StreamResult::Dropped))
    }
}

/// Writes a stream to a file: from an offset on, or else at its end.
fn write(
    mut store: StoreContextMut<'_, RunState>,
    file: &Resource<Descriptor>,
    mut bytes: StreamReader<u8>,
    offset: Option<u64>,
) -> wasmtime::Result<FutureReader<StreamEnd>> {
    let (told, end) = oneshot::channel();
    let mut told = EndTeller(Some(told));
    match file_of(store.data_mut(), file, Use::Write)? {
        Ok(file) => {
            let writer = FileWriter {
                file,
                turns: Arc::clone(&store.data_mut().wasi().file_turns),
                offset,
                writing: None,
                end: told,
            };
            bytes.pipe(&mut store, writer)?;
        }
        Err(error) => {
            bytes.close(&mut store)?;
            told.tell(Err(error));
        }
    }
    FutureReader::new(&mut store, end)
}

/// Writes a file.
struct FileWriter {
    file: Arc<File>,
    turns: Arc<Semaphore>,
    /// Where; none for its end.
    offset: Option<u64>,
    writing: Option<FileUse<usize>>,
    end: EndTeller,
}

impl StreamConsumer<RunState> for FileWriter {
    type Item = u8;

    fn poll_consume(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        store: StoreContextMut<'_, RunState>,
        source: Source<'_, u8>,
        _: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        let this = &mut *self;
        if this.writing.is_none() {
            store.data().owe(FILE + CHUNK_BYTES as u64);
        }
        let mut source = source.as_direct(store);
        let writing = this.writing.get_or_insert_with(|| {
            let bytes = source.remaining();
            let bytes = bytes[..bytes.len().min(CHUNK_BYTES)].to_vec();
            let (file, offset) = (Arc::clone(&this.file), this.offset);
            Box::pin(use_file(Arc::clone(&this.turns), move || match offset {
                Some(offset) => file.write_at(&bytes, offset),
                None => append(&file, &bytes),
            }))
        });
        // What is being written can't be taken back: a guest that cancels waits for it, too.
        let written = ready!(writing.as_mut().poll(context));
        this.writing = None;
        let end = match written? {
            Ok(count) => match this.offset.map(|offset| offset.checked_add(count as u64)) {
                Some(None) => Err(ErrorCode::Overflow),
                Some(then) => {
                    this.offset = then;
                    Ok(count)
                }
                None => Ok(count),
            },
            Err(error) => Err(error.into()),
        };
        Poll::Ready(Ok(match end {
            Ok(count) => {
                source.mark_read(count);
                StreamResult::Completed
            }
            Err(error) => {
                this.end.tell(Err(error));
                StreamResult::Dropped
            }
        }))
    }
}

/// Writes at the end of a file, wherever that is by then.
#[cfg(target_os = "linux")]
fn append(file: &File, bytes: &[u8]) -> io::Result<usize> {
    use rustix::io::{Errno, ReadWriteFlags, pwritev2};

    match pwritev2(file, &[io::IoSlice::new(bytes)], 0, ReadWriteFlags::APPEND) {
        // Not all file systems can.
        Err(Errno::NOSYS | Errno::NOTSUP) => at_end(file, bytes),
        written => Ok(written?),
    }
}

#[cfg(not(target_os = "linux"))]
fn append(file: &File, bytes: &[u8]) -> io::Result<usize> {
    at_end(file, bytes)
}

fn at_end(file: &File, bytes: &[u8]) -> io::Result<usize> {
    file.write_at(bytes, file.metadata()?.len())
}
