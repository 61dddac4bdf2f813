//! `ampoule:guest/random`: entropy.

use ampoule_effort as effort;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::fuel;
use crate::state::RunState;

/// What a guest may ask for at once, in bytes.
const MOST_BYTES: u32 = 65_536;
/// What the system takes for a byte, in units of fuel.
pub(crate) const RANDOM_BYTE: u64 = 4;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut random = linker.instance("ampoule:guest/random@0.1.0")?;
    random.func_wrap_async(
        "seed",
        |mut store: StoreContextMut<'_, RunState>, (): ()| {
            Box::new(async move {
                fuel::settle(&mut store, effort::REQUEST).await?;
                let mut seed = [0; 8];
                store.data_mut().has_drawn = true;
                store.data().world.fill(&mut seed)?;
                Ok((u64::from_le_bytes(seed),))
            })
        },
    )?;
    random.func_wrap_async(
        "bytes",
        |mut store: StoreContextMut<'_, RunState>, (count,): (u32,)| {
            Box::new(async move {
                if count > MOST_BYTES {
                    return Err(wasmtime::Error::msg(format!(
                        "{count} random bytes at once; at most {MOST_BYTES}"
                    )));
                }
                fuel::settle(&mut store, effort::REQUEST + RANDOM_BYTE * u64::from(count)).await?;
                let mut bytes = vec![0; count as usize];
                store.data_mut().has_drawn = true;
                store.data().world.fill(&mut bytes)?;
                Ok((bytes,))
            })
        },
    )
}
