//! What QuickJS says that failed, and what the source says of it.

use oxc_span::Span;

use super::sites::{Kind, Site};

/// How long a piece of the source may be in a message, in bytes.
const SUBJECT_LIMIT: usize = 60;

/// Objects whose functions are there: calls of these are not what failed.
const KNOWN: [&str; 7] = [
    "Array.", "JSON.", "Math.", "Object.", "Promise.", "console.", "tools.",
];

/// What failed, by the message of a `TypeError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure<'m> {
    /// The property was read of null or undefined.
    Read(&'m str),
    /// The property was written to null or undefined.
    Write(&'m str),
    /// What was called is not a function.
    Call,
    /// What was to be iterated can't be: null or undefined, where that is told.
    Iterate(Option<&'m str>),
    /// What was to be unpacked is null or undefined.
    Unpack,
    /// A promise was taken for its value: this property was read of it; or it was iterated, where
    /// there is none.
    Unawaited(Option<&'m str>),
}

impl<'m> Failure<'m> {
    pub(super) fn of(message: &'m str) -> Option<Self> {
        if let Some((_, why)) = message.split_once(" was not awaited, so it ") {
            let property = why
                .strip_prefix("has no `")
                .and_then(|name| name.split_once("` yet"));
            return match property {
                Some((name, _)) => Some(Self::Unawaited(Some(name))),
                None => why
                    .starts_with("can't be iterated")
                    .then_some(Self::Unawaited(None)),
            };
        }
        let property = |start| message.strip_prefix(start)?.split_once("' of ");
        match message {
            "not a function" | "not a constructor" => Some(Self::Call),
            "value is not iterable" => Some(Self::Iterate(None)),
            "Cannot convert undefined or null to object" => Some(Self::Unpack),
            _ => match property("cannot read property '") {
                Some(("Symbol.iterator" | "Symbol.asyncIterator", value)) => {
                    Some(Self::Iterate(Some(value)))
                }
                Some((name, _)) => Some(Self::Read(name)),
                None => property("cannot set property '").map(|(name, _)| Self::Write(name)),
            },
        }
    }

    /// The operations among these that can have failed so, the likeliest first.
    pub(super) fn fitting(self, text: &str, sites: &[Site]) -> Vec<Site> {
        let name_of = |site: &Site| site.name.map(|span| span.source_text(text));
        let has_name = |site: &Site, name| name_of(site).is_none_or(|own| own == name);
        let fits = |site: &&Site| match self {
            Self::Read(name) => site.kind == Kind::Read && has_name(site, name),
            Self::Write(name) => site.kind == Kind::Write && has_name(site, name),
            Self::Call => matches!(site.kind, Kind::Call | Kind::Construct),
            Self::Iterate(_) => site.kind == Kind::Iterate,
            Self::Unpack => site.kind == Kind::Unpack,
            Self::Unawaited(None) => site.kind == Kind::Iterate,
            Self::Unawaited(Some(name)) => match site.kind {
                Kind::Read => has_name(site, name),
                // Only the first of what is unpacked has a site.
                Kind::Unpack => true,
                _ => false,
            },
        };
        let mut fitting: Vec<_> = sites.iter().filter(fits).copied().collect();
        let sure = |site: &Site| {
            let called = || site.subject.map_or("", |span| span.source_text(text));
            site.of_this
                || self == Self::Call && KNOWN.iter().any(|known| called().starts_with(known))
        };
        let computed =
            |site: &Site| matches!(self, Self::Read(_) | Self::Write(_)) && site.name.is_none();
        prefer_without(&mut fitting, sure);
        prefer_without(&mut fitting, computed);
        fitting
    }

    /// What failed, in the source's words. None where they don't tell, or QuickJS told.
    pub(super) fn describe(self, text: &str, sites: &[Site]) -> Option<String> {
        let first = sites.first()?;
        let subject = || first.subject.map(|span| shown(text, span, first.at));
        match self {
            Self::Read(_) | Self::Write(_) | Self::Unawaited(_) => None,
            Self::Call if sites.len() > 1 => {
                let names: Vec<_> = sites
                    .iter()
                    .filter_map(|site| Some(shown(text, site.subject?, site.at)))
                    .collect();
                Some(format!("{} is not a function", names.join(" or ")))
            }
            Self::Call if first.kind == Kind::Construct => {
                Some(format!("{} is not a constructor", subject()?))
            }
            Self::Call => Some(format!("{} is not a function", subject()?)),
            Self::Iterate(value) => {
                let named = if sites.len() == 1 { subject() } else { None };
                let what = named.or_else(|| value.map(str::to_owned))?;
                Some(format!("{what} is not iterable"))
            }
            Self::Unpack => {
                let names = sites.iter().filter_map(|site| site.name);
                let names: Vec<_> = names
                    .map(|name| format!("'{}'", name.source_text(text)))
                    .collect();
                if names.is_empty() {
                    return None;
                }
                let from = match subject() {
                    Some(subject) if sites.len() == 1 => format!(" of {subject}"),
                    _ => String::new(),
                };
                let names = names.join(" or ");
                Some(format!(
                    "Cannot destructure property {names}{from}: it is undefined or null"
                ))
            }
        }
    }
}

/// Leaves out what is unlikely, unless all of it is.
fn prefer_without(sites: &mut Vec<Site>, unlikely: impl Fn(&Site) -> bool) {
    if !sites.iter().all(&unlikely) {
        sites.retain(|site| !unlikely(site));
    }
}

/// A piece of the source in a line: where it is too long, its end from `at` on.
pub(super) fn shown(text: &str, span: Span, at: u32) -> String {
    // Types that were blanked leave spaces.
    let words = |text: &str| {
        let words: Vec<_> = text.split_whitespace().collect();
        words.join(" ").replace(" .", ".")
    };
    let all = span.source_text(text);
    let name = text.get(at as usize..span.end as usize).unwrap_or_default();
    if all.len() <= SUBJECT_LIMIT && !all.contains('\n') {
        words(all)
    } else if at > span.start && name.len() <= SUBJECT_LIMIT {
        format!("(…).{}", words(name))
    } else {
        let start = &all[..all.floor_char_boundary(SUBJECT_LIMIT)];
        format!("{}…", words(start))
    }
}
