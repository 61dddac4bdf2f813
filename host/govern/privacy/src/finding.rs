//! What was found, where.

use std::ops::Range;

use crate::kind::Kind;

/// Personal data in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// Where it is in the text, in bytes.
    pub range: Range<usize>,
    /// What it is without JSON's escapes, if it has any.
    pub(crate) value: Option<Box<str>>,
    /// It is a number of JSON's: what is put in its place needs quotes, within so many strings.
    pub(crate) number: Option<u8>,
}

impl Finding {
    /// One that is as it stands there.
    pub(crate) fn plain(kind: Kind, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            value: None,
            number: None,
        }
    }

    /// What it is: that part of the text that it was found in, without JSON's escapes.
    pub fn value<'t>(&'t self, text: &'t str) -> &'t str {
        let there = || text.get(self.range.clone()).unwrap_or_default();
        self.value.as_deref().unwrap_or_else(there)
    }

    /// Which of two that overlap counts: what is surer, before what is longer.
    fn rank(&self) -> u8 {
        match self.kind {
            Kind::Patterns(_) => 0,
            Kind::Secret(_) => 1,
            Kind::Name | Kind::Address => 3,
            Kind::Phone => 4,
            _ => 2,
        }
    }
}

/// Leaves those that do not overlap, in their order in the text.
pub(crate) fn apart(mut found: Vec<Finding>) -> Vec<Finding> {
    // They come in a few rows, each in order, which this merges in linear time.
    found.sort_by_key(|finding| (finding.range.start, finding.rank()));
    let mut apart: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        match apart.last_mut() {
            Some(last) if finding.range.start < last.range.end => {
                let longer = finding.range.len() > last.range.len();
                if (finding.rank(), !longer) < (last.rank(), true) {
                    *last = finding;
                }
            }
            _ => apart.push(finding),
        }
    }
    apart
}
