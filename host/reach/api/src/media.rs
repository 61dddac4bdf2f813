//! What is in a body, by its media type.

/// A media type without its parameters, in small letters.
pub fn essence(kind: &str) -> String {
    let kind = kind.split(';').next().unwrap_or(kind);
    kind.trim().to_ascii_lowercase()
}

/// Whether it is JSON.
pub fn is_json(kind: &str) -> bool {
    kind == "application/json" || kind == "text/json" || kind.ends_with("+json")
}

/// Whether it is a text.
pub fn is_text(kind: &str) -> bool {
    const TEXTS: [&str; 11] = [
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/javascript",
        "application/graphql",
        "application/sql",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/toml",
        "application/x-www-form-urlencoded",
    ];
    kind.starts_with("text/")
        || kind.ends_with("+xml")
        || kind.ends_with("+yaml")
        || TEXTS.contains(&kind)
}
