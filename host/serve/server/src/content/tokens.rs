//! How many tokens a text takes, for what is said in every conversation.

/// About how many tokens models read in a text (o200k, as GPT-4o and later have them): rather more
/// than fewer. Counting them exactly takes a vocabulary, which takes a tenth of a second to read: too
/// long for a server that answers at once.
pub(crate) fn about(text: &str) -> usize {
    let mut tokens = 0;
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        tokens += match first {
            _ if first.is_ascii_alphabetic() => {
                let mut letters = 1;
                while rest.next_if(char::is_ascii_lowercase).is_some() {
                    letters += 1;
                }
                // Common words are one token, whatever their length; rare ones are cut every few
                // letters.
                1 + letters / 6
            }
            _ if first.is_ascii_digit() => {
                let mut digits = 1;
                while rest.next_if(char::is_ascii_digit).is_some() {
                    digits += 1;
                }
                1 + (digits - 1) / 3
            }
            // They belong to the word that follows.
            ' ' | '_' if rest.peek().is_some_and(char::is_ascii_alphabetic) => 0,
            _ if first.is_ascii() => 1,
            _ => 2,
        };
    }
    tokens
}

/// How many they are, for tests.
#[cfg(test)]
pub(crate) fn exactly(text: &str) -> usize {
    let o200k = tiktoken::get_encoding("o200k_base");
    o200k.expect("a tokenizer").count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_take_no_more_than_that_and_not_much_less() {
        let corpora = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/corpora/tools");
        let mut lists = 0;
        for file in std::fs::read_dir(corpora).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let list: serde_json::Value = serde_json::from_str(&text).unwrap();
            let tools = list.get("tools").unwrap_or(&list).as_array().unwrap();
            let names: Vec<_> = tools
                .iter()
                .map(|tool| tool["name"].as_str().unwrap())
                .collect();
            let line = names.join(", ");
            let (about, exactly) = (about(&line), exactly(&line));
            assert!(exactly <= about, "{exactly} tokens, not {about}: {line}");
            assert!(
                about <= exactly * 2,
                "{exactly} tokens, not {about}: {line}"
            );
            lists += 1;
        }
        assert!(lists >= 10);
    }

    #[test]
    fn other_texts_take_no_more_either() {
        for text in [
            "",
            "a",
            "The quick brown fox jumps over the lazy dog.",
            "(status?: \"open\" | \"closed\", perPage?: number): { items: Issue[], total: number }",
            "été, 東京, Здравствуйте",
            "12345678901234567890",
            "\n- github: create_issue, 116 more",
        ] {
            assert!(exactly(text) <= about(text), "{text}");
        }
    }
}
