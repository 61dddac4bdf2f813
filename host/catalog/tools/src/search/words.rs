//! The words of a text, as a search compares them.

use ampoule_projection::names;

/// A text's words as names are split, in lower case and without endings.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let all = words(text);
    let telling = all
        .iter()
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err());
    let telling: Vec<String> = telling.map(|word| stem(word)).collect();
    // A query of nothing but such words means them.
    match telling.is_empty() {
        true => all.iter().map(|word| stem(word)).collect(),
        false => telling,
    }
}

/// A text's words as names are split, in lower case, and each name that is written as one word as
/// that: `GitHub`, `PRs`. Everything in a search takes texts apart by this.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().flat_map(parts).collect()
}

fn parts(word: &str) -> Vec<String> {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let letters = bare.strip_suffix("'s").unwrap_or(bare);
    if let Some(acronym) = letters.strip_suffix('s')
        && acronym.len() > 1
        && acronym.bytes().all(|byte| byte.is_ascii_uppercase())
    {
        return vec![acronym.to_ascii_lowercase()];
    }
    match PROPER_NAMES.contains(&letters) {
        true => vec![letters.to_ascii_lowercase()],
        false => names::words(word),
    }
}

/// Names with a capital in their middle that are one word.
const PROPER_NAMES: &[&str] = &[
    "GitHub",
    "GitLab",
    "BitBucket",
    "JavaScript",
    "TypeScript",
    "PostgreSQL",
    "MySQL",
    "SQLite",
    "MongoDB",
    "DynamoDB",
    "BigQuery",
    "OneDrive",
    "OneNote",
    "SharePoint",
    "PowerPoint",
    "YouTube",
    "LinkedIn",
    "WhatsApp",
    "WordPress",
    "HubSpot",
    "ClickUp",
    "PagerDuty",
    "QuickBooks",
    "DropBox",
    "OpenAI",
    "PayPal",
    "macOS",
    "iOS",
];

/// Words that say nothing about a tool: what sentences are made of.
const STOP_WORDS: &[&str] = &[
    "a",
    "able",
    "about",
    "after",
    "again",
    "all",
    "already",
    "also",
    "am",
    "an",
    "and",
    "another",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "cant",
    "could",
    "did",
    "do",
    "does",
    "doesnt",
    "done",
    "dont",
    "down",
    "during",
    "each",
    "else",
    "every",
    "everything",
    "exactly",
    "few",
    "for",
    "from",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "i",
    "id",
    "if",
    "im",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "like",
    "may",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "no",
    "not",
    "now",
    "of",
    "off",
    "on",
    "one",
    "only",
    "onto",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "really",
    "same",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "someone",
    "something",
    "still",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "three",
    "through",
    "to",
    "too",
    "tool",
    "tools",
    "two",
    "under",
    "until",
    "up",
    "us",
    "use",
    "used",
    "using",
    "very",
    "want",
    "was",
    "way",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "yet",
    "you",
    "your",
];

/// A word without the endings of English plurals and verbs, so that `listing`, `lists` and `list`
/// are one. Not a root that a dictionary would have.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let singular = match word {
        _ if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("sses") => word[..word.len() - 2].to_owned(),
        _ if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    };
    let bare = ["ing", "ed"]
        .iter()
        .find_map(|end| singular.strip_suffix(end).filter(|bare| bare.len() >= 4));
    let bare = bare.unwrap_or(&singular);
    let bytes = bare.as_bytes();
    let doubled = bare.len() < singular.len()
        && bytes.len() >= 2
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !bare.ends_with(['l', 's']);
    let bare = if doubled {
        &bare[..bare.len() - 1]
    } else {
        bare
    };
    let bare = if bare.len() > 4 {
        bare.strip_suffix('e').unwrap_or(bare)
    } else {
        bare
    };
    bare.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn sentences_are_what_they_speak_of() {
        let words = tokens("How can I rename the worksheets in my file?");
        assert_eq!(words, ["renam", "worksheet", "file"]);
        assert_eq!(
            tokens("GitHub's (JavaScript), listIssues"),
            ["github", "javascript", "list", "issu"]
        );
        assert_eq!(tokens("what is this"), ["what", "is", "this"]);
    }
}
