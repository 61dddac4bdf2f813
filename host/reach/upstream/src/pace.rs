//! How fast a server is listened to that says what nobody asked for.

use std::time::Duration;

/// How much is read before a pause, in bytes.
const BETWEEN_PAUSES: usize = 1024 * 1024;

/// What a message or a line counts besides its bytes: what it costs to look at it.
const MESSAGE_BYTES: usize = 512;

/// How long a pause is. So a flood is read at 100,000 messages or 50 MiB a second at the most,
/// which takes a fraction of a core; what a server has to say honestly is far less.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts what was said unasked, and makes pauses. The server's pipe fills meanwhile, and then the
/// server waits.
#[derive(Debug, Default)]
pub(super) struct Pace {
    said: usize,
}

impl Pace {
    /// Notes a message or line of so many bytes.
    pub(super) async fn note(&mut self, bytes: usize) {
        self.said += bytes + MESSAGE_BYTES;
        if self.said < BETWEEN_PAUSES {
            // Very many may have been read at once.
            return tokio::task::coop::consume_budget().await;
        }
        self.said = 0;
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn floods_take_their_time_and_honest_servers_none() {
        for (count, bytes, least, most) in [
            (2000, 1, 0, 0),
            (100_000, 30, 1, 2),
            (1000, 1 << 20, 20, 21),
        ] {
            let (started, mut pace) = (Instant::now(), Pace::default());
            for _ in 0..count {
                pace.note(bytes).await;
            }
            let took = started.elapsed().as_secs();
            assert!(
                (least..=most).contains(&took),
                "{count} of {bytes} bytes took {took} s"
            );
        }
    }
}
