//! The memory that the process holds.

/// Has the system's allocator give large blocks back as soon as they are free, as it does at first:
/// glibc keeps blocks of up to 32 MiB once it has seen one freed. Answers of servers are such
/// blocks. What that costs is in `benches/README.md`; other allocators behave like this by
/// themselves.
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

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_large_memory_back() {}
