//! What a run of a compiled guest has of WASI.

use std::sync::Arc;
use std::time::Instant;

use ampoule_limits::LimitError;
use ampoule_tools::Error;
use tokio::sync::Semaphore;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx};
use wasmtime_wasi_http::WasiHttpCtx;

use super::account::Account;
use super::http::exchanges::Exchanges;
use super::http::requests::Requests;
use super::output::PrintedText;
use super::world::{WorldClock, seed};
use crate::component::{Access, Component};
use crate::feed::Feed;
use crate::output::Level;
use crate::world::World;

/// How many streams, files and the like a guest may have open: the process has to get along with
/// what files the system allows it.
const MOST_RESOURCES: usize = 200;
/// How many uses of files are under way at once; others wait.
const FILES_AT_ONCE: usize = 8;
/// How large the headers of one request may be, in bytes: a guest may keep as many as it may keep
/// resources.
const HEADER_BYTES: usize = 64 << 10;

/// What a run of a compiled guest has of WASI.
pub(crate) struct Wasi {
    pub(super) context: WasiCtx,
    pub(super) table: ResourceTable,
    pub(super) out: PrintedText,
    pub(super) err: PrintedText,
    /// A seed for what need not be secret.
    pub(super) seed: (u64, u64),
    /// How large its arguments and its variables are, in bytes.
    pub(super) environment_bytes: u64,
    /// Turns to use files, of which so many are used at once.
    pub(super) file_turns: Arc<Semaphore>,
    /// What a guest has that imports `wasi:http`.
    pub(super) http: Option<Http>,
    /// What makes its requests, unless a task has it.
    pub(crate) exchanges: Option<Exchanges>,
}

/// HTTP requests of a guest.
pub(super) struct Http {
    pub(super) context: WasiHttpCtx,
    pub(super) requests: Requests,
}

/// What WASI needs of a run.
pub(crate) struct WasiSetup<'r> {
    pub(crate) feed: &'r Arc<Feed>,
    pub(crate) world: &'r Arc<dyn World>,
    pub(crate) started: Instant,
    /// What requests count towards, if the guest imports `wasi:http`.
    pub(crate) http: Option<Account>,
}

impl Wasi {
    /// # Errors
    ///
    /// A request error if a folder can't be opened.
    pub(crate) fn new(component: &Component, setup: WasiSetup<'_>) -> Result<Self, Error> {
        let WasiSetup {
            feed,
            world,
            started,
            http,
        } = setup;
        let clock = WorldClock::of(Arc::clone(world), started);
        let out = PrintedText::new(Level::Log, Arc::clone(feed));
        let err = PrintedText::new(Level::Error, Arc::clone(feed));
        let mut builder = WasiCtx::builder();
        let arguments = component.arguments_text();
        let mut environment_bytes = arguments.len();
        builder
            .arg("program")
            .arg(arguments)
            .stdout(out.clone())
            .stderr(err.clone())
            .wall_clock(clock.clone())
            .monotonic_clock(clock)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .socket_addr_check(|_, _| Box::pin(async { false }));
        for variable in &component.env {
            environment_bytes += variable.name.len() + variable.value.len();
            builder.env(&variable.name, &variable.value);
        }
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
        let (http, exchanges) = http
            .map(|account| {
                let (requests, exchanges) = Requests::new(account);
                let mut context = WasiHttpCtx::new();
                context.set_field_size_limit(HEADER_BYTES);
                (Http { context, requests }, exchanges)
            })
            .unzip();
        Ok(Self {
            context: builder.build(),
            table,
            out,
            err,
            seed: seed(&**world)?,
            environment_bytes: environment_bytes as u64,
            file_turns: Arc::new(Semaphore::new(FILES_AT_ONCE)),
            http,
            exchanges,
        })
    }

    /// Writes what has no line end yet: there will be none.
    pub(crate) fn finish(&self) -> Result<(), LimitError> {
        self.out.finish()?;
        self.err.finish()
    }
}
