//! The modules that CPython finds in memory: the standard library and the Python half, compiled
//! when the guest is built.
//!
//! They come as one block: for each module the lengths of its name and of its code, and whether it
//! is a package, as 32-bit numbers; then its name, with a zero at its end, and its code.
//! Little-endian, with nothing between.

use pyo3::ffi::_frozen;

/// A table of frozen modules, as CPython wants it.
pub(crate) struct Library(Vec<_frozen>);

impl Library {
    /// Reads the block. Names and code stay where they are.
    pub(crate) fn read(mut block: &'static [u8]) -> Self {
        let mut modules = Vec::new();
        while !block.is_empty() {
            let name_bytes = number(&mut block);
            let code_bytes = number(&mut block);
            let is_package = number(&mut block);
            let name = part(&mut block, name_bytes);
            let code = part(&mut block, code_bytes);
            modules.push(_frozen {
                name: name.as_ptr().cast(),
                code: code.as_ptr(),
                size: code_bytes as i32,
                is_package: is_package as i32,
            });
        }
        modules.push(_frozen {
            name: std::ptr::null(),
            code: std::ptr::null(),
            size: 0,
            is_package: 0,
        });
        Self(modules)
    }

    /// The table, for as long as there is an interpreter.
    pub(crate) fn leak(self) -> *const _frozen {
        self.0.leak().as_ptr()
    }
}

fn number(block: &mut &'static [u8]) -> usize {
    let bytes = part(block, 4).try_into().expect("four bytes");
    u32::from_le_bytes(bytes) as usize
}

fn part(block: &mut &'static [u8], bytes: usize) -> &'static [u8] {
    let (part, rest) = block.split_at(bytes);
    *block = rest;
    part
}
