//! What is kept of runs that have ended, and for whom.

use ampoule::Principal;

use super::*;
use crate::runs::client_runs;
use crate::runs::clients::ClientState;
use crate::runs::stored_output::LeftOut;

fn keeping(runs: client_runs::Bounds) -> Serving {
    Serving::keeping(Bounds {
        runs,
        ..Bounds::default()
    })
}

/// Has a run end that gives this text, and gives its id.
async fn ended(serving: &Serving, client: &mut Client, text: &str) -> String {
    let code = format!("await tools.test.wait(); return {text:?}");
    let id = id_in(&client.execute(json!({ "code": code, "wait": 0 })).await);
    serving.calls(1).await;
    serving.let_go.notify_one();
    let given = client.execute(json!({ "run": id })).await;
    assert_eq!(super::text(&given), text);
    serving.calls(0).await;
    id
}

/// Waits until nothing is known of a run any more.
async fn gone(client: &mut Client, id: &str) {
    let gone = async {
        loop {
            let asked = client.execute(json!({ "run": id, "wait": 0 })).await;
            if text(&asked).starts_with(&format!("unknown run `{id}`")) {
                return;
            }
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, gone).await;
    in_time.expect("the outcome to be forgotten");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_so_many_runs_the_outcome_is_kept() {
    let serving = keeping(client_runs::Bounds {
        runs: 2,
        ..client_runs::Bounds::default()
    });
    let mut client = serving.client();
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        ids.push(ended(&serving, &mut client, text).await);
    }
    gone(&mut client, &ids[0]).await;
    for (id, given) in ids.iter().zip(["one", "two", "three"]).skip(1) {
        assert_eq!(text(&client.execute(json!({ "run": id })).await), given);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_bytes_are_kept_and_the_latest_whatever_it_has() {
    let serving = keeping(client_runs::Bounds {
        bytes: 1500,
        ..client_runs::Bounds::default()
    });
    let mut client = serving.client();
    let (small, large) = ("x".repeat(500), "y".repeat(5000));
    let first = ended(&serving, &mut client, &small).await;
    let second = ended(&serving, &mut client, &small).await;
    let kept = client.execute(json!({ "run": first })).await;
    assert_eq!(text(&kept), small);
    let third = ended(&serving, &mut client, &large).await;
    for id in [first, second] {
        gone(&mut client, &id).await;
    }
    let kept = client.execute(json!({ "run": third })).await;
    assert_eq!(text(&kept), large);
}

#[tokio::test(flavor = "multi_thread")]
async fn for_so_long_it_is_kept() {
    let serving = keeping(client_runs::Bounds {
        time: Duration::from_millis(50),
        ..client_runs::Bounds::default()
    });
    let mut client = serving.client();
    let id = ended(&serving, &mut client, "brief").await;
    gone(&mut client, &id).await;
    assert!(
        serving
            .server
            .runs
            .shared
            .clients
            .of(None, None)
            .runs
            .none_last()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_runs_under_way_keeps_them_however_many_others_come() {
    let serving = Serving::keeping(Bounds {
        principals: 2,
        away: Duration::ZERO,
        ..Bounds::default()
    });
    let mut client = serving.client();
    let code = "await tools.test.wait(); return 42";
    let first = client.execute(json!({ "code": code, "wait": 0 })).await;
    serving.calls(1).await;
    let asks = client
        .execute(json!({ "code": "return await tools.test.ask()" }))
        .await;
    let clients = &serving.server.runs.shared.clients;
    let keeps = |state: &ClientState| {
        let stored = state.stored.as_ref().expect("something to keep it in");
        stored.keep(LeftOut {
            printed: Some("some text"),
            ..LeftOut::default()
        })
    };
    for other in 0..5 {
        let other = Principal::new(&*other.to_string());
        // Of theirs, nothing is kept that long.
        assert_eq!(keeps(&clients.of(Some(&other), None)), Some(1));
    }
    assert_eq!(
        keeps(&clients.of(Some(&Principal::new("0")), None)),
        Some(1)
    );
    serving.calls(1).await;
    let answers = json!({
        "name": "execute_code",
        "requestState": asks["requestState"],
        "inputResponses": {},
    });
    let answered = client.ask("tools/call", answers).await;
    assert!(
        text(&answered["result"]).contains("did not answer"),
        "{answered}"
    );
    serving.let_go.notify_one();
    let ended = client.execute(json!({ "run": id_in(&first) })).await;
    assert_eq!(text(&ended), "42");
}
