//! What a run of a compiled guest has of WASI.

use std::sync::Arc;
use std::time::Instant;

use ampoule_limits::LimitError;
use ampoule_tools::{Error, GrantedTools};
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx};
use wasmtime_wasi_http::WasiHttpCtx;

use super::http::exchanges::Exchanges;
use super::http::requests::Requests;
use super::printed::Printed;
use super::world::{Entropy, WorldClock, seed};
use crate::component::{Access, Component};
use crate::feed::Feed;
use crate::held::HeldBytes;
use crate::output::Level;
use crate::world::World;

/// How many streams, files and the like a guest may have open: the process has to get along with
/// what files the system allows it.
const MOST_RESOURCES: usize = 200;
/// How many random bytes a guest may ask for at once.
const MOST_RANDOM_BYTES: u64 = 64 << 10;

/// What a run of a compiled guest has of WASI.
pub(crate) struct Wasi {
    pub(super) context: WasiCtx,
    pub(super) table: ResourceTable,
    pub(super) out: Printed,
    pub(super) err: Printed,
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
    pub(crate) held: &'r Arc<HeldBytes>,
    /// How large the body of an HTTP request may be.
    pub(crate) body_bytes: u64,
    pub(crate) tools: &'r Arc<GrantedTools>,
    /// Whether the guest imports `wasi:http`.
    pub(crate) http: bool,
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
            held,
            body_bytes,
            tools,
            http,
        } = setup;
        let clock = WorldClock::of(Arc::clone(world), started);
        let out = Printed::new(Level::Log, Arc::clone(feed));
        let err = Printed::new(Level::Error, Arc::clone(feed));
        let mut builder = WasiCtx::builder();
        builder
            .arg("program")
            .arg(component.arguments_text())
            .stdout(out.clone())
            .stderr(err.clone())
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
        for variable in &component.env {
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
            .then(|| Requests::new(Arc::clone(held), body_bytes, Arc::clone(tools)))
            .map(|(requests, exchanges)| {
                let context = WasiHttpCtx::new();
                (Http { context, requests }, exchanges)
            })
            .unzip();
        Ok(Self {
            context: builder.build(),
            table,
            out,
            err,
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
