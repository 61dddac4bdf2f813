//! Physical memory that runs leave behind.
//!
//! The pool keeps the pages that a run wrote, up to 4 MiB of them, and from then on puts each of them
//! back after every run of that slot, whether the run wrote it or not. So that small runs do not pay
//! for those before them, pages that not every run writes are given back: after each large run, and
//! now and then after a small one. And it looks at each page that is mapped: so those that were only
//! read go, too, but for those that small runs read. In sessions only what was written goes.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use wasmtime::Store;
use wasmtime::component::{TypedFunc, WasmList};

use super::state::RunState;

/// From how much fuel on a run may have written many pages of memory that did not grow: some
/// milliseconds.
const MUCH_FUEL: u64 = 4_000_000;
/// Of how many small runs one looks at what they all have left.
const LOOKS: usize = 64;
/// The same of sessions: each may leave other pages.
const LOOKS_IN_SESSIONS: usize = 4;
/// How many bytes a small run of a session may find in its memory.
const SMALL_SESSION: usize = 128 << 10;
/// How many pages small runs may leave beyond the usual ones: putting these back takes some µs.
const MORE_THAN_USUAL: usize = 32;
/// In how many places they may be. The pool finds no more than 32, and gives the rest back after each
/// run, which costs the next one a fault for each.
const PLACES: usize = 24;
/// How many pages beyond the usual ones may be mapped: to look at these takes less than to map some
/// of them again.
const MAPPED_BESIDES: usize = 32;
/// So many pages between two others are given back with them: another call takes longer than to map
/// them again.
const CLOSE: usize = 8;

/// The pages that any run of a guest writes or reads, by their numbers.
#[derive(Clone)]
pub(super) struct Usual(Arc<SeenPages>);

struct SeenPages {
    /// Those that small runs read, as far as the guest's builder knows.
    read: Vec<Range<usize>>,
    /// Known once a small run has ended.
    pages: OnceLock<KeptRanges>,
    small_runs: AtomicUsize,
    /// Of how many small runs one looks.
    looks: usize,
    /// How many bytes a small run may find in its memory.
    put_back: usize,
}

/// The usual pages.
struct KeptRanges {
    written: Vec<Range<usize>>,
    /// With those that are only read.
    used: Vec<Range<usize>>,
}

impl Usual {
    fn of(read: Vec<Range<usize>>, looks: usize, put_back: usize) -> Self {
        Self(Arc::new(SeenPages {
            read,
            pages: OnceLock::new(),
            small_runs: AtomicUsize::new(0),
            looks,
            put_back,
        }))
    }

    /// Those of runs that begin anew, which read these if they are small.
    pub(super) fn alone(read: Vec<Range<usize>>) -> Self {
        Self::of(read, LOOKS, 0)
    }

    /// Those of runs that resume what others left.
    pub(super) fn in_sessions() -> Self {
        Self::of(Vec::new(), LOOKS_IN_SESSIONS, SMALL_SESSION)
    }
}

/// The pages of one instance's memory.
pub(super) struct Pages {
    /// The address of the first.
    base: usize,
    /// How large it was at first, in bytes.
    initial: usize,
    usual: Usual,
    /// All of them were read, so the system has them all in its tables.
    were_read: bool,
}

impl Pages {
    /// Those of an instance that has run nothing.
    pub(super) async fn of(
        store: &mut Store<RunState>,
        take: &TypedFunc<(u32, u32), (WasmList<u8>,)>,
        usual: Usual,
    ) -> wasmtime::Result<Self> {
        let (none,) = take.call_async(&mut *store, (0, 0)).await?;
        Ok(Self {
            base: none.as_le_slice(&*store).as_ptr().addr(),
            initial: store.data().memory.memory_bytes(),
            usual,
            were_read: false,
        })
    }

    /// All of them were read, not only what the run needs.
    pub(super) fn were_read(&mut self) {
        self.were_read = true;
    }

    /// Gives back what is there beyond the usual pages, of so many bytes of memory, after a run that
    /// used so much fuel, and found so many bytes there. It is over: nothing of it runs, or will.
    pub(super) fn give_back(self, bytes: usize, fuel: u64, put_back: usize) {
        if self.were_read {
            return kernel::give_back(self.base, 0..bytes / kernel::PAGE_BYTES);
        }
        let seen = &*self.usual.0;
        let large = bytes > self.initial || fuel > MUCH_FUEL || put_back > seen.put_back;
        let looks = || {
            let before = seen.small_runs.fetch_add(1, Relaxed);
            before.is_multiple_of(seen.looks)
        };
        if !large && !looks() {
            return;
        }
        let Some(MappedPages {
            written,
            count: all,
        }) = kernel::mapped(self.base, bytes)
        else {
            return;
        };
        let usual = match large {
            true => seen.pages.get(),
            false => Some(
                seen.pages
                    .get_or_init(|| KeptRanges::of(&written, &seen.read)),
            ),
        };
        let most = if large { 0 } else { MORE_THAN_USUAL };
        let (kept, used) = usual.map_or(Default::default(), |usual| {
            (usual.written.as_slice(), usual.used.as_slice())
        });
        let many_were_read = !seen.read.is_empty() && all > count(used) + MAPPED_BESIDES;
        let few_places = written.len() <= PLACES.max(kept.len());
        if few_places && count(&written) <= count(kept) + most && !many_were_read {
            return;
        }
        let more = match put_back {
            0 => {
                let kept = without(used, &beyond(&written, kept));
                between(&kept, bytes / kernel::PAGE_BYTES)
            }
            _ => beyond(&written, kept),
        };
        for pages in more {
            debug_assert!(pages.end <= bytes / kernel::PAGE_BYTES);
            kernel::give_back(self.base, pages);
        }
    }
}

impl KeptRanges {
    fn of(written: &[Range<usize>], read: &[Range<usize>]) -> Self {
        let mut all = [written, read].concat();
        all.sort_by_key(|pages| pages.start);
        let mut used: Vec<Range<usize>> = Vec::new();
        for pages in all {
            match used.last_mut() {
                Some(last) if pages.start <= last.end => last.end = last.end.max(pages.end),
                _ => used.push(pages),
            }
        }
        Self {
            written: written.to_vec(),
            used,
        }
    }
}

/// Which pages are mapped.
struct MappedPages {
    /// Those that were written since.
    written: Vec<Range<usize>>,
    /// How many there are in all.
    count: usize,
}

/// All pages of so many that are not usual, those that were only read among them: the pool looks at
/// every page that is there after each run, and small runs read few of those that a large one does.
fn between(usual: &[Range<usize>], all: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(usual.iter().map(|kept| kept.end));
    let ends = usual.iter().map(|kept| kept.start.min(all)).chain([all]);
    let between = starts.zip(ends).map(|(start, end)| start..end);
    between.filter(|pages| !pages.is_empty()).collect()
}

/// These pages, but for those.
fn without(pages: &[Range<usize>], those: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    for pages in pages {
        let mut start = pages.start;
        let first = those.partition_point(|those| those.end <= start);
        for those in those[first..]
            .iter()
            .take_while(|those| those.start < pages.end)
        {
            left.push(start..those.start.max(start));
            start = those.end;
        }
        left.push(start..pages.end.max(start));
    }
    left.retain(|pages| !pages.is_empty());
    left
}

/// Which of the pages that were written are not usual. Those that nobody wrote stay as they are: the
/// next run of a session reads some of them, and finds as much there as the one before. But what lies
/// close together is given back as one.
fn beyond(written: &[Range<usize>], usual: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_free = |pages: Range<usize>| {
        let after = usual.partition_point(|kept| kept.end <= pages.start);
        usual.get(after).is_none_or(|kept| kept.start >= pages.end)
    };
    let mut beyond: Vec<Range<usize>> = Vec::new();
    for page in written.iter().cloned().flatten() {
        if !is_free(page..page + 1) {
            continue;
        }
        match beyond.last_mut() {
            Some(last) if page - last.end <= CLOSE && is_free(last.end..page + 1) => {
                last.end = page + 1;
            }
            _ => beyond.push(page..page + 1),
        }
    }
    beyond
}

/// Which pages of an instance's memory can differ from those of a new one: all, where the kernel does
/// not tell.
pub(super) fn candidates(memory: &[u8]) -> Vec<Range<usize>> {
    let written = kernel::ever_written(memory.as_ptr().addr(), memory.len());
    written.unwrap_or_else(|| std::iter::once(0..memory.len() / kernel::PAGE_BYTES).collect())
}

fn count(pages: &[Range<usize>]) -> usize {
    pages.iter().map(ExactSizeIterator::len).sum()
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::fs::File;
    use std::io;
    use std::ops::Range;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    use rustix::mm::{Advice, madvise};

    use crate::pages::MappedPages;

    /// What is looked at and given back as one unit. Where the kernel's pages are larger, nothing is.
    pub(super) const PAGE_BYTES: usize = 4096;
    /// How many pages are looked at in one go.
    const AT_ONCE: usize = 4096;
    /// What the kernel says of a page: it is in memory; it is a file's, and nobody wrote it.
    const PRESENT: u64 = 1 << 63;
    const OF_A_FILE: u64 = 1 << 61;
    /// It is not in memory, as there was no room.
    const SWAPPED: u64 = 1 << 62;

    /// The pages that are in memory, if the kernel tells.
    pub(super) fn mapped(base: usize, bytes: usize) -> Option<MappedPages> {
        let mut count = 0;
        let written = pages(base, bytes, |entry| {
            let present = entry & PRESENT != 0;
            count += usize::from(present);
            present && entry & OF_A_FILE == 0
        });
        written.map(|written| MappedPages { written, count })
    }

    /// The pages that were written since they were mapped, those among them that are not in memory.
    pub(super) fn ever_written(base: usize, bytes: usize) -> Option<Vec<Range<usize>>> {
        pages(base, bytes, |entry| {
            entry & SWAPPED != 0 || entry & PRESENT != 0 && entry & OF_A_FILE == 0
        })
    }

    /// The pages of which the kernel says such a thing.
    fn pages(
        base: usize,
        bytes: usize,
        mut is_one: impl FnMut(u64) -> bool,
    ) -> Option<Vec<Range<usize>>> {
        static PAGEMAP: OnceLock<Option<File>> = OnceLock::new();
        let pagemap = PAGEMAP.get_or_init(|| {
            let usable = rustix::param::page_size() == PAGE_BYTES;
            usable.then(|| File::open("/proc/self/pagemap").ok())?
        });
        let pagemap = pagemap.as_ref()?;
        let pages = bytes / PAGE_BYTES;
        let mut written: Vec<Range<usize>> = Vec::new();
        let mut entries = vec![0; AT_ONCE.min(pages) * 8];
        for first in (0..pages).step_by(AT_ONCE) {
            let some = &mut entries[..AT_ONCE.min(pages - first) * 8];
            let at = (base / PAGE_BYTES + first) * 8;
            read(pagemap, some, at as u64).ok()?;
            let (entries, _) = some.as_chunks();
            for (page, entry) in (first..).zip(entries) {
                let entry = u64::from_ne_bytes(*entry);
                if !is_one(entry) {
                    continue;
                }
                match written.last_mut() {
                    Some(last) if last.end == page => last.end += 1,
                    _ => written.push(page..page + 1),
                }
            }
        }
        Some(written)
    }

    fn read(pagemap: &File, entries: &mut [u8], at: u64) -> io::Result<()> {
        pagemap.read_exact_at(entries, at)
    }

    pub(super) fn give_back(base: usize, pages: Range<usize>) {
        let start = std::ptr::with_exposed_provenance_mut(base + pages.start * PAGE_BYTES);
        let bytes = pages.len() * PAGE_BYTES;
        // SAFETY: it is a part of the linear memory of an instance that no code runs in any more,
        // and that is dropped next. Its pages are mapped privately, so they become what they were
        // before the first was written, which is what the pool makes of them in any case. No
        // reference of Rust's is to them.
        #[expect(unsafe_code, reason = "the pool has no way of its own")]
        // Where it fails, all works as well, and takes longer.
        let _ = unsafe { madvise(start, bytes, Advice::LinuxDontNeed) };
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::ops::Range;

    use crate::pages::MappedPages;

    pub(super) const PAGE_BYTES: usize = 4096;

    pub(super) fn mapped(_: usize, _: usize) -> Option<MappedPages> {
        None
    }

    pub(super) fn ever_written(_: usize, _: usize) -> Option<Vec<Range<usize>>> {
        None
    }

    pub(super) fn give_back(_: usize, _: Range<usize>) {}
}

#[cfg(test)]
mod tests;
