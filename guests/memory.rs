//! The export `ampoule:guest/memory`, the same in every interpreter: the host reads an instance's
//! memory where it lies, and writes a new one's.
//!
//! It is written by hand, by the names and signatures of the canonical ABI, for two reasons. A list
//! that is taken is memory itself, so nothing may free it afterwards. And a patch lies in a place of
//! its own, not where the allocator has room: what is being overwritten is the allocator's own state.
//! For the same reason, what carries a patch out has all that it needs in locals, and nothing in
//! memory.
//!
//! Both guests have this file as a module: as a crate beside them it would make their bytes depend
//! on the folder that they are built in. An interpreter that has it has its allocator for lists and
//! texts from here, and tells `wit-bindgen` to bring none.
use core::arch::wasm32;
use std::alloc::{self, Layout};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The memory that there is.
const MEMORY: u32 = 0;

/// How large a patch may be.
const PATCH_BYTES: usize = 64 << 10;
/// What a patch has of a page before its runs of bytes: the page's number, and how many there are.
const PAGE_HEAD: usize = 6;
/// What it has of a run before its bytes: where in the page, and how many.
const RUN_HEAD: usize = 4;

/// Where a patch lies while it is carried out. Otherwise zeros, as in a new instance.
static mut PATCH: [u8; PATCH_BYTES] = [0; PATCH_BYTES];

/// The next list that the host gives is a patch.
static PATCHING: AtomicBool = AtomicBool::new(false);

/// A list, as the canonical ABI returns it: its address and its length. There is one thread.
static mut LIST: [usize; 2] = [0; 2];

#[unsafe(export_name = "ampoule:guest/memory@0.1.0#size")]
extern "C" fn size() -> usize {
    // In a memory of 4 GiB the last page is not told.
    wasm32::memory_size::<MEMORY>().saturating_mul(64 << 10)
}

#[unsafe(export_name = "ampoule:guest/memory@0.1.0#grow")]
extern "C" fn grow(pages: usize) -> bool {
    wasm32::memory_grow::<MEMORY>(pages) != usize::MAX
}

#[unsafe(export_name = "ampoule:guest/memory@0.1.0#take")]
extern "C" fn take(start: usize, count: usize) -> *const [usize; 2] {
    let list = &raw mut LIST;
    // SAFETY: there is one thread, and nobody else has a reference to it.
    unsafe { list.write([start, count]) };
    list
}

#[unsafe(export_name = "ampoule:guest/memory@0.1.0#expect-patch")]
extern "C" fn expect_patch() {
    PATCHING.store(true, Relaxed);
}

/// Writes runs of bytes to where they belong. That their places are in memory is the host's to see
/// to; elsewhere it is a trap.
#[unsafe(export_name = "ampoule:guest/memory@0.1.0#patch")]
extern "C" fn patch(bytes: *const u8, count: usize) {
    // SAFETY: the host wrote a whole patch there. It, and what it overwrites, is this instance's own
    // memory, to which nobody has references between two steps.
    unsafe {
        let (mut at, end) = (bytes, bytes.add(count));
        while at < end {
            let page = (at.cast::<u32>().read_unaligned() as usize) << 12;
            let runs = at.add(4).cast::<u16>().read_unaligned();
            at = at.add(PAGE_HEAD);
            for _ in 0..runs {
                let start = page + at.cast::<u16>().read_unaligned() as usize;
                let length = at.add(2).cast::<u16>().read_unaligned() as usize;
                at = at.add(RUN_HEAD);
                ptr::copy_nonoverlapping(at, ptr::with_exposed_provenance_mut(start), length);
                at = at.add(length);
            }
        }
        ptr::write_bytes(bytes.cast_mut(), 0, count);
    }
}

/// Room for what the host gives.
///
/// # Safety
///
/// The canonical ABI's: what is made larger was made here, with this size and alignment.
#[unsafe(export_name = "cabi_realloc")]
unsafe extern "C" fn room(old: *mut u8, old_size: usize, align: usize, size: usize) -> *mut u8 {
    if PATCHING.swap(false, Relaxed) {
        match size {
            ..=PATCH_BYTES => return (&raw mut PATCH).cast(),
            _ => wasm32::unreachable(),
        }
    }
    if size == 0 {
        return ptr::without_provenance_mut(align);
    }
    // SAFETY: the caller's promise: the alignment is a power of two, and the old size was given.
    let made = unsafe {
        if old_size == 0 {
            alloc::alloc(Layout::from_size_align_unchecked(size, align))
        } else {
            alloc::realloc(
                old,
                Layout::from_size_align_unchecked(old_size, align),
                size,
            )
        }
    };
    match NonNull::new(made) {
        Some(made) => made.as_ptr(),
        None => wasm32::unreachable(),
    }
}
