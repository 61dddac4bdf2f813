//! `ampoule:guest/clock`: time.

use std::time::{SystemTime, UNIX_EPOCH};

use ampoule_effort as effort;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::fuel;
use crate::state::RunState;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut clock = linker.instance("ampoule:guest/clock@0.1.0")?;
    clock.func_wrap("now", |mut store: StoreContextMut<'_, RunState>, (): ()| {
        fuel::pay(&mut store, effort::REQUEST)?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok((u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),))
    })?;
    clock.func_wrap(
        "elapsed",
        |mut store: StoreContextMut<'_, RunState>, (): ()| {
            fuel::pay(&mut store, effort::REQUEST)?;
            Ok((u64::try_from(store.data().started.elapsed().as_nanos()).unwrap_or(u64::MAX),))
        },
    )
}
