//! How many skills there may be, and how large.

/// What the skills of each principal may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillLimits {
    /// How large a skill may be, in bytes, all its files together. Default: 256 KiB.
    pub bytes: u64,
    /// How many files it may have. Default: 64.
    pub files: usize,
    /// How many skills a principal may have. Default: 256.
    pub skills: usize,
    /// How many versions of each are kept; older ones go. Default: 20.
    pub versions: usize,
}

impl Default for SkillLimits {
    fn default() -> Self {
        Self {
            bytes: 256 << 10,
            files: 64,
            skills: 256,
            versions: 20,
        }
    }
}
