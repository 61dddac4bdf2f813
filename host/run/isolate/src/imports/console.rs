//! `ampoule:guest/console`: output, and progress.

use ampoule_effort as effort;
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmStr};

use crate::feed::PROGRESS_BYTES;
use crate::fuel;
use crate::output::{EmitError, Level};
use crate::state::RunState;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut console = linker.instance("ampoule:guest/console@0.1.0")?;
    console.func_wrap_async(
        "write",
        |mut store: StoreContextMut<'_, RunState>, (level, text): (Level, WasmStr)| {
            Box::new(async move {
                let allowed = usize::try_from(store.data().feed.allowed()).unwrap_or(usize::MAX);
                // One byte above what is allowed is enough to see that it is too much.
                let text = text.to_str(&store)?;
                let text = text[..text.floor_char_boundary(allowed.saturating_add(4))].to_owned();
                fuel::settle(&mut store, effort::REQUEST + text.len() as u64).await?;
                Ok(store.data().feed.write(level, &text)?)
            })
        },
    )?;
    console.func_wrap_async(
        "emit",
        |mut store: StoreContextMut<'_, RunState>, (value,): (WasmStr,)| {
            Box::new(async move {
                let bytes = value.to_str(&store)?.len() as u64;
                let feed = &store.data().feed;
                // What can't be held is not copied.
                feed.admit(bytes)?;
                let value = value.to_str(&store)?.into_owned();
                fuel::settle(&mut store, effort::REQUEST + bytes).await?;
                match store.data().feed.emit(value) {
                    Ok(()) => Ok((Ok(()),)),
                    Err(EmitError::Refused(why)) => Ok((Err(why),)),
                    Err(EmitError::Limit(hit)) => Err(hit.into()),
                }
            })
        },
    )?;
    console.func_wrap_async(
        "progress",
        |mut store: StoreContextMut<'_, RunState>, (fraction, text): (Option<f64>, WasmStr)| {
            Box::new(async move {
                let text = text.to_str(&store)?;
                let bytes = text.len() as u64;
                let text = text[..text.floor_char_boundary(PROGRESS_BYTES)].to_owned();
                // What is cut off was looked at, too.
                fuel::settle(&mut store, effort::REQUEST + bytes).await?;
                store.data().feed.progress(fraction, &text);
                Ok(())
            })
        },
    )
}
