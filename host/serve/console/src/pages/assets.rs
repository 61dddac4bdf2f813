//! Styles and scripts: part of the program, at addresses with a hash of their content, so that a
//! browser asks once.

use std::sync::LazyLock;

/// Where they are.
pub(super) const FOLDER: &str = "/console/assets";
/// How much of a hash is in an address, in hexadecimal digits.
const HASH: usize = 16;

/// A file that pages load.
pub(super) struct Asset {
    /// Its address.
    pub(super) address: String,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its content.
    pub(super) content: &'static [u8],
}

impl Asset {
    fn new(name: &str, kind: &'static str, content: &'static [u8]) -> Self {
        let hash = blake3::hash(content).to_hex();
        Self {
            address: format!("{FOLDER}/{}/{name}", &hash[..HASH]),
            kind,
            content,
        }
    }
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All of them.
pub(super) struct Assets {
    /// How pages look.
    pub(super) style: Asset,
    /// The script of all pages.
    pub(super) script: Asset,
    /// The editor. Only the pages that have one load it.
    pub(super) editor: Asset,
    /// The picture of the tab.
    pub(super) icon: Asset,
}

impl Assets {
    /// The file at this address.
    pub(super) fn at(&self, address: &str) -> Option<&Asset> {
        let all = [&self.style, &self.script, &self.editor, &self.icon];
        all.into_iter().find(|asset| asset.address == address)
    }
}

/// All of them, hashed once.
pub(super) fn assets() -> &'static Assets {
    static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets {
        style: Asset::new(
            "console.css",
            "text/css; charset=utf-8",
            include_bytes!("../../assets/console.css"),
        ),
        script: Asset::new(
            "console.js",
            SCRIPT,
            include_bytes!("../../assets/console.js"),
        ),
        editor: Asset::new(
            "editor.js",
            SCRIPT,
            include_bytes!("../../assets/editor/editor.min.js"),
        ),
        icon: Asset::new(
            "ampoule.svg",
            "image/svg+xml",
            include_bytes!("../../assets/ampoule.svg"),
        ),
    });
    &ASSETS
}
