//! WASI 0.3 for compiled guests: the same as of 0.2, with streams and futures of the component
//! model.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;
use wasmtime::StoreContextMut;
use wasmtime::component::{
    Access, FutureReader, HasData, Linker, Source, StreamConsumer, StreamReader, StreamResult,
};
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p3::bindings::cli::types::ErrorCode;
use wasmtime_wasi::p3::bindings::cli::{self, stderr, stdout};
use wasmtime_wasi::p3::bindings::{clocks, filesystem, sockets};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView as _};

use super::output::{PrintedText, WRITE_BYTES};
use super::price::{USE, environment, files};
use crate::state::RunState;

/// The interfaces that there are of this version, and the only ones.
pub(super) const INTERFACES: [&str; 22] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/system-clock",
    "wasi:clocks/types",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:http/client",
    "wasi:http/types",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/types",
];

/// Defines the [`INTERFACES`], but those for HTTP and for entropy. The context allows no sockets,
/// and no name to be looked up.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    type Run = RunState;
    clocks::types::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    clocks::system_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    clocks::monotonic_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    filesystem::preopens::add_to_linker::<Run, WasiFilesystem>(linker, Run::filesystem)?;
    filesystem::types::add_to_linker::<Run, WasiFilesystem>(linker, files)?;
    cli::environment::add_to_linker::<Run, WasiCli>(linker, environment)?;
    cli::exit::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::stdin::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    stdout::add_to_linker::<Run, RunOutput>(linker, |run| run)?;
    stderr::add_to_linker::<Run, RunOutput>(linker, |run| run)?;
    cli::terminal_input::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_output::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stdin::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stdout::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stderr::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    sockets::types::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)
}

/// Standard output and error, whose limit ends the run: Wasmtime's own would tell the guest of an
/// error that it may ignore.
struct RunOutput;

impl HasData for RunOutput {
    type Data<'a> = &'a mut RunState;
}

impl stdout::Host for RunState {}
impl stderr::Host for RunState {}

impl stdout::HostWithStore<RunState> for RunOutput {
    fn write_via_stream(
        mut store: Access<'_, RunState, Self>,
        data: StreamReader<u8>,
    ) -> wasmtime::Result<FutureReader<Result<(), ErrorCode>>> {
        let printed = store.get().wasi().out.clone();
        print(store, data, printed)
    }
}

impl stderr::HostWithStore<RunState> for RunOutput {
    fn write_via_stream(
        mut store: Access<'_, RunState, Self>,
        data: StreamReader<u8>,
    ) -> wasmtime::Result<FutureReader<Result<(), ErrorCode>>> {
        let printed = store.get().wasi().err.clone();
        print(store, data, printed)
    }
}

/// Prints a stream to its end. The future says when that is; printing has no other error than the
/// limit.
fn print(
    mut store: Access<'_, RunState, RunOutput>,
    data: StreamReader<u8>,
    printed: PrintedText,
) -> wasmtime::Result<FutureReader<Result<(), ErrorCode>>> {
    let (ended, end) = oneshot::channel::<()>();
    data.pipe(&mut store, Printer::new(printed, ended))?;
    FutureReader::new(&mut store, async {
        // It is dropped, and nothing is sent.
        let _ = end.await;
        wasmtime::error::Ok(Ok(()))
    })
}

/// Prints what comes from a stream of WASI 0.3.
struct Printer {
    printed: PrintedText,
    /// Dropped with this, when the stream ends.
    _ended: oneshot::Sender<()>,
}

impl Printer {
    fn new(printed: PrintedText, ended: oneshot::Sender<()>) -> Self {
        Self {
            printed,
            _ended: ended,
        }
    }
}

impl StreamConsumer<RunState> for Printer {
    type Item = u8;

    fn poll_consume(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut store: StoreContextMut<'_, RunState>,
        source: Source<'_, u8>,
        _: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        // No bytes: the guest asks whether it may write, and it always may.
        let count = source.remaining(&mut store).min(WRITE_BYTES);
        store.data().spend(USE + count as u64)?;
        let mut source = source.as_direct(store);
        self.printed.print(&source.remaining()[..count])?;
        source.mark_read(count);
        Poll::Ready(Ok(StreamResult::Completed))
    }
}
