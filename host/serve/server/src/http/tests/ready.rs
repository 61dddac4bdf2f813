//! When it is ready, and for what.

use ampoule::Limits;

use super::*;

const ASKED: &str = "GET /readyz HTTP/1.1\r\nhost: 10.0.0.1\r\nconnection: close\r\n\r\n";

/// What it says once it is ready.
async fn ready(served: &Served) -> String {
    let ready = async {
        loop {
            let answer = served.answers(ASKED).await;
            match answer.status() {
                Some(200) => return answer.0,
                _ => assert!(answer.0.ends_with("starting\n"), "{answer:?}"),
            }
        }
    };
    timeout(PATIENCE, ready).await.expect("it to be ready")
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_ready_once_scripts_of_each_language_run_at_once() {
    let served = served(Options::default()).await;
    let said = ready(&served).await;
    assert!(said.ends_with("ready: JavaScript, Python\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_does_not_wait_for_a_language_that_has_no_room() {
    let mut little = Limits::default_ceilings();
    little.memory_bytes = 16 << 20;
    let runtime = Runtime::builder().ceilings(little).limits(little);
    let served = serving(runtime, Options::default()).await;
    let said = ready(&served).await;
    assert!(said.ends_with("ready: JavaScript\n"), "{said}");
}
