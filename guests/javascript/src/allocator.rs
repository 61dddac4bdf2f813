//! One heap for QuickJS and for Rust, and its state at the snapshot.
//!
//! After a run, the host puts back the pages that it wrote to. That is cheap while they lie side by
//! side: a few scattered ones cost more than many together. So the holes that building the realm
//! leaves all over the heap are filled, and what a run allocates comes from one piece that was set
//! aside before.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;

use rquickjs::{Ctx, qjs};

use crate::brief::Heap;

/// How much a usual run allocates, and more.
const ASIDE_BYTES: usize = 512 << 10;

/// The alignment that `malloc` gives anyway.
const MALLOC_ALIGN: usize = 16;

/// The sizes of the blocks that QuickJS keeps pages of, header included: first those that usual
/// runs were seen not to touch, so that the pages of the others lie side by side.
const BLOCK_BYTES: [usize; 31] = [
    104, 120, 144, 160, 176, 208, 240, 256, 288, 320, 352, 384, 448, 480, //
    16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 112, 128, 192, 224, 416, 512,
];

/// The part of a block that is QuickJS's.
const BLOCK_HEADER_BYTES: usize = 8;

/// A page of linear memory.
const PAGE_BYTES: usize = 64 << 10;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// The heap of the C library, which QuickJS uses. In Rust, what is allocated briefly is elsewhere.
struct CHeap;

#[global_allocator]
static HEAP: Heap<CHeap> = Heap(CHeap);

// SAFETY: The C library's functions do what the trait asks for; what needs more alignment than they
// give is asked for as such.
unsafe impl GlobalAlloc for CHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: Any size is allowed; a multiple of the alignment is, where one is given.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                malloc(layout.size()).cast()
            } else {
                aligned_alloc(
                    layout.align(),
                    layout.size().next_multiple_of(layout.align()),
                )
                .cast()
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As for `alloc`; the bytes that are zeroed were just allocated.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                return calloc(1, layout.size()).cast();
            }
            let pointer = self.alloc(layout);
            if !pointer.is_null() {
                pointer.write_bytes(0, layout.size());
            }
            pointer
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The pointer came from `alloc` with this layout; what is copied fits both blocks.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                return realloc(pointer.cast(), size).cast();
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
                free(pointer.cast());
            }
            moved
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        // SAFETY: The pointer came from `alloc`.
        unsafe { free(pointer.cast()) }
    }
}

/// A piece of the heap that is kept for runs.
pub(crate) struct Aside(*mut c_void);

/// Takes the piece. To be called before anything else is allocated, so that it lies first.
pub(crate) fn set_aside() -> Aside {
    // SAFETY: Any size is allowed.
    Aside(unsafe { malloc(ASIDE_BYTES) })
}

impl Aside {
    /// Fills what holes there are, and leaves the piece to whoever allocates next.
    pub(crate) fn leave(self, ctx: &Ctx<'_>) {
        fill_holes();
        let piece = self.0 as usize..self.0 as usize + ASIDE_BYTES;
        // SAFETY: The piece came from `malloc`, and is given back once.
        unsafe { free(self.0) };
        // QuickJS keeps pages of blocks of one size. The ones that have room are filled, up to the
        // first of a new page, which stays, so that its page does.
        for block in BLOCK_BYTES {
            let size = block - BLOCK_HEADER_BYTES;
            // SAFETY: The context is alive. What is allocated is never freed.
            let allocate = || unsafe { qjs::js_malloc(ctx.as_raw().as_ptr(), size as _) } as usize;
            while !piece.contains(&allocate()) {}
        }
    }
}

/// Allocates until the heap has to grow, from large pieces to small ones, and keeps it all.
fn fill_holes() {
    let end = core::arch::wasm32::memory_size(0) * PAGE_BYTES;
    let mut size = PAGE_BYTES;
    while size >= 8 {
        loop {
            // SAFETY: Any size is allowed. What lies behind the end is given back, and the rest is
            // kept.
            unsafe {
                let pointer = malloc(size);
                if pointer as usize >= end || pointer.is_null() {
                    free(pointer);
                    break;
                }
            }
        }
        size = if size > 1024 { size / 2 } else { size - 8 };
    }
}
