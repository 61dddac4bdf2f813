//! Files that browsers and programs save. Their bytes are strangers': never a page, whatever they are.

use ampoule_server::http::holding;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};

use crate::sources::FileContent;

/// The answer that sends a file. The file takes its share until the answer has been read.
pub(crate) fn download(content: FileContent) -> Response {
    let FileContent { name, bytes, share } = content;
    holding(attachment(&name, bytes), share)
}

/// The answer that has a browser save these bytes.
pub(crate) fn attachment(name: &str, bytes: Vec<u8>) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, disposition(name)),
    ];
    (headers, bytes).into_response()
}

/// The name is there twice: plain, and as RFC 8187 has it. Everything but plain characters is escaped.
fn disposition(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    format!(
        "attachment; filename=\"{plain}\"; filename*=UTF-8''{}",
        encoded(name)
    )
}

/// Text as part of an address: everything but letters, digits and `-_~` is an escape.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for &byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strangers_are_escaped() {
        assert_eq!(
            disposition("a\"; x=\r\nb.txt"),
            "attachment; filename=\"a___x___b.txt\"; filename*=UTF-8''a%22%3B%20x%3D%0D%0Ab%2Etxt"
        );
    }
}
