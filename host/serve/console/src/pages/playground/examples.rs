//! Scripts to begin with, over the demo shop.

/// A script, in both languages.
pub(super) struct Example {
    /// Its part of an address.
    pub(super) id: &'static str,
    /// What it does, in a few words.
    pub(super) title: &'static str,
    typescript: &'static str,
    python: &'static str,
}

impl Example {
    /// The script in a language, as the editor names it.
    pub(super) fn code(&self, language: &str) -> &'static str {
        match language {
            "python" => self.python,
            _ => self.typescript,
        }
    }
}

/// All of them. The first stands in the editor of somebody who comes for the first time.
pub(super) const EXAMPLES: [Example; 3] = [
    Example {
        id: "unpaid",
        title: "Read and add up",
        typescript: include_str!("../../../assets/examples/unpaid.ts"),
        python: include_str!("../../../assets/examples/unpaid.py"),
    },
    Example {
        id: "at-once",
        title: "Many calls at once",
        typescript: include_str!("../../../assets/examples/at-once.ts"),
        python: include_str!("../../../assets/examples/at-once.py"),
    },
    Example {
        id: "mistake",
        title: "A mistake to fix",
        typescript: include_str!("../../../assets/examples/mistake.ts"),
        python: include_str!("../../../assets/examples/mistake.py"),
    },
];
