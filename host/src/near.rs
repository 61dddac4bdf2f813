//! Near misses: the name that was likely meant.

/// The candidate that is most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let folded = fold(name);
    let like = |candidate: &'a str| {
        let other = fold(candidate);
        let likeness = if folded == other {
            1.0
        } else {
            strsim::normalized_damerau_levenshtein(&folded, &other)
        };
        (likeness, candidate)
    };
    // Two of three characters in place. Long names are not compared: it would take their lengths' product.
    let candidates = candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 100 && name.len() <= 100);
    let best = candidates.map(like).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness >= 0.65)
        .map(|(_, candidate)| candidate)
}

/// What is left of a name when case and punctuation don't count.
pub(crate) fn fold(name: &str) -> String {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_found_and_a_far_one_is_not() {
        let names = ["command", "args", "call-timeout", "startTimeout"];
        let cases = [
            ("comand", Some("command")),
            ("call_timeout", Some("call-timeout")),
            ("start-time-out", Some("startTimeout")),
            ("arg", Some("args")),
            ("url", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
    }
}
