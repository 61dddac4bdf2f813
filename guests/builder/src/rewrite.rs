//! A module, written once more with some of it otherwise.

use std::convert::Infallible;

use anyhow::{Result, anyhow};
use wasm_encoder::Module;
use wasm_encoder::reencode::{self, Reencode};
use wasmparser::{Parser, Payload, TypeRef};

/// What writing a part gives.
pub(super) type WriteResult = Result<(), reencode::Error<Infallible>>;

/// The module, as `with` writes it.
pub(super) fn rewritten(
    with: &mut impl Reencode<Error = Infallible>,
    module: &[u8],
) -> Result<Vec<u8>> {
    let mut made = Module::new();
    reencode::utils::parse_core_module(with, &mut made, Parser::new(0), module)
        .map_err(|error| anyhow!("the module can't be rewritten: {error}"))?;
    Ok(made.finish())
}

/// How many functions a module imports: the index of its first own one.
pub(super) fn imported_functions(module: &[u8]) -> Result<u32> {
    let mut count = 0;
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(section) = payload? {
            for import in section.into_imports() {
                count += u32::from(matches!(import?.ty, TypeRef::Func(_)));
            }
        }
    }
    Ok(count)
}
