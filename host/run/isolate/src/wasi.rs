//! WASI 0.2 for compiled guests, narrowed to what isolates may have: clocks, entropy, standard
//! output and error into the run's output, and the folders that were granted. There are no
//! variables, nothing on standard input, and no network: sockets can be asked for, as the C library
//! of every language does, and none is given.

use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_limits::LimitHit;
use ampoule_tools::Error;
use parking_lot::Mutex;
use rand::TryRng;
use tokio::io::AsyncWrite;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream, WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock, WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random, sockets};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi::random::{WasiRandom, WasiRandomView as _};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView as _};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView, async_trait};
use wasmtime_wasi_io::bindings::wasi::io;
use wasmtime_wasi_io::bytes::Bytes;

use super::feed::Feed;
use super::output::Level;
use super::state::RunState;
use super::world::World;
use crate::component::{Access, Component};

/// The interfaces that there are, and the only ones.
pub(super) const INTERFACES: [&str; 27] = [
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

/// How many streams, files and the like a guest may have open: the process has to get along with
/// what files the system allows it.
const MOST_RESOURCES: usize = 200;
/// How many random bytes a guest may ask for at once.
const MOST_RANDOM_BYTES: u64 = 64 << 10;
/// How much a guest may write at once.
const WRITE_BYTES: usize = 64 << 10;

/// What a run of a compiled guest has of WASI.
pub(crate) struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
    printed: [Printed; 2],
}

impl Wasi {
    /// # Errors
    ///
    /// A request error if a folder can't be opened.
    pub(super) fn new(
        component: &Component,
        feed: &Arc<Feed>,
        clock: &WorldClock,
    ) -> Result<Self, Error> {
        let printed = [Level::Log, Level::Error].map(|level| Printed::new(level, Arc::clone(feed)));
        let [out, err] = printed.clone();
        let mut builder = WasiCtx::builder();
        builder
            .arg("program")
            .arg(component.arguments_text())
            .stdout(out)
            .stderr(err)
            .wall_clock(clock.clone())
            .monotonic_clock(clock.clone())
            .secure_random(Entropy(Arc::clone(&clock.world)))
            .insecure_random(Entropy(Arc::clone(&clock.world)))
            .insecure_random_seed(seed(&*clock.world)?)
            .max_random_size(MOST_RANDOM_BYTES)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .socket_addr_check(|_, _| Box::pin(async { false }));
        for folder in &component.folders {
            let access = match folder.access {
                Access::Read => FsPerms::ReadOnly,
                Access::Write => FsPerms::ReadWrite,
            };
            builder
                .preopened_dir(&folder.host, &folder.guest, access)
                .map_err(|error| {
                    Error::request(format!(
                        "the folder {} can't be opened for the run: {error:#}",
                        folder.host.display()
                    ))
                })?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(MOST_RESOURCES);
        Ok(Self {
            context: builder.build(),
            table,
            printed,
        })
    }

    /// Writes what has no line end yet: there will be none.
    pub(super) fn finish(&self) -> Result<(), LimitHit> {
        self.printed.iter().try_for_each(Printed::finish)
    }
}

impl WasiView for RunState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.as_deref_mut();
        let Wasi { context, table, .. } = wasi.expect("a guest that imports WASI has it");
        WasiCtxView {
            ctx: context,
            table,
        }
    }
}

/// The clocks that the run's world shows. If it can't continue, they stay at zero: WASI has no
/// error for that.
#[derive(Clone)]
pub(super) struct WorldClock {
    world: Arc<dyn World>,
    began: Instant,
}

impl WorldClock {
    pub(super) fn of(world: Arc<dyn World>, began: Instant) -> Self {
        Self { world, began }
    }
}

impl HostWallClock for WorldClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.world.now().unwrap_or_default())
    }
}

impl HostMonotonicClock for WorldClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        self.world.elapsed(self.began).unwrap_or_default()
    }
}

/// The entropy of the run's world; zeros if it can't continue.
struct Entropy(Arc<dyn World>);

impl TryRng for Entropy {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        if self.0.fill(bytes).is_err() {
            bytes.fill(0);
        }
        Ok(())
    }
}

fn seed(world: &dyn World) -> Result<u128, Error> {
    let mut bytes = [0; 16];
    world
        .fill(&mut bytes)
        .map_err(|error| Error::request(error.to_string()))?;
    Ok(u128::from_le_bytes(bytes))
}

/// What streams are kept in.
struct Resources;

impl HasData for Resources {
    type Data<'a> = &'a mut ResourceTable;
}

fn resources(run: &mut RunState) -> &mut ResourceTable {
    run.ctx().table
}

/// Defines the [`INTERFACES`].
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    type Run = RunState;
    io::error::add_to_linker::<Run, Resources>(linker, resources)?;
    io::poll::add_to_linker::<Run, Resources>(linker, resources)?;
    io::streams::add_to_linker::<Run, Resources>(linker, resources)?;
    clocks::wall_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    clocks::monotonic_clock::add_to_linker::<Run, WasiClocks>(linker, Run::clocks)?;
    random::random::add_to_linker::<Run, WasiRandom>(linker, Run::random)?;
    random::insecure::add_to_linker::<Run, WasiRandom>(linker, Run::random)?;
    random::insecure_seed::add_to_linker::<Run, WasiRandom>(linker, Run::random)?;
    filesystem::preopens::add_to_linker::<Run, WasiFilesystem>(linker, Run::filesystem)?;
    filesystem::types::add_to_linker::<Run, WasiFilesystem>(linker, Run::filesystem)?;
    cli::environment::add_to_linker::<Run, WasiCli>(linker, Run::cli)?;
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

/// Standard output, or standard error: what is written becomes output line by line.
#[derive(Clone)]
struct Printed {
    level: Level,
    feed: Arc<Feed>,
    /// What came after the last line end.
    line: Arc<Mutex<Vec<u8>>>,
}

impl Printed {
    fn new(level: Level, feed: Arc<Feed>) -> Self {
        Self {
            level,
            feed,
            line: Arc::default(),
        }
    }

    fn print(&self, bytes: &[u8]) -> Result<(), LimitHit> {
        let mut begun = self.line.lock();
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            begun.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            self.write(&mem::take(&mut *begun))?;
        }
        begun.extend_from_slice(rest);
        // A line that is too long to be printed need not be kept.
        if begun.len() as u64 > self.feed.allowed() {
            self.write(&mem::take(&mut *begun))?;
        }
        Ok(())
    }

    fn write(&self, line: &[u8]) -> Result<(), LimitHit> {
        self.feed.write(self.level, &String::from_utf8_lossy(line))
    }

    fn finish(&self) -> Result<(), LimitHit> {
        let line = mem::take(&mut *self.line.lock());
        if line.is_empty() {
            return Ok(());
        }
        self.write(&line)
    }
}

impl IsTerminal for Printed {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printed {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // WASI 0.3 alone asks for this one.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for Printed {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for Printed {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.print(&bytes)
            .map_err(|hit| StreamError::Trap(hit.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}
