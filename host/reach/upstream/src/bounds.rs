//! How much of a server's list of tools is read. The bounds are in bytes rather than in tools: a long
//! list is taken whole, and no server makes the host hold more than these.

/// All pages of a list together, or one that holds all tools.
pub(super) const LIST_BYTES: u64 = 128 << 20;

/// What each page counts beyond its text, and each entry of one: pages without end and entries
/// without text are too much at some time as well.
pub(super) const EACH_PAGE_BYTES: u64 = 64 << 10;
pub(super) const EACH_ENTRY_BYTES: u64 = 1 << 10;

/// What is cached of a server on disk: its list, and what was seen of results.
pub(super) const CACHE_BYTES: u64 = LIST_BYTES + (32 << 20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_tools_has_these() {
        let page = include_str!("../../../../docs/reference/tools.md");
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in [
            format!("up to {} MiB of a server's list", LIST_BYTES >> 20),
            format!("a page counts {} KiB", EACH_PAGE_BYTES >> 10),
            format!("a tool {} KiB", EACH_ENTRY_BYTES >> 10),
        ] {
            assert!(page.contains(&said), "{said}");
        }
    }
}
