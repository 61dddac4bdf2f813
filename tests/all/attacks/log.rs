//! Who makes the host write to its log: a client with each of its requests, over and over.

use ampoule_tests::command::Workplace;
use reqwest::StatusCode;

use crate::serving::{Serving, client, script, text};

/// How many requests a client sends.
const SENT: usize = 3_000;

#[tokio::test]
async fn requests_without_end_do_not_fill_the_log_and_what_is_left_out_is_counted() {
    let workplace = Workplace::default();
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let (http, at) = (client(), server.at.clone());
    for _ in 0..SENT {
        let asked = script(&http, &at, "return 1").header("host", "evil.example");
        let refused = asked.send().await.expect("an answer");
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    }
    // It serves valid requests.
    assert_eq!(text(script(&http, &at, "return 6 * 7")).await, "42");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    let told = "refused a request because of its host name";
    let lines = said.lines().filter(|line| line.contains(told));
    let (counts, shown): (Vec<_>, Vec<_>) = lines.partition(|line| line.contains("omitted"));
    // Some hundreds at once, and one a second.
    assert!((200..300).contains(&shown.len()), "{}", shown.len());
    let counted: usize = counts
        .iter()
        .map(|line| {
            let (_, rest) = line.split_once("lines=").expect("a count");
            let digits = rest.split(' ').next().expect("a count");
            digits.parse::<usize>().expect("a number")
        })
        .sum();
    assert_eq!(counted + shown.len(), SENT, "{said}");
}
