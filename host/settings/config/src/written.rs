//! How a server is written, for those who list servers: variables by their names, and nothing that
//! looks like a secret.

use super::read::Table;
use super::tree::Node;

/// What stands for what is not shown.
const HIDDEN: &str = "…";
/// Parts of an address that are longer than this may be a key.
const LONGEST_SHOWN_SEGMENT: usize = 24;

/// The command line, or the address, as the file has it.
pub(super) fn of(table: &Table<'_>) -> String {
    let entry = |key| table.get(key).map(|entry| entry.node());
    if let Some(url) = entry("url") {
        return url.as_text().map(address).unwrap_or_default();
    }
    if let Some(document) = entry("openapi").or_else(|| entry("graphql")) {
        let text = document.as_text().unwrap_or_default();
        return match text.contains("://") {
            true => address(text),
            false => text.to_owned(),
        };
    }
    let args = entry("args").map(Node::items).unwrap_or_default();
    let mut shown: Vec<String> = Vec::with_capacity(args.len() + 1);
    let mut is_value = false;
    for word in entry("command").into_iter().chain(args) {
        let word = word.as_text().unwrap_or_default();
        let (word, value_follows) = without_secret(word, is_value);
        is_value = value_follows;
        shown.push(if word.is_empty() || word.contains([' ', '\t', '\n']) {
            format!("'{word}'")
        } else {
            word
        });
    }
    shown.join(" ")
}

/// A word of a command line, and whether the next one is the value of an option that is a secret.
pub(super) fn without_secret(word: &str, is_value: bool) -> (String, bool) {
    if is_reference(word) {
        return (word.to_owned(), false);
    }
    if is_value && !word.starts_with('-') {
        return (HIDDEN.to_owned(), false);
    }
    if let Some((name, _)) = word.split_once(['=', ':'])
        && names_secret(name)
    {
        return (word[..=name.len()].to_owned() + HIDDEN, false);
    }
    let value_follows = word.starts_with('-') && !word.contains('=') && names_secret(word);
    (word.to_owned(), value_follows)
}

/// Whether it holds a variable's name, and so is itself no secret.
fn is_reference(text: &str) -> bool {
    text.contains("${")
}

/// Whether what goes by this name is a secret as a rule.
pub(super) fn names_secret(name: &str) -> bool {
    const SECRETS: [&str; 9] = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "authorization",
        "credential",
        "accesskey",
        "privatekey",
    ];
    if name.len() > 64 {
        return false;
    }
    let plain: String = name
        .chars()
        .filter(|char| char.is_ascii_alphanumeric())
        .map(|char| char.to_ascii_lowercase())
        .collect();
    SECRETS.iter().any(|secret| plain.contains(secret))
}

/// Without what logs in, without the query, and without what is long enough to be a key.
pub(super) fn address(url: &str) -> String {
    let url = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        // A variable has the beginning.
        None => (String::new(), url),
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let mut shown = scheme + host;
    for segment in path.split('/').filter(|_| rest.contains('/')) {
        shown.push('/');
        let long = segment.len() > LONGEST_SHOWN_SEGMENT && !is_reference(segment);
        shown.push_str(if long { HIDDEN } else { segment });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_keys() {
        for (url, shown) in [
            ("https://example.com", "https://example.com"),
            ("https://example.com/", "https://example.com/"),
            (
                "https://ada:pass@example.com:8/mcp?key=1#x",
                "https://example.com:8/mcp",
            ),
            ("${BASE}/mcp", "${BASE}/mcp"),
            (
                "https://example.com/api/s/abcdefghijklmnopqrstuvwxyz/mcp",
                "https://example.com/api/s/…/mcp",
            ),
            (
                "https://example.com/${A_VARIABLE_WITH_A_LONG_NAME}",
                "https://example.com/${A_VARIABLE_WITH_A_LONG_NAME}",
            ),
        ] {
            assert_eq!(address(url), shown);
        }
    }

    #[test]
    fn words_are_shown_without_secrets() {
        let words = [
            "--api-key=abc",
            "--port",
            "5",
            "--token",
            "abc",
            "--token",
            "${TOKEN}",
            "--header",
            "Authorization: Bearer abc",
            "--repository",
            "a/b",
        ];
        let mut is_value = false;
        let mut shown = Vec::new();
        for word in words {
            let (word, follows) = without_secret(word, is_value);
            is_value = follows;
            shown.push(word);
        }
        assert_eq!(
            shown.join(" "),
            "--api-key=… --port 5 --token … --token ${TOKEN} --header Authorization:… --repository a/b"
        );
    }
}
