//! The memory of Python's objects. This CPython takes each object from the C library, by way of
//! four functions, two of them called by pointers; here small ones come from lists of free blocks,
//! one for each size, and otherwise from the end of a chunk, so that what a run makes lies together.
//!
//! Where there is no free block of a size, a larger one is cut: what a small run makes for a while,
//! and then lets go of, is used for whatever comes next, so that it writes to few pages.
//!
//! CPython's own functions are [replaced](hooks) by those.
//!
//! A block has its size before it, where the C library has that of its own. Of what is in use, the
//! C library sets a bit there which a size does not have: so each is freed where it came from.

mod hooks;

use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;

pub(crate) use hooks::install;

/// What sizes are multiples of, and what objects are aligned to, as in CPython's own allocator.
const STEP: usize = 8;
/// What is before an object: the size of its block.
const HEAD: usize = 4;
/// The largest block.
const MOST: usize = 512;
/// How much is taken at once, in bytes.
const CHUNK: usize = 64 << 10;
/// The bit by which the C library (dlmalloc) tells what is in use, in the word before it.
const IN_USE: u32 = 2;

type Memory = *mut c_void;

unsafe extern "C" {
    fn malloc(bytes: usize) -> Memory;
    fn free(memory: Memory);
    fn realloc(memory: Memory, bytes: usize) -> Memory;
}

/// A free block.
struct Free {
    next: *mut Free,
}

struct Heap {
    /// What is free, by size.
    free: [*mut Free; MOST / STEP + 1],
    /// Which sizes may have free blocks: a bit for each, the lowest for the least. It is cleared
    /// once somebody looked in vain.
    freed: u64,
    /// The head of the next block in the chunk, and the chunk's end.
    next: usize,
    end: usize,
    /// A chunk that nobody has used yet. Whoever asks when the memory is at its end gets nothing;
    /// what then tells of it, gets this.
    reserve: usize,
}

/// There is one thread.
static mut HEAP: Heap = Heap {
    free: [ptr::null_mut(); MOST / STEP + 1],
    freed: 0,
    next: 0,
    end: 0,
    reserve: 0,
};

/// The heap.
///
/// # Safety
///
/// Nobody else has it: it is not kept over a call of anything that may allocate.
#[inline(always)]
unsafe fn heap() -> &'static mut Heap {
    // SAFETY: there is one thread.
    unsafe { &mut *(&raw mut HEAP).cast::<Heap>() }
}

/// The word before what was allocated.
#[inline(always)]
unsafe fn head(memory: Memory) -> *mut u32 {
    memory.cast::<u32>().wrapping_sub(1)
}

#[inline(always)]
unsafe fn allocate(bytes: usize) -> Memory {
    if bytes > MOST - HEAD {
        if bytes > isize::MAX as usize {
            return ptr::null_mut();
        }
        // SAFETY: it is the C library's.
        return unsafe { malloc(bytes) };
    }
    // No object is too small to lead to the next free one.
    let size = (bytes.max(1) + HEAD + STEP - 1) & !(STEP - 1);
    // SAFETY: the blocks in a list have its size, and nobody uses them.
    unsafe {
        let heap = heap();
        let list = &mut heap.free[size / STEP];
        let block = *list;
        if block.is_null() {
            return from_larger(size);
        }
        *list = (*block).next;
        block.cast()
    }
}

/// The beginning of a larger block that is free, or a new block. Not inlined: most come from lists.
#[inline(never)]
unsafe fn from_larger(size: usize) -> Memory {
    // SAFETY: a block that is free is cut in two, each with its size before it.
    unsafe {
        loop {
            let heap = heap();
            // Bit `n` is of the size `(n + 1) * STEP`, so these are of larger ones.
            let larger = heap.freed & u64::MAX.checked_shl((size / STEP) as u32).unwrap_or(0);
            if larger == 0 {
                return from_chunk(size);
            }
            let steps = larger.trailing_zeros() as usize + 1;
            let block = heap.free[steps];
            if block.is_null() {
                heap.freed &= !(1 << (steps - 1));
                continue;
            }
            heap.free[steps] = (*block).next;
            *head(block.cast()) = size as u32;
            let rest = block.cast::<u8>().add(size);
            *head(rest.cast()) = (steps * STEP - size) as u32;
            give_back(rest.cast(), steps * STEP - size);
            return block.cast();
        }
    }
}

/// A new block.
unsafe fn from_chunk(size: usize) -> Memory {
    // SAFETY: what is between `next` and `end` is a chunk's, and nobody's yet.
    unsafe {
        if heap().end - heap().next < size && !new_chunk() {
            return ptr::null_mut();
        }
        let heap = heap();
        let place = heap.next as *mut u32;
        heap.next += size;
        *place = size as u32;
        place.add(1).cast()
    }
}

/// Takes a chunk from the C library.
unsafe fn new_chunk() -> bool {
    // SAFETY: it is the C library's; what is left of the last chunk is a block like others.
    unsafe {
        let mut chunk = malloc(CHUNK) as usize;
        let is_end = chunk == 0;
        if is_end {
            chunk = std::mem::take(&mut heap().reserve);
        }
        if chunk == 0 {
            return false;
        }
        let heap = heap();
        let left = heap.end - heap.next;
        if left >= STEP {
            let place = heap.next as *mut u32;
            *place = left as u32;
            give_back(place.add(1).cast(), left);
        }
        // So that what is behind a head is aligned.
        heap.next = chunk.next_multiple_of(STEP) + STEP - HEAD;
        heap.end = chunk + CHUNK;
        heap.end -= (heap.end - heap.next) % STEP;
        if !is_end && heap.reserve == 0 {
            heap.reserve = malloc(CHUNK) as usize;
        }
        !is_end
    }
}

#[inline(always)]
unsafe fn give_back(memory: Memory, size: usize) {
    // SAFETY: the block has this size, and nobody uses it any longer.
    unsafe {
        let block = memory.cast::<Free>();
        let heap = heap();
        let list = &mut heap.free[size / STEP];
        (*block).next = *list;
        *list = block;
        heap.freed |= 1 << (size / STEP - 1);
    }
}

#[inline(always)]
unsafe fn release(memory: Memory) {
    if memory.is_null() {
        return;
    }
    // SAFETY: the head is that of a block, or the C library's.
    unsafe {
        let size = *head(memory);
        if size & IN_USE != 0 {
            free(memory);
        } else {
            give_back(memory, size as usize);
        }
    }
}

unsafe fn allocate_zeros(count: usize, bytes: usize) -> Memory {
    let Some(bytes) = count.checked_mul(bytes) else {
        return ptr::null_mut();
    };
    // SAFETY: there are so many bytes.
    unsafe {
        let memory = allocate(bytes);
        if !memory.is_null() {
            memory.cast::<u8>().write_bytes(0, bytes);
        }
        memory
    }
}

unsafe fn resize(memory: Memory, bytes: usize) -> Memory {
    // SAFETY: what is moved is as large as the smaller of the two.
    unsafe {
        if memory.is_null() {
            return allocate(bytes);
        }
        let size = *head(memory);
        if size & IN_USE != 0 {
            return if bytes > isize::MAX as usize {
                ptr::null_mut()
            } else {
                realloc(memory, bytes.max(1))
            };
        }
        let room = size as usize - HEAD;
        // As little as a quarter less stays where it is.
        if bytes <= room && bytes >= room - room / 4 {
            return memory;
        }
        let moved = allocate(bytes);
        if moved.is_null() {
            // What gets smaller always has room.
            return if bytes <= room { memory } else { moved };
        }
        moved
            .cast::<u8>()
            .copy_from_nonoverlapping(memory.cast(), room.min(bytes));
        give_back(memory, size as usize);
        moved
    }
}

/// Whether the C library marks what is in use as this module takes for granted.
pub(crate) fn check() {
    for bytes in [1, 12, 500, 513, 5000, 1 << 20] {
        // SAFETY: what is allocated is freed.
        unsafe {
            // The compiler knows what `malloc` gives, and that nothing of it is before it.
            let memory = black_box(malloc(bytes));
            let marked = *head(memory) & IN_USE != 0;
            free(memory);
            assert!(marked, "the C library is another one");
        }
    }
}

/// Leaves what is free unused, and begins a new chunk: what follows lies together, behind what is
/// there. At least so much of the chunk is free.
pub(crate) fn begin_chunk() {
    // SAFETY: free blocks are nobody's.
    unsafe {
        let heap = heap();
        heap.free = [ptr::null_mut(); MOST / STEP + 1];
        heap.freed = 0;
        heap.next = 0;
        heap.end = 0;
        new_chunk();
    }
}
