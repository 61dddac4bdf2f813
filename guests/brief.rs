//! Memory for work that is soon over: what it allocates comes from one piece, one behind the other,
//! and what it frees is only counted. The C library looks for room for each of them, which took a
//! fifth of the check before a run. When nothing of it is left, the piece is given back.
//!
//! What outlives the work may lie in the piece as well: it is then kept for longer.
//!
//! Both guests have this file as a module, as they have `memory.rs`, and their allocators ask it
//! first. On the machine that runs the unit tests, it is left alone.

#[cfg(any(target_family = "wasm", test))]
mod piece {
    use std::alloc::{self, Layout};
    use std::cell::Cell;
    use std::ptr;

    /// How large the piece is, and how it is aligned. What has no room in it is the heap's.
    const BYTES: usize = 32 << 10;
    const ALIGN: usize = 8;

    /// The piece, or what is known of it where there is none.
    pub(super) struct Piece {
        /// Whether what is allocated comes from it.
        is_open: Cell<bool>,
        begin: Cell<*mut u8>,
        /// How large it is: zero if there is none.
        bytes: Cell<usize>,
        /// How much of it is used.
        used: Cell<usize>,
        /// How many allocations of it are not freed.
        live: Cell<usize>,
    }

    impl Piece {
        pub(super) const fn none() -> Self {
            Self {
                is_open: Cell::new(false),
                begin: Cell::new(ptr::null_mut()),
                bytes: Cell::new(0),
                used: Cell::new(0),
                live: Cell::new(0),
            }
        }

        fn layout() -> Layout {
            Layout::from_size_align(BYTES, ALIGN).expect("a power of two")
        }

        pub(super) fn open(&self) {
            if self.bytes.get() == 0 {
                // SAFETY: it is not empty.
                let begin = unsafe { alloc::alloc(Self::layout()) };
                if begin.is_null() {
                    return;
                }
                self.begin.set(begin);
                self.bytes.set(BYTES);
                self.used.set(0);
            }
            self.is_open.set(true);
        }

        pub(super) fn close(&self) {
            self.is_open.set(false);
            if self.live.get() == 0 && self.bytes.get() > 0 {
                self.give_back();
            }
        }

        /// Room in it; null where it is closed, or has none.
        #[inline]
        pub(super) fn alloc(&self, layout: Layout) -> *mut u8 {
            match self.is_open.get() {
                true => self.taken(layout),
                false => ptr::null_mut(),
            }
        }

        #[inline(never)]
        fn taken(&self, layout: Layout) -> *mut u8 {
            let begin = self.begin.get();
            let align = layout.align() - 1;
            let from = ((begin.addr() + self.used.get() + align) & !align) - begin.addr();
            let to = from + layout.size();
            if to > self.bytes.get() {
                return ptr::null_mut();
            }
            self.used.set(to);
            self.live.set(self.live.get() + 1);
            begin.wrapping_add(from)
        }

        /// Whether what an address is of lies in it.
        #[inline]
        pub(super) fn holds(&self, pointer: *mut u8) -> bool {
            pointer.addr().wrapping_sub(self.begin.get().addr()) < self.bytes.get()
        }

        /// Whether what lies in it is the last, and this its new size. Then it has that.
        pub(super) fn resized(&self, pointer: *mut u8, before: usize, size: usize) -> bool {
            let from = pointer.addr() - self.begin.get().addr();
            let is_last = from + before == self.used.get() && from + size <= self.bytes.get();
            if is_last {
                self.used.set(from + size);
            }
            is_last
        }

        /// Counts what lies in it, and is freed.
        #[inline(never)]
        pub(super) fn free(&self, pointer: *mut u8, size: usize) {
            let from = pointer.addr() - self.begin.get().addr();
            if from + size == self.used.get() {
                self.used.set(from);
            }
            let live = self.live.get() - 1;
            self.live.set(live);
            if live == 0 {
                self.used.set(0);
                if !self.is_open.get() {
                    self.give_back();
                }
            }
        }

        #[inline(never)]
        fn give_back(&self) {
            self.bytes.set(0);
            // SAFETY: it came from there, and nothing lies in it.
            unsafe { alloc::dealloc(self.begin.get(), Self::layout()) }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn layout(size: usize, align: usize) -> Layout {
            Layout::from_size_align(size, align).expect("a layout")
        }

        #[test]
        fn what_is_allocated_lies_one_behind_the_other_while_it_is_open() {
            let piece = Piece::none();
            assert!(piece.alloc(layout(8, 1)).is_null());
            piece.open();
            let first = piece.alloc(layout(3, 1));
            let second = piece.alloc(layout(8, 8));
            assert_eq!(second.addr() - first.addr(), 8);
            assert!(piece.holds(first) && piece.holds(second.wrapping_add(7)));
            assert!(!piece.holds(ptr::null_mut()));
            assert!(!piece.resized(first, 3, 4) && piece.resized(second, 8, 100));
            assert!(piece.alloc(layout(BYTES, 1)).is_null(), "there is no room");
            piece.free(second, 100);
            assert_eq!(piece.alloc(layout(1, 1)), second);
            piece.free(second, 1);
            piece.free(first, 3);
            assert_eq!(piece.alloc(layout(1, 1)), first);
            piece.free(first, 1);
            piece.close();
        }

        #[test]
        fn it_is_given_back_when_it_is_closed_and_nothing_of_it_is_left() {
            let piece = Piece::none();
            piece.open();
            let outlives = piece.alloc(layout(16, 8));
            piece.close();
            assert!(piece.holds(outlives) && piece.alloc(layout(1, 1)).is_null());
            piece.open();
            let other = piece.alloc(layout(16, 8));
            piece.free(outlives, 16);
            piece.close();
            assert!(piece.holds(other));
            piece.free(other, 16);
            assert!(!piece.holds(other));
        }
    }
}

#[cfg(target_family = "wasm")]
mod heap {
    use std::alloc::{GlobalAlloc, Layout};

    use super::piece::Piece;

    thread_local! {
        pub(super) static PIECE: Piece = const { Piece::none() };
    }

    /// A heap, of which the piece is a part.
    pub(crate) struct Heap<H>(pub(crate) H);

    // SAFETY: what the piece gives lies in it, has the alignment that is asked for, and is nobody
    // else's until it is freed. All else is as the heap does it.
    unsafe impl<H: GlobalAlloc> GlobalAlloc for Heap<H> {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let taken = PIECE.with(|piece| piece.alloc(layout));
            if !taken.is_null() {
                return taken;
            }
            // SAFETY: as the caller says.
            unsafe { self.0.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            let taken = PIECE.with(|piece| piece.alloc(layout));
            // SAFETY: as the caller says; what was taken is as large.
            unsafe {
                if taken.is_null() {
                    return self.0.alloc_zeroed(layout);
                }
                taken.write_bytes(0, layout.size());
            }
            taken
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            let before = layout.size();
            if !PIECE.with(|piece| piece.holds(pointer)) {
                // SAFETY: as the caller says: it is the heap's.
                return unsafe { self.0.realloc(pointer, layout, size) };
            }
            if PIECE.with(|piece| piece.resized(pointer, before, size)) {
                return pointer;
            }
            // SAFETY: the size is one that the caller may ask for, and what is copied fits both.
            unsafe {
                let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(pointer, before.min(size));
                    self.dealloc(pointer, layout);
                }
                moved
            }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            if PIECE.with(|piece| piece.holds(pointer)) {
                return PIECE.with(|piece| piece.free(pointer, layout.size()));
            }
            // SAFETY: as the caller says: it is the heap's.
            unsafe { self.0.dealloc(pointer, layout) }
        }
    }
}

#[cfg(target_family = "wasm")]
pub(crate) use heap::Heap;

/// The work that is soon over. It is when this is dropped.
#[must_use = "it is over when this is dropped"]
pub(crate) struct Brief(());

/// Begins such work. There is none within it.
pub(crate) fn begin() -> Brief {
    #[cfg(target_family = "wasm")]
    heap::PIECE.with(piece::Piece::open);
    Brief(())
}

impl Drop for Brief {
    fn drop(&mut self) {
        #[cfg(target_family = "wasm")]
        heap::PIECE.with(piece::Piece::close);
    }
}
