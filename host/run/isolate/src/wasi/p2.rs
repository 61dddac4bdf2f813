//! WASI 0.2 for compiled guests.

use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, sockets};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView as _};
use wasmtime_wasi_io::bindings::wasi::io;

use super::price::{STREAM, environment, files};
use crate::state::RunState;

/// The interfaces that there are of this version, and the only ones.
pub(super) const INTERFACES: [&str; 29] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:http/outgoing-handler",
    "wasi:http/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// What streams are kept in.
struct Resources;

impl HasData for Resources {
    type Data<'a> = &'a mut ResourceTable;
}

fn resources(run: &mut RunState) -> &mut ResourceTable {
    run.owe(STREAM);
    &mut run.wasi().table
}

/// Defines the [`INTERFACES`], but those for HTTP, for waiting and for entropy.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    type Run = RunState;
    io::error::add_to_linker::<Run, Resources>(linker, resources)?;
    io::streams::add_to_linker::<Run, Resources>(linker, resources)?;
    clocks::wall_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    clocks::monotonic_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    filesystem::preopens::add_to_linker::<Run, WasiFilesystem>(linker, Run::filesystem)?;
    filesystem::types::add_to_linker::<Run, WasiFilesystem>(linker, files)?;
    cli::environment::add_to_linker::<Run, WasiCli>(linker, environment)?;
    cli::exit::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::stdin::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::stdout::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::stderr::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_input::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_output::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stdin::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stdout::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    cli::terminal_stderr::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
    add_sockets(linker)
}

/// Defines sockets. The context allows none, and no name to be looked up: each is refused before
/// the system is asked for anything.
fn add_sockets(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    type Run = RunState;
    let stable = sockets::network::LinkOptions::default();
    sockets::network::add_to_linker::<Run, WasiSockets>(linker, &stable, Run::sockets)?;
    sockets::instance_network::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::tcp::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::tcp_create_socket::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::udp::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)?;
    sockets::udp_create_socket::add_to_linker::<Run, WasiSockets>(linker, Run::sockets)
}
