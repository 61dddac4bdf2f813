//! Clients that go away.

use tokio::runtime::Handle;
use tokio::time::sleep;

use super::*;

/// Clients with a session have a moment to come back.
fn briefly() -> Options {
    Options {
        resume_within: Duration::from_millis(50),
        ..Options::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_ends_its_run() {
    let mut served = served(briefly()).await;
    for era in 0..2 {
        let asked = Era::both(&served).await[era].written(execute("await tools.test.hang({})"));
        let mut stream = served.connect().await;
        stream.write_all(asked.as_bytes()).await.unwrap();
        served.hang(1).await;
        drop(stream);
        served.hang(0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_cancelled_by_a_notification_and_by_the_end_of_its_session() {
    let mut served = served(Options::default()).await;
    for deletes in [false, true] {
        let session = served.session().await;
        let headers = [("mcp-session-id", &*session)];
        let mut stream = served.connect().await;
        let asked = post(&headers, &execute("await tools.test.hang({})").to_string());
        stream.write_all(asked.as_bytes()).await.unwrap();
        served.hang(1).await;
        if deletes {
            let delete = format!(
                "DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: {session}\r\nconnection: close\r\n\r\n"
            );
            assert_eq!(served.answers(&delete).await.status(), Some(204));
            assert_eq!(served.answers(&delete).await.status(), Some(404));
        } else {
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
            assert_eq!(served.post(&headers, &cancel).await.status(), Some(202));
        }
        served.hang(0).await;
        assert_eq!(Answer::read(stream).await.messages(), Vec::<Value>::new());
    }
}

/// How many tasks and descriptors there are.
fn held() -> [usize; 2] {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
    [Handle::current().metrics().num_alive_tasks(), descriptors]
}

/// How many there are once they have not changed for half a second.
async fn settled() -> [usize; 2] {
    let mut last = (held(), 0);
    while last.1 < 10 {
        sleep(Duration::from_millis(50)).await;
        let now = held();
        last = (now, if now == last.0 { last.1 + 1 } else { 0 });
    }
    last.0
}

/// Leaves at each step of sending, and of a run.
async fn leaves_at_each_step(served: &mut Served) {
    for era in 0..2 {
        let whole = {
            let era = &Era::both(served).await[era];
            let mut long = execute("console.log('a'); await tools.test.hang({})");
            long["params"]["_meta"] = json!({"progressToken": "p"});
            era.written(long)
        };
        let body = whole.find("\r\n\r\n").unwrap() + 4;
        for sent in [0, 10, body - 2, body, body + 20, whole.len() - 1] {
            let mut stream = served.connect().await;
            stream.write_all(&whole.as_bytes()[..sent]).await.unwrap();
        }
        for waits in 0..4 {
            let mut stream = served.connect().await;
            stream.write_all(whole.as_bytes()).await.unwrap();
            if waits > 0 {
                served.hang(1).await;
            }
            if waits > 1 {
                // Of the head, or of progress.
                let mut some = [0; 16];
                stream.read_exact(&mut some).await.unwrap();
            }
            if waits > 2 {
                stream.shutdown().await.unwrap();
            }
            drop(stream);
            served.hang(0).await;
        }
    }
}

/// Whether no more is held than before, soon enough.
async fn is_gone(before: [usize; 2]) -> bool {
    let gone = async {
        // Sessions have no tasks.
        while held().iter().zip(before).any(|(now, before)| *now > before) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE / 4, gone).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_disconnects_at_each_step_leaves_nothing() {
    let mut served = served(briefly()).await;
    leaves_at_each_step(&mut served).await;
    // Some of what the server needs is there from its first use on, and each thread has a first use:
    // so a round may leave something. What each round leaves is lost.
    let mut left = Vec::new();
    for _ in 0..4 {
        let before = timeout(PATIENCE, settled()).await.unwrap();
        leaves_at_each_step(&mut served).await;
        if is_gone(before).await {
            return;
        }
        left.push((before, held()));
    }
    panic!("tasks and descriptors before and after each round: {left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_nobody_uses_end_and_there_is_room_for_new_ones() {
    let served = served(Options {
        sessions: 3,
        sessions_each: 2,
        ..Options::default()
    })
    .await;
    let (first, second) = (served.session().await, served.session().await);
    let list = request("tools/list", json!({}));
    let status = async |session: &str| {
        served
            .post(&[("mcp-session-id", session)], &list)
            .await
            .status()
    };
    assert_eq!(status(&first).await, Some(200));
    let third = served.session().await;
    assert_eq!(status(&second).await, Some(404), "it was used longest ago");
    assert_eq!(
        (status(&first).await, status(&third).await),
        (Some(200), Some(200))
    );

    let brief = super::served(Options {
        session_idle: Duration::from_millis(200),
        ..Options::default()
    })
    .await;
    let session = brief.session().await;
    sleep(Duration::from_secs(1)).await;
    let asked = brief.post(&[("mcp-session-id", &session)], &list).await;
    assert_eq!(asked.status(), Some(404));
}
