//! The memory of the process.

/// Has the system's allocator give large blocks back as soon as they are free, as it does at first:
/// glibc keeps blocks of up to 32 MiB once it has seen one freed. Answers of servers are such
/// blocks. What was tried is in `docs/internals/experiments.md`; other allocators behave like this
/// by themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_large_memory_back() {
    /// From this size on, a block is the system's own, in bytes.
    const OWN_BLOCK: libc::c_int = 256 * 1024;
    /// How much may be free at the end of a heap, in bytes.
    const FREE_AT_END: libc::c_int = 1024 * 1024;
    // SAFETY: both set a number that the allocator goes by, no memory is involved, and no other
    // thread runs yet.
    #[expect(unsafe_code, reason = "the allocator's settings have no other way in")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_BLOCK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE_AT_END);
    }
}

/// Also returns the memory of many small blocks, regularly: each of glibc's arenas keeps it, and a
/// server lives long.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_small_memory_back() {
    use std::time::Duration;
    use std::{fs, thread};

    /// How often the memory is checked.
    const PERIOD: Duration = Duration::from_secs(5);
    /// From how much more of it on, in pages of 4 KiB.
    const WORTHWHILE: u64 = 4096;

    /// Pages in physical memory.
    fn resident() -> Option<u64> {
        let sizes = fs::read_to_string("/proc/self/statm").ok()?;
        sizes.split(' ').nth(1)?.parse().ok()
    }

    let look = || {
        let mut least = resident()?;
        loop {
            thread::sleep(PERIOD);
            let now = resident()?;
            least = least.min(now);
            if now - least >= WORTHWHILE {
                // SAFETY: it takes a number, and the allocator's own locks.
                #[expect(unsafe_code, reason = "the allocator has no other way in")]
                unsafe {
                    libc::malloc_trim(0);
                }
                least = resident()?;
            }
        }
    };
    let looks = thread::Builder::new().name("memory".to_owned());
    // Without it, all works as well, with more memory.
    let _ = looks.spawn(move || -> Option<()> { look() });
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_large_memory_back() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_small_memory_back() {}
