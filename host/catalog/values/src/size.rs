//! What values take of memory.

use wasmtime::component::Val;

/// What a value takes of the host's memory, in bytes.
pub fn memory_bytes(value: &Val) -> u64 {
    let inside: u64 = match value {
        Val::String(text) | Val::Enum(text) => text.len() as u64,
        Val::List(values) | Val::Tuple(values) => values.iter().map(memory_bytes).sum(),
        Val::Record(fields) => fields
            .iter()
            .map(|(name, value)| (size_of::<String>() + name.len()) as u64 + memory_bytes(value))
            .sum(),
        Val::Variant(name, value) => name.len() as u64 + value.as_deref().map_or(0, memory_bytes),
        Val::Option(value) | Val::Result(Ok(value) | Err(value)) => {
            value.as_deref().map_or(0, memory_bytes)
        }
        Val::Flags(names) => {
            let names = names.iter();
            names
                .map(|name| (size_of::<String>() + name.len()) as u64)
                .sum()
        }
        _ => 0,
    };
    inside + size_of::<Val>() as u64
}
