//! `wasi:http` for compiled guests: each request is a call of the tool by which scripts have
//! requests made, so that it has the same rules, limits, approvals and record. There is no other
//! network.
//!
//! - `heads`: requests that are not sent yet; `requests`: those that are sent; `exchanges`: those
//!   on their way; `calls`: their calls; `message`: requests and responses as the tool has them

mod calls;
pub(crate) mod exchanges;
#[cfg(test)]
mod fuzzing;
mod heads;
mod message;
pub(crate) mod requests;

use ampoule_effort as effort;
use futures::FutureExt as _;
use tokio::task::yield_now;
use wasmtime::component::{Accessor, AccessorTask, HasSelf, Linker, Resource};
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi_http::{WasiHttpCtxView, WasiHttpView, p2, p3};
use wasmtime_wasi_io::bindings::wasi::io::poll::{self, Host, HostPollable};

use self::exchanges::Exchanges;
use super::context::Wasi;
use super::price;
use crate::fuel;
use crate::state::RunState;

/// Defines the interfaces of both versions, and `wasi:io/poll`, by which guests of 0.2 wait.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    p2::add_only_http_to_linker_async(linker)?;
    p3::add_to_linker(linker)?;
    heads::replace(linker)?;
    poll::add_to_linker::<RunState, HasSelf<RunState>>(linker, |run| run)
}

impl WasiHttpView for RunState {
    /// To be called for each use: the run owes for it.
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        self.owe(price::USE);
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
            let next = self.0.next().await;
            store.with(|mut access| {
                self.0.take(access.data_mut(), next)?;
                fuel::pay(&mut access, 0)
            })?;
        }
    }
}

/// How guests of WASI 0.2 wait. The Store is theirs alone meanwhile, so their requests are made
/// within that wait. Requests come before pollables that are ready, or a guest that also waits for
/// something else would never have one made. Wasmtime's own tasks run before both: the task of a
/// dropped request still has to end.
impl Host for RunState {
    async fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        self.spend(effort::REQUEST + effort::ITEM * pollables.len() as u64)?;
        let Some(mut exchanges) = self.wasi().exchanges.take() else {
            return self.wasi().table.poll(pollables).await;
        };
        yield_now().await;
        let ready = loop {
            let again = pollables.iter().map(again).collect();
            tokio::select! {
                biased;
                next = exchanges.next() => exchanges.take(self, next)?,
                ready = self.wasi().table.poll(again) => break ready?,
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
        self.spend(effort::REQUEST)?;
        if let Some(mut exchanges) = self.wasi().exchanges.take() {
            yield_now().await;
            while let Some(next) = exchanges.next().now_or_never() {
                exchanges.take(self, next)?;
            }
            self.wasi().exchanges = Some(exchanges);
            yield_now().await;
        }
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
