//! `wasi:http` for compiled guests: each request is a call of the tool by which scripts have
//! requests made, so that it has the same rules, limits, approvals and record. There is no other
//! network.
//!
//! - `requests`: a guest's requests; `exchanges`: those on their way; `calls`: their calls; `message`:
//!   requests and responses as the tool has them

mod calls;
pub(crate) mod exchanges;
#[cfg(test)]
mod fuzzing;
mod message;
pub(super) mod requests;

use wasmtime::component::{Accessor, AccessorTask, HasData, Linker, Resource};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView, p2, p3};
use wasmtime_wasi_io::bindings::wasi::io::poll::{self, Host, HostPollable};

use self::exchanges::Exchanges;
use super::context::Wasi;
use crate::fuel;
use crate::state::RunState;

/// Defines the interfaces of both versions, and `wasi:io/poll`, by which guests of 0.2 wait.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    p2::add_only_http_to_linker_async(linker)?;
    p3::add_to_linker(linker)?;
    poll::add_to_linker::<RunState, Waiting>(linker, |run| run)
}

impl WasiHttpView for RunState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let Wasi { table, http, .. } = self.wasi();
        let http = http.as_mut();
        let http = http.expect("a guest that imports `wasi:http` has it");
        WasiHttpCtxView {
            hooks: &mut http.requests,
            table,
            ctx: &mut http.context,
        }
    }
}

/// Makes the requests of a guest of WASI 0.3 as long as the run lives: while the guest waits, the
/// Store is free for others.
pub(crate) struct RequestTask(Exchanges);

impl RequestTask {
    pub(crate) fn new(exchanges: Exchanges) -> Self {
        Self(exchanges)
    }
}

impl AccessorTask<RunState> for RequestTask {
    async fn run(mut self, store: &Accessor<RunState>) -> wasmtime::Result<()> {
        loop {
            let step = self.0.next().await;
            store.with(|mut access| {
                self.0.take(access.data_mut(), step)?;
                fuel::pay(&mut access, 0)
            })?;
        }
    }
}

/// How guests of WASI 0.2 wait. Meanwhile the Store is theirs alone, so what makes their requests
/// goes on within that wait.
struct Waiting;

impl HasData for Waiting {
    type Data<'a> = &'a mut RunState;
}

impl Host for RunState {
    async fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        let Some(mut exchanges) = self.wasi().exchanges.take() else {
            return self.wasi().table.poll(pollables).await;
        };
        let ready = loop {
            let again = pollables.iter().map(again).collect();
            tokio::select! {
                biased;
                ready = self.wasi().table.poll(again) => break ready?,
                step = exchanges.next() => exchanges.take(self, step)?,
            }
        };
        self.wasi().exchanges = Some(exchanges);
        Ok(ready)
    }
}

impl HostPollable for RunState {
    async fn block(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        self.poll(vec![pollable]).await.map(drop)
    }

    async fn ready(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<bool> {
        self.wasi().table.ready(pollable).await
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        HostPollable::drop(&mut self.wasi().table, pollable)
    }
}

/// The same resource.
fn again(pollable: &Resource<DynPollable>) -> Resource<DynPollable> {
    Resource::new_borrow(pollable.rep())
}
