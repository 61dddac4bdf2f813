//! What a run would have cost a model that calls the tools itself, one by one.

use ampoule::Usage;

/// About how many bytes of JSON or code a token stands for. OpenAI's and Anthropic's guides say
/// four characters of English; JSON takes more tokens than that, so the estimate is rather too low.
const BYTES_PER_TOKEN: u64 = 4;

/// What a model would have read and written without a script, and with it.
pub(super) struct Cost {
    direct: u64,
    script: u64,
}

impl Cost {
    /// `definitions` is the size of the definitions of all granted tools as JSON: what a client
    /// shows to its model before the first call. `hidden` is the size of what the script printed and
    /// a model does not read as text.
    pub(super) fn new(usage: &Usage, definitions: u64, script: u64, hidden: u64) -> Self {
        let crossed: u64 = usage
            .calls
            .iter()
            .map(|call| call.argument_bytes + call.result_bytes)
            .sum();
        Self {
            direct: (definitions + crossed) / BYTES_PER_TOKEN,
            script: (script + usage.output_bytes.saturating_sub(hidden)) / BYTES_PER_TOKEN,
        }
    }

    /// The cost, in one line.
    pub(super) fn line(&self, calls: usize) -> String {
        let these = match calls {
            1 => "this call".to_owned(),
            _ => format!("these {calls} calls"),
        };
        format!(
            "about {} tokens for a model that makes {these} itself (definitions, arguments, results); {} for the script and its output",
            grouped(self.direct),
            grouped(self.script)
        )
    }
}

/// `12,345`
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(if first == 0 {
        3.min(digits.len())
    } else {
        first
    });
    rest.as_bytes()
        .chunks(3)
        .fold(head.to_owned(), |text, three| {
            text + "," + &String::from_utf8_lossy(three)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (12, "12"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
