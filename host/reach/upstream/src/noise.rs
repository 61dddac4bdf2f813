//! What came that is not a message: programs print to the stream that carries messages.

use ampoule_mcp::envelope::RequestId;
use parking_lot::Mutex;

/// What was skipped, over all connections of one server.
#[derive(Debug, Default)]
pub(super) struct Noise(Mutex<SkippedLines>);

#[derive(Debug, Default)]
struct SkippedLines {
    /// The first of it.
    first: String,
    count: u64,
}

impl Noise {
    /// Counts a line. True for the first, which is kept as it is `shown`.
    pub(super) fn note(&self, shown: impl FnOnce() -> String) -> bool {
        let mut skipped = self.0.lock();
        skipped.count += 1;
        let is_first = skipped.count == 1;
        if is_first {
            skipped.first = shown();
        }
        is_first
    }

    /// What was skipped, as a sentence; none if nothing was.
    pub(super) fn told(&self, transport: &str) -> Option<String> {
        let SkippedLines { first, count } = &*self.0.lock();
        let (stream, instead) = match transport {
            "stdio" => (
                "writes to its stdout",
                "The server should write it to stderr.",
            ),
            _ => ("sends", "The server should not send it."),
        };
        let more = match count {
            0 => return None,
            1 => String::new(),
            2 => ", and 1 more line".to_owned(),
            more => format!(", and {} more lines", more - 1),
        };
        Some(format!(
            "It {stream} what is not a message of the protocol, which Ampoule skips: {first}{more}. {instead}"
        ))
    }
}

/// Why an answer is not that to a request under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It came with this id, as it was written; with none if that is empty.
    Id(String),
    /// It does not say that it is a message.
    Unmarked,
}

impl Doubt {
    /// What that means for a request that got no other answer.
    pub(super) fn told(&self, id: RequestId) -> String {
        match self {
            Self::Id(came) if came.is_empty() => format!(
                "the server answered without an id, where the request has the id {id}; a server has to send back the id of each request"
            ),
            Self::Id(came) => format!(
                "the server answered with the id {came}, where the request has the id {id}; a server has to send back the id of each request"
            ),
            Self::Unmarked => format!(
                "the server's answer to the request with the id {id} has no `\"jsonrpc\": \"2.0\"`, so it is not taken for a message"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_kept_and_the_rest_is_counted() {
        let noise = Noise::default();
        assert_eq!(noise.told("stdio"), None);
        assert!(noise.note(|| "=====".to_owned()));
        let told = noise.told("stdio").unwrap();
        assert!(told.contains("skips: =====. The"), "{told}");
        for _ in 0..3 {
            assert!(!noise.note(|| unreachable!()));
        }
        let told = noise.told("stdio").unwrap();
        assert!(told.contains("=====, and 3 more lines."), "{told}");
    }
}
