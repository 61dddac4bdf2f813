//! The trees of a script, kept behind their compilation: whether they are to be looked at shows only
//! when all of the script is compiled. CPython lets go of a tree by letting go of the arena that it
//! is in: `pycore_pyarena.h`.

use std::cell::{Cell, RefCell};
use std::iter;

/// An arena: its first block comes first.
#[repr(C)]
struct Arena {
    first: *const Block,
}

/// A part of an arena's memory.
#[repr(C)]
struct Block {
    bytes: usize,
    used: usize,
    next: *const Block,
    memory: usize,
}

unsafe extern "C" {
    #[link_name = "original:_PyArena_Free"]
    fn let_go(arena: *mut Arena);
}

/// A tree, and the arena that it is in, once its compilation is over.
struct Tree {
    tree: *const (),
    arena: Option<*mut Arena>,
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(arena) = self.arena {
            // SAFETY: CPython wanted to let go of it, and nothing refers to it any more.
            unsafe { let_go(arena) }
        }
    }
}

thread_local! {
    /// Whether trees are kept.
    static KEEPS: Cell<bool> = const { Cell::new(false) };
    static TREES: RefCell<Vec<Tree>> = const { RefCell::new(Vec::new()) };
}

/// Keeps what is compiled from now on, and nothing from before.
pub(super) fn begin() {
    TREES.take();
    KEEPS.set(true);
}

/// Keeps nothing any longer.
pub(super) fn end() {
    KEEPS.set(false);
    TREES.take();
}

/// Keeps a tree that is compiled.
pub(super) fn keep(tree: *const ()) {
    if KEEPS.get() {
        TREES.with_borrow_mut(|trees| trees.push(Tree { tree, arena: None }));
    }
}

/// Looks at the trees that are kept, and keeps them no longer. Gives whether all are there.
pub(super) fn each(mut look: impl FnMut(*const ())) -> bool {
    KEEPS.set(false);
    let trees = TREES.take();
    let mut there = trees.iter().filter(|tree| tree.arena.is_some());
    let count = there.by_ref().inspect(|tree| look(tree.tree)).count();
    count == trees.len()
}

/// Called where CPython lets go of an arena.
#[unsafe(export_name = "instead:_PyArena_Free")]
unsafe extern "C" fn free(arena: *mut Arena) {
    let is_kept = KEEPS.get()
        && TREES.with_borrow_mut(|trees| {
            let last = trees.last_mut().filter(|last| last.arena.is_none());
            // SAFETY: it is an arena of CPython's.
            let of_last = last.filter(|last| unsafe { holds(arena, last.tree) });
            of_last.is_some_and(|last| {
                last.arena = Some(arena);
                true
            })
        });
    if !is_kept {
        // SAFETY: as CPython says.
        unsafe { let_go(arena) }
    }
}

/// Whether an arena holds a tree.
unsafe fn holds(arena: *const Arena, tree: *const ()) -> bool {
    // SAFETY: as the caller says: its blocks are there, one behind the other.
    let mut blocks = iter::successors(unsafe { (*arena).first.as_ref() }, |block| unsafe {
        block.next.as_ref()
    });
    blocks.any(|block| (block.memory..block.memory + block.bytes).contains(&(tree as usize)))
}
