//! How items of Wasmtime's own interfaces are replaced.

use wasmtime::component::{Linker, LinkerInstance};

use crate::state::RunState;

/// Replaces one item of an interface. It is an error if there is nothing to replace: Wasmtime's own
/// function would stay in use, and the guest would get around the limit.
pub(super) fn replace(
    linker: &mut Linker<RunState>,
    interface: &str,
    define: impl Fn(&mut LinkerInstance<'_, RunState>) -> wasmtime::Result<()>,
) -> wasmtime::Result<()> {
    if define(&mut linker.instance(interface)?).is_ok() {
        return Err(wasmtime::Error::msg(format!(
            "`{interface}` has nothing to replace"
        )));
    }
    linker.allow_shadowing(true);
    let replaced = define(&mut linker.instance(interface)?);
    linker.allow_shadowing(false);
    replaced
}
