//! Which calls somebody is asked about.

use ampoule_foreign::ToolPatterns;
use napi_derive::napi;

use crate::thrown;

/// Patterns of tools, as `[approvals]` of a configuration has them.
#[napi]
pub struct NativePatterns {
    patterns: ToolPatterns,
}

#[napi]
impl NativePatterns {
    /// Patterns that are written as JSON: a text, or an array of texts.
    #[napi(constructor)]
    pub fn new(patterns: String) -> napi::Result<Self, String> {
        let patterns = thrown(|| ToolPatterns::from_json(&patterns))?;
        Ok(Self { patterns })
    }

    /// Whether one of them means this tool.
    #[napi]
    pub fn matches(&self, server: String, tool: String) -> bool {
        self.patterns.matches(&server, &tool)
    }
}
