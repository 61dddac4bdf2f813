//! A component whose instances begin with other memory: that which an instance of it has after it
//! ran something.
//!
//! Between two steps, memory is all of an interpreter's state. So a component with such a memory as
//! its data begins where that instance stood, and the system maps its pages like those of any guest.
//! Only the sections on memory are written anew, and all others are copied. The component
//! is the host's own; the memory's bytes are only copied.

use wasmparser::{BinaryReader, DataKind, DataSectionReader, MemorySectionReader};

use super::image::PAGE_BYTES;

/// The sections of a module, and of a component, that are looked at.
const COMPONENT_MODULE: u8 = 1;
const MEMORIES: u8 = 5;
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;
/// What each begins with: the magic number, the version, the layer.
const HEAD_BYTES: usize = 8;
/// A page of WebAssembly, in bytes.
const WASM_PAGE_BYTES: usize = 64 << 10;
/// An active segment; one that is never copied by itself.
const ACTIVE: u8 = 0;
const PASSIVE: u8 = 1;
/// `i32.const`, and the end of an expression.
const I32_CONST: u8 = 0x41;
const END: u8 = 0x0b;

/// The component with this memory, as [`MemoryPlace`](super::MemoryPlace) has it, at the start of
/// its instances.
///
/// # Errors
///
/// It is not a component with one module that has a memory of its own.
pub fn with_memory(component: &[u8], memory: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut made = component.get(..HEAD_BYTES).unwrap_or_default().to_vec();
    let mut placed = 0;
    for section in sections(component)? {
        let is_module_with_memory =
            section.id == COMPONENT_MODULE && defines_memory(section.content)?;
        match is_module_with_memory {
            true => {
                let module = module_with_memory(section.content, memory)?;
                add_section(&mut made, section.id, &module);
                placed += 1;
            }
            false => add_section(&mut made, section.id, section.content),
        }
    }
    match placed {
        1 => Ok(made),
        _ => Err(wasmtime::Error::msg(format!(
            "the guest has {placed} modules with a memory, and must have one"
        ))),
    }
}

struct Section<'a> {
    id: u8,
    content: &'a [u8],
}

fn sections(binary: &[u8]) -> wasmtime::Result<Vec<Section<'_>>> {
    let mut reader = BinaryReader::new(binary.get(HEAD_BYTES..).unwrap_or_default(), 0);
    let mut sections = Vec::new();
    while !reader.eof() {
        let id = reader.read_u8()?;
        let bytes = reader.read_var_u32()?;
        let content = reader.read_bytes(bytes as usize)?;
        sections.push(Section { id, content });
    }
    Ok(sections)
}

fn defines_memory(module: &[u8]) -> wasmtime::Result<bool> {
    Ok(sections(module)?
        .iter()
        .any(|section| section.id == MEMORIES))
}

fn module_with_memory(module: &[u8], memory: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let sections = sections(module)?;
    let before = sections.iter().find(|section| section.id == DATA);
    let (count, data) = data(before.map_or(&[], |data| data.content), memory)?;
    let mut made = module.get(..HEAD_BYTES).unwrap_or_default().to_vec();
    for section in &sections {
        match section.id {
            MEMORIES => add_section(&mut made, MEMORIES, &memories(section.content, memory)?),
            DATA_COUNT => add_section(&mut made, DATA_COUNT, &leb(count)),
            DATA => add_section(&mut made, DATA, &data),
            id => add_section(&mut made, id, section.content),
        }
    }
    if before.is_none() {
        add_section(&mut made, DATA, &data);
    }
    Ok(made)
}

/// The memory's type, at least as large as its content.
fn memories(section: &[u8], memory: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut types = MemorySectionReader::new(BinaryReader::new(section, 0))?.into_iter();
    let (Some(of), None) = (types.next().transpose()?, types.next()) else {
        return Err(wasmtime::Error::msg(
            "the guest's module must have one memory",
        ));
    };
    if of.memory64 || of.shared || of.page_size_log2.is_some() {
        return Err(wasmtime::Error::msg(
            "the guest's memory is of an unknown kind",
        ));
    }
    let least = memory.len().div_ceil(WASM_PAGE_BYTES) as u64;
    let mut made = vec![1, u8::from(of.maximum.is_some())];
    made.extend(leb(of.initial.max(least)));
    made.extend(of.maximum.into_iter().flat_map(leb));
    Ok(made)
}

/// The segments: their number, and the section. Code refers to segments by their numbers, so those
/// that were there keep theirs; what was copied at the start of an instance is in the memory.
fn data(section: &[u8], memory: &[u8]) -> wasmtime::Result<(u64, Vec<u8>)> {
    let (mut count, mut segments) = (0, Vec::new());
    if !section.is_empty() {
        for segment in DataSectionReader::new(BinaryReader::new(section, 0))? {
            let segment = segment?;
            match segment.kind {
                DataKind::Passive => segments.extend(&section[segment.range]),
                DataKind::Active { .. } => segments.extend([PASSIVE, 0]),
            }
            count += 1;
        }
    }
    let pages = memory.chunks(PAGE_BYTES).enumerate();
    let has_content = |page: &[u8]| page.iter().any(|byte| *byte != 0);
    let pages: Vec<usize> = pages
        .filter(|(_, page)| has_content(page))
        .map(|(at, _)| at)
        .collect();
    for together in pages.chunk_by(|page, next| page + 1 == *next) {
        let (Some(first), Some(last)) = (together.first(), together.last()) else {
            continue;
        };
        let start = first * PAGE_BYTES;
        let content = &memory[start..memory.len().min((last + 1) * PAGE_BYTES)];
        segments.extend([ACTIVE, I32_CONST]);
        segments.extend(signed_leb(start as u32 as i32));
        segments.push(END);
        segments.extend(leb(content.len() as u64));
        segments.extend(content);
        count += 1;
    }
    let mut made = leb(count);
    made.append(&mut segments);
    Ok((count, made))
}

fn add_section(binary: &mut Vec<u8>, id: u8, content: &[u8]) {
    binary.push(id);
    binary.extend(leb(content.len() as u64));
    binary.extend(content);
}

/// A number as WebAssembly writes it.
fn leb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn signed_leb(mut number: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        let is_last = (number == 0 && low & 0x40 == 0) || (number == -1 && low & 0x40 != 0);
        if is_last {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use wasmtime::component::{Component, Linker};
    use wasmtime::{Engine, Store};

    use super::*;

    /// A component that reads a byte of its memory, tells how large that is, and copies a segment.
    const READER: &str = r#"(component
        (core module $reader
            (memory (export "memory") 1)
            (data $passive "later")
            (data (i32.const 16) "first")
            (func (export "read") (param i32) (result i32) (i32.load8_u (local.get 0)))
            (func (export "pages") (result i32) (memory.size))
            (func (export "copy") (param i32)
                (memory.init $passive (local.get 0) (i32.const 0) (i32.const 5))))
        (core instance $instance (instantiate $reader))
        (func (export "read") (param "at" u32) (result u32)
            (canon lift (core func $instance "read")))
        (func (export "pages") (result u32) (canon lift (core func $instance "pages")))
        (func (export "copy") (param "at" u32) (canon lift (core func $instance "copy"))))"#;

    struct Instance(Store<()>, wasmtime::component::Instance);

    impl Instance {
        fn of(component: &[u8]) -> Self {
            let engine = Engine::default();
            let component = Component::new(&engine, component).unwrap();
            let mut store = Store::new(&engine, ());
            let instance = Linker::new(&engine)
                .instantiate(&mut store, &component)
                .unwrap();
            Self(store, instance)
        }

        fn number(&mut self, function: &str) -> u32 {
            let function = self
                .1
                .get_typed_func::<(), (u32,)>(&mut self.0, function)
                .unwrap();
            function.call(&mut self.0, ()).unwrap().0
        }

        fn read(&mut self, at: u32) -> u8 {
            let read = self
                .1
                .get_typed_func::<(u32,), (u32,)>(&mut self.0, "read")
                .unwrap();
            read.call(&mut self.0, (at,)).unwrap().0 as u8
        }

        fn copy(&mut self, at: u32) {
            let copy = self
                .1
                .get_typed_func::<(u32,), ()>(&mut self.0, "copy")
                .unwrap();
            copy.call(&mut self.0, (at,)).unwrap();
        }
    }

    #[test]
    fn instances_begin_with_the_memory_that_the_component_was_given() {
        let component = wat::parse_str(READER).unwrap();
        let mut new = Instance::of(&component);
        assert_eq!((new.number("pages"), new.read(16)), (1, b'f'));

        let mut memory = vec![0; 3 * WASM_PAGE_BYTES];
        memory[5 * PAGE_BYTES] = b'x';
        memory[6 * PAGE_BYTES + 7] = b'y';
        *memory.last_mut().unwrap() = b'z';
        let mut other = Instance::of(&with_memory(&component, &memory).unwrap());
        assert_eq!(other.number("pages"), 3);
        let mut read = |at: usize| other.read(at as u32);
        assert_eq!(read(5 * PAGE_BYTES), b'x');
        assert_eq!(read(6 * PAGE_BYTES + 7), b'y');
        assert_eq!(read(3 * WASM_PAGE_BYTES - 1), b'z');
        assert_eq!(read(16), 0, "what it began with before is not there");
        other.copy(100);
        assert_eq!(other.read(100), b'l', "segments keep their numbers");
    }

    #[test]
    fn what_has_no_memory_is_refused() {
        let empty = wat::parse_str("(component)").unwrap();
        assert!(with_memory(&empty, &[1]).is_err());
    }

    #[test]
    fn numbers_are_written_as_webassembly_has_them() {
        assert_eq!(leb(0), [0]);
        assert_eq!(leb(624_485), [0xe5, 0x8e, 0x26]);
        assert_eq!(signed_leb(64), [0xc0, 0x00]);
        assert_eq!(signed_leb(-64), [0x40]);
        assert_eq!(signed_leb(-123_456), [0xc0, 0xbb, 0x78]);
    }
}
