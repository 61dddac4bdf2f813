//! What CPython takes an object's memory by. The linker puts the functions of this module in the place
//! of CPython's own. Its hooks lead here, too: what is compiled into other functions uses them, and
//! `tracemalloc` sets its own, which then count.

use std::ptr;

use super::{Memory, allocate, allocate_zeros, release, resize};

unsafe extern "C" {
    #[link_name = "original:PyMem_SetAllocator"]
    fn set_allocator(domain: i32, hooks: *const Hooks);
}

/// CPython's `PyMemAllocatorEx`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Hooks {
    context: Memory,
    malloc: extern "C" fn(Memory, usize) -> Memory,
    calloc: extern "C" fn(Memory, usize, usize) -> Memory,
    realloc: extern "C" fn(Memory, Memory, usize) -> Memory,
    free: extern "C" fn(Memory, Memory),
}

/// CPython's domains of memory beside the C library's own: of what is no object, and of objects.
const DOMAINS: [i32; 2] = [1, 2];

/// Whose memory it is, by domain, where somebody wants to hear of it. There is one thread.
static mut HOOKS: [Option<Hooks>; DOMAINS.len()] = [None; DOMAINS.len()];

extern "C" fn hook_malloc(_: Memory, bytes: usize) -> Memory {
    // SAFETY: CPython calls it.
    unsafe { allocate(bytes) }
}

extern "C" fn hook_calloc(_: Memory, count: usize, bytes: usize) -> Memory {
    // SAFETY: CPython calls it.
    unsafe { allocate_zeros(count, bytes) }
}

extern "C" fn hook_realloc(_: Memory, memory: Memory, bytes: usize) -> Memory {
    // SAFETY: CPython calls it.
    unsafe { resize(memory, bytes) }
}

extern "C" fn hook_free(_: Memory, memory: Memory) {
    // SAFETY: CPython calls it.
    unsafe { release(memory) }
}

/// Leads CPython's hooks here.
pub(crate) fn install() {
    let hooks = Hooks {
        context: ptr::null_mut(),
        malloc: hook_malloc,
        calloc: hook_calloc,
        realloc: hook_realloc,
        free: hook_free,
    };
    for domain in DOMAINS {
        // SAFETY: whatever was allocated before is freed where it came from.
        unsafe { set_allocator(domain, &raw const hooks) };
    }
}

/// Whose memory this is to be instead, if somebody wants to hear of it.
#[expect(
    clippy::deref_addrof,
    reason = "no reference to all of a static that changes"
)]
#[inline(always)]
fn hooks(domain: usize) -> Option<&'static Hooks> {
    // SAFETY: there is one thread, and hooks change only while nothing is allocated.
    unsafe { (*(&raw const HOOKS))[domain].as_ref() }
}

#[unsafe(export_name = "instead:PyMem_SetAllocator")]
unsafe extern "C" fn set_hooks(domain: i32, hooks: *const Hooks) {
    // SAFETY: CPython gives its own, or those of a module that knows them.
    unsafe {
        if let Some(place) = DOMAINS.iter().position(|known| *known == domain) {
            let given = *hooks;
            let are_ours = ptr::fn_addr_eq(
                given.malloc,
                hook_malloc as extern "C" fn(Memory, usize) -> Memory,
            );
            HOOKS[place] = (!are_ours).then_some(given);
        }
        set_allocator(domain, hooks);
    }
}

/// Functions instead of those of a domain.
macro_rules! domain {
    ($domain:literal: $malloc:literal $calloc:literal $realloc:literal $free:literal) => {
        const _: () = {
            #[unsafe(export_name = $malloc)]
            unsafe extern "C" fn malloc_here(bytes: usize) -> Memory {
                match hooks($domain) {
                    // SAFETY: as CPython's own.
                    None => unsafe { allocate(bytes) },
                    Some(_) if bytes > isize::MAX as usize => ptr::null_mut(),
                    Some(hooks) => (hooks.malloc)(hooks.context, bytes),
                }
            }

            #[unsafe(export_name = $calloc)]
            unsafe extern "C" fn calloc_here(count: usize, bytes: usize) -> Memory {
                match hooks($domain) {
                    // SAFETY: as CPython's own.
                    None => unsafe { allocate_zeros(count, bytes) },
                    Some(_) if count.saturating_mul(bytes) > isize::MAX as usize => ptr::null_mut(),
                    Some(hooks) => (hooks.calloc)(hooks.context, count, bytes),
                }
            }

            #[unsafe(export_name = $realloc)]
            unsafe extern "C" fn realloc_here(memory: Memory, bytes: usize) -> Memory {
                match hooks($domain) {
                    // SAFETY: as CPython's own.
                    None => unsafe { resize(memory, bytes) },
                    Some(_) if bytes > isize::MAX as usize => ptr::null_mut(),
                    Some(hooks) => (hooks.realloc)(hooks.context, memory, bytes),
                }
            }

            #[unsafe(export_name = $free)]
            unsafe extern "C" fn free_here(memory: Memory) {
                match hooks($domain) {
                    // SAFETY: as CPython's own.
                    None => unsafe { release(memory) },
                    Some(hooks) => (hooks.free)(hooks.context, memory),
                }
            }
        };
    };
}

domain!(0: "instead:PyMem_Malloc" "instead:PyMem_Calloc" "instead:PyMem_Realloc" "instead:PyMem_Free");
domain!(1: "instead:PyObject_Malloc" "instead:PyObject_Calloc" "instead:PyObject_Realloc" "instead:PyObject_Free");
