//! How much of its memory a run writes to.
//!
//! What a run wrote to is put back after it. The engine looks for such pages and copies them, as
//! long as they lie in at most 32 places; where there are more, it lets go of the memory, and the
//! next run takes a page fault for each page (Wasmtime's `vm/sys/unix/pagemap.rs`). So a guest
//! whose run writes here and there is several times slower, and the build says so.

use anyhow::{Result, anyhow, ensure};
use wasmtime::{Engine, Module};

use crate::report;
use crate::trial::Trial;

const PAGE_BYTES: usize = 4096;
/// In how many places the engine puts pages back.
pub(super) const MOST_PLACES: usize = 32;

/// Tells how many pages runs of these scripts write to.
///
/// # Errors
///
/// Where they lie in more places than that.
pub(super) fn check(
    module: &[u8],
    language: &str,
    scripts: &[&str],
    most_places: usize,
) -> Result<()> {
    let fails = |error| anyhow!("the guest does not run: {error:?}");
    let engine = Engine::default();
    let module = Module::new(&engine, module).map_err(fails)?;
    for script in scripts {
        let (pages, places) = touched(&engine, &module, script).map_err(fails)?;
        report(&format!(
            "a run of `{script}` in {language} writes to {pages} pages in {places} places"
        ));
        ensure!(
            places <= most_places,
            "a run writes to pages in more than {most_places} places"
        );
    }
    Ok(())
}

fn touched(engine: &Engine, module: &Module, script: &str) -> wasmtime::Result<(usize, usize)> {
    let mut trial = Trial::of(engine, module)?;
    let memory = trial.memory();
    let before = memory.data(&trial.store).to_vec();
    trial.start(script)?;
    let after = memory.data(&trial.store).chunks(PAGE_BYTES).enumerate();
    let changed = after.filter(|(page, after)| {
        let before = before.chunks(PAGE_BYTES).nth(*page);
        before.map_or_else(
            || after.iter().any(|byte| *byte != 0),
            |before| before != *after,
        )
    });
    let changed: Vec<usize> = changed.map(|(page, _)| page).collect();
    let apart = changed.windows(2).filter(|pair| pair[0] + 1 != pair[1]);
    Ok((changed.len(), apart.count() + 1))
}
