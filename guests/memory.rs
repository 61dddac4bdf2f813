//! The export `ampoule:guest/memory`, the same in every interpreter: the host reads an instance's
//! memory where it lies, and writes a new one's.
//!
//! It is written by hand, by the names and signatures of the canonical ABI, for two reasons. A list
//! that is taken is memory itself, so nothing may free it afterwards. And bytes that are put go to
//! where they belong, not to where the allocator has room: what is being overwritten is the
//! allocator's own state.
//!
//! Both guests have this file as a module: as a crate beside them it would make their bytes depend
//! on the folder that they are built in. An interpreter that has it has its allocator for lists and
//! texts from here, and tells `wit-bindgen` to bring none.
use core::arch::wasm32;
use std::alloc::{self, Layout};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The memory that there is.
const MEMORY: u32 = 0;

/// Where the next list goes that the host gives; zero if to where there is room.
static PLACE: AtomicUsize = AtomicUsize::new(0);

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

#[unsafe(export_name = "ampoule:guest/memory@0.1.0#seek")]
extern "C" fn seek(start: usize) {
    PLACE.store(start, Relaxed);
}

/// The bytes are where they belong.
#[unsafe(export_name = "ampoule:guest/memory@0.1.0#put")]
extern "C" fn put(_bytes: *const u8, _count: usize) {}

/// Room for what the host gives.
///
/// # Safety
///
/// The canonical ABI's: what is made larger was made here, with this size and alignment.
#[unsafe(export_name = "cabi_realloc")]
unsafe extern "C" fn room(old: *mut u8, old_size: usize, align: usize, size: usize) -> *mut u8 {
    // Forgotten before the host writes: what was saved knows of no place.
    let place = PLACE.swap(0, Relaxed);
    if place != 0 {
        return ptr::without_provenance_mut(place);
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
