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
    /// The size of a page in `statm`, in bytes.
    const PAGE: u64 = 4096;

    fn usage() -> Option<MemoryUsage> {
        let sizes = fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = sizes.split(' ').nth(1)?.parse().ok()?;
        // SAFETY: it takes the allocator's own locks, and returns numbers.
        #[expect(unsafe_code, reason = "the allocator has no other way in")]
        let counted = unsafe { libc::mallinfo2() };
        Some(MemoryUsage {
            resident: pages * PAGE,
            in_use: counted.uordblks as u64,
        })
    }

    let look = || {
        let mut since_return = SinceReturn::new(usage()?);
        loop {
            thread::sleep(PERIOD);
            if since_return.is_worthwhile(usage()?) {
                // SAFETY: it takes a number, and the allocator's own locks.
                #[expect(unsafe_code, reason = "the allocator has no other way in")]
                unsafe {
                    libc::malloc_trim(0);
                }
                since_return = SinceReturn::new(usage()?);
            }
        }
    };
    let looks = thread::Builder::new().name("memory".to_owned());
    // Without it, all works as well, with more memory.
    let _ = looks.spawn(move || -> Option<()> { look() });
}

/// What the process has, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[derive(Debug, Clone, Copy)]
struct MemoryUsage {
    /// In physical memory.
    resident: u64,
    /// Of small blocks that are allocated.
    in_use: u64,
}

/// What was seen since free memory was last returned to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[derive(Debug)]
struct SinceReturn {
    least_resident: u64,
    most_in_use: u64,
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
impl SinceReturn {
    /// How much memory makes returning it worthwhile, in bytes.
    const WORTHWHILE: u64 = 16 << 20;

    fn new(usage: MemoryUsage) -> Self {
        Self {
            least_resident: usage.resident,
            most_in_use: usage.in_use,
        }
    }

    /// Whether much memory is likely to be free: the process has grown, or has freed much of what
    /// was still in use when memory was last returned. Growth alone does not show the latter.
    fn is_worthwhile(&mut self, now: MemoryUsage) -> bool {
        self.least_resident = self.least_resident.min(now.resident);
        self.most_in_use = self.most_in_use.max(now.in_use);
        let grown = now.resident - self.least_resident;
        let freed = self.most_in_use - now.in_use;
        grown.max(freed) >= Self::WORTHWHILE
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_large_memory_back() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_small_memory_back() {}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[cfg(test)]
mod tests {
    use super::*;

    fn usage(resident: u64, in_use: u64) -> MemoryUsage {
        let [resident, in_use] = [resident, in_use].map(|mib| mib << 20);
        MemoryUsage { resident, in_use }
    }

    #[test]
    fn memory_is_returned_where_the_process_has_grown() {
        let mut since_return = SinceReturn::new(usage(100, 10));
        assert!(!since_return.is_worthwhile(usage(115, 10)));
        assert!(!since_return.is_worthwhile(usage(90, 10)));
        assert!(since_return.is_worthwhile(usage(106, 10)));
    }

    #[test]
    fn memory_that_was_in_use_at_the_last_return_is_returned_once_it_is_free() {
        // The allocator keeps what is freed, so the process is as large as before.
        let mut since_return = SinceReturn::new(usage(180, 90));
        assert!(!since_return.is_worthwhile(usage(180, 90)));
        assert!(!since_return.is_worthwhile(usage(180, 75)));
        assert!(since_return.is_worthwhile(usage(180, 10)));
        // What stays in use is not asked for again and again.
        let mut since_return = SinceReturn::new(usage(110, 10));
        assert!(!since_return.is_worthwhile(usage(110, 10)));
    }
}
