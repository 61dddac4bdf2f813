//! `ampoule:guest/clock`: time.

use ampoule_effort as effort;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::fuel;
use crate::state::RunState;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut clock = linker.instance("ampoule:guest/clock@0.1.0")?;
    clock.func_wrap("now", |mut store: StoreContextMut<'_, RunState>, (): ()| {
        fuel::pay(&mut store, effort::REQUEST)?;
        Ok((store.data().world.now()?,))
    })?;
    clock.func_wrap(
        "elapsed",
        |mut store: StoreContextMut<'_, RunState>, (): ()| {
            fuel::pay(&mut store, effort::REQUEST)?;
            let run = store.data();
            Ok((run.world.elapsed(run.started)?,))
        },
    )
}
