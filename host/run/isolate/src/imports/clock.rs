//! `ampoule:guest/clock`: time.

use ampoule_effort as effort;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::fuel;
use crate::state::RunState;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut clock = linker.instance("ampoule:guest/clock@0.1.0")?;
    clock.func_wrap_async("now", |mut store: StoreContextMut<'_, RunState>, (): ()| {
        Box::new(async move {
            fuel::settle(&mut store, effort::REQUEST).await?;
            Ok((store.data().world.now()?,))
        })
    })?;
    clock.func_wrap_async(
        "elapsed",
        |mut store: StoreContextMut<'_, RunState>, (): ()| {
            Box::new(async move {
                fuel::settle(&mut store, effort::REQUEST).await?;
                Ok((store.data().elapsed()?,))
            })
        },
    )
}
