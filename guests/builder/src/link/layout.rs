//! Where each library's data and table elements are in the module.

use super::Stack;
use super::library::Library;

/// The size of a page of linear memory.
pub(super) const PAGE: u32 = 64 << 10;
/// What the heap begins at a multiple of.
const HEAP_ALIGNMENT: u32 = 16;
/// The table's first element is null, so that no function has the address 0.
const FIRST_ELEMENT: u32 = 1;

/// The module's memory: the stack, which grows down to address 0; each library's data; the heap.
pub(super) struct Layout {
    pub(super) stack: Stack,
    /// Each library's base in memory and in the table.
    pub(super) places: Vec<Place>,
    pub(super) heap: u32,
    /// The first element of the table that no library has.
    pub(super) free_element: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) memory: u32,
    pub(super) table: u32,
}

impl Layout {
    pub(super) fn of(libraries: &[Library<'_>], stack: Stack) -> Self {
        let (mut memory, mut table) = (stack.bytes, FIRST_ELEMENT);
        let mut places = Vec::new();
        for library in libraries {
            let needs = &library.memory;
            memory = memory.next_multiple_of(1 << needs.memory_alignment);
            table = table.next_multiple_of(1 << needs.table_alignment);
            places.push(Place { memory, table });
            memory += needs.memory_size;
            table += needs.table_size;
        }
        Self {
            stack,
            places,
            heap: memory.next_multiple_of(HEAP_ALIGNMENT),
            free_element: table,
        }
    }

    /// How much memory there is at the start, in pages.
    pub(super) fn pages(&self) -> u32 {
        self.heap.div_ceil(PAGE)
    }

    /// The address of what only the linker knows.
    pub(super) fn symbol(&self, name: &str) -> Option<u32> {
        match name {
            "__dso_handle" => Some(0),
            "__stack_low" => Some(self.stack.bytes - self.stack.told),
            "__stack_high" => Some(self.stack.bytes),
            "__heap_base" => Some(self.heap),
            "__heap_end" => Some(self.pages() * PAGE),
            _ => None,
        }
    }
}
