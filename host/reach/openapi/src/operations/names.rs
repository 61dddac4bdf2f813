//! What operations are called.

use std::collections::HashSet;

use ampoule_untrusted::text::is_hidden;
use http::Method;

/// How long a name may be, in bytes.
const MAX_BYTES: usize = 120;

/// Names that are taken, compared as servers' tools are: without case and punctuation.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A name that no other operation has: what the document calls it, or else its method and path.
    pub(super) fn name(&mut self, id: Option<&str>, method: &Method, path: &str) -> String {
        let id = id.map(str::trim).filter(|id| !id.is_empty());
        let id = id
            .filter(|id| id.len() <= MAX_BYTES && !id.contains(is_hidden) && !id.starts_with('$'));
        let id = id.filter(|id| id.contains(|c: char| c.is_alphanumeric()));
        let plain = id.map_or_else(|| of_path(method, path), str::to_owned);
        let mut name = plain.clone();
        let mut number = 1;
        while !self.0.insert(folded(&name)) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}

fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// `get_pets_by_pet_id` for `GET /pets/{pet_id}`.
fn of_path(method: &Method, path: &str) -> String {
    let mut name = method.as_str().to_ascii_lowercase();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let plain = |c: char| match c.is_alphanumeric() {
            true => c,
            false => '_',
        };
        name.push_str(match part.starts_with('{') {
            true => "_by_",
            false => "_",
        });
        let part: String = part.trim_matches(['{', '}']).chars().map(plain).collect();
        name.push_str(part.trim_matches('_'));
    }
    name.truncate(name.floor_char_boundary(MAX_BYTES));
    name
}
