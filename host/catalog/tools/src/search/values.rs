//! What values in a query stand for. `ENG-12` is a ticket and `#ops` a channel, and tools are about
//! tickets and channels, not about these.

/// The words that such a value stands for, if it has the form of one.
pub(super) fn stand_for(word: &str) -> &'static [&'static str] {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !"#@/*_".contains(c));
    if bare.contains("://") || bare.starts_with("www.") {
        return &["url", "link"];
    }
    if let Some((name, domain)) = bare.split_once('@')
        && domain.contains('.')
        && !name.is_empty()
    {
        return &["email", "user", "member"];
    }
    if let Some(name) = bare.strip_prefix('#') {
        return match name {
            "" => &[],
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) => &["issue", "number"],
            _ => &["channel", "tag"],
        };
    }
    if bare.len() > 1 && bare.starts_with('@') {
        return &["user", "member"];
    }
    if is_ticket(bare) {
        return &["issue", "ticket"];
    }
    if let Some((name, ending)) = bare.rsplit_once('.')
        && !name.is_empty()
        && FILES.contains(&ending)
    {
        return &["file"];
    }
    &[]
}

/// A query with the kinds of values in place of the values: a model knows tickets, and not `ENG-12`.
pub(crate) fn plain(query: &str) -> String {
    let words = query.split_whitespace();
    let words = words.map(|word| stand_for(word).first().copied().unwrap_or(word));
    words.collect::<Vec<_>>().join(" ")
}

/// A project's letters and a number, as all trackers have them.
fn is_ticket(word: &str) -> bool {
    word.split_once('-').is_some_and(|(project, number)| {
        (2..=10).contains(&project.len())
            && project.bytes().all(|byte| byte.is_ascii_uppercase())
            && number
                .bytes()
                .next()
                .is_some_and(|byte| byte.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Endings of files that people speak of.
const FILES: &[&str] = &[
    "csv", "docx", "gif", "html", "jpg", "json", "log", "md", "mp3", "mp4", "pdf", "png", "pptx",
    "py", "sql", "svg", "toml", "ts", "txt", "xlsx", "xml", "yaml", "yml", "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_query_has_kinds_in_place_of_values() {
        for (query, plain_query) in [
            ("Close  ENG-12, please", "Close issue please"),
            ("tell #ops that it is done", "tell channel that it is done"),
            ("list branches", "list branches"),
            ("", ""),
        ] {
            assert_eq!(plain(query), plain_query);
        }
    }

    #[test]
    fn values_stand_for_what_they_are() {
        for (value, word) in [
            ("ENG-12,", "issue"),
            ("WEB-4F2.", "ticket"),
            ("#ops", "channel"),
            ("#45", "issue"),
            ("@octocat", "user"),
            ("anna@acme.io", "email"),
            ("https://acme.io/a?b", "url"),
            ("`report.csv`", "file"),
        ] {
            assert!(stand_for(value).contains(&word), "{value}");
        }
        for other in [
            "opt-in",
            "UTF-8-sig",
            "3.14",
            "v1.2",
            "#",
            "@",
            "e.g.",
            "a@b",
            "A-1",
            "",
        ] {
            assert_eq!(stand_for(other), [""; 0], "{other}");
        }
    }
}
