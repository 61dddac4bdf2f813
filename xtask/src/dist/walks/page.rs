//! What a page says to type, and what it shows: the blocks between its fences.

use std::fs;

use anyhow::{Result, ensure};
use xtask::repository;

/// The page's blocks of a kind, in their order.
///
/// # Errors
///
/// It has none.
pub(super) fn blocks(page: &str, kind: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(repository().join(page))?;
    let begin = format!("```{kind}\n");
    let after = text.split(&*begin).skip(1);
    let blocks: Vec<_> = after
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect();
    ensure!(!blocks.is_empty(), "{page} has no block `{kind}`");
    Ok(blocks)
}

/// The lines of these blocks.
pub(super) fn lines(page: &str, kind: &str) -> Result<Vec<String>> {
    let blocks = blocks(page, kind)?;
    let lines = blocks.iter().flat_map(|block| block.lines());
    Ok(lines.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_have_what_the_walks_type() {
        for (page, kind, least) in [
            ("docs/start/install.md", "sh deb", 1),
            ("docs/start/install.md", "sh wheel", 1),
            ("docs/start/install.md", "sh npm", 1),
            ("docs/start/mcp-client.md", "sh client", 2),
            ("docs/start/python.md", "python", 2),
            ("docs/start/node.md", "js", 2),
            ("docs/start/team.md", "sh team", 2),
            ("docs/start/team.md", "sh bob", 1),
            ("docs/start/team.md", "toml", 2),
        ] {
            let found = blocks(page, kind).expect("blocks").len();
            assert!(found >= least, "{page} has {found} blocks `{kind}`");
        }
        let rust = "docs/start/rust.md";
        let first = &blocks(rust, "text").expect("blocks")[0];
        assert!(first.starts_with("[dependencies]\n"), "{first}");
        assert_eq!(blocks(rust, "rust").expect("blocks").len(), 1);
        assert!(blocks(rust, "fortran").is_err());
    }
}
