//! An operator's system.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::*;
use crate::channel::Channel;
use crate::page::Page;
use crate::webhook::{Delivery, Post, Secret, Webhook};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

#[derive(Debug)]
struct System {
    says: Mutex<VecDeque<Result<u16, String>>>,
    got: mpsc::UnboundedSender<Delivery>,
}

impl Post for System {
    fn post(&self, delivery: Delivery) -> BoxFuture<'_, Result<u16, String>> {
        self.got.send(delivery).unwrap();
        let says = self.says.lock().pop_front().unwrap_or(Ok(204));
        Box::pin(async { says })
    }
}

fn webhook(
    store: &Store,
    says: Vec<Result<u16, String>>,
) -> (Webhook, mpsc::UnboundedReceiver<Delivery>) {
    let (sends, got) = mpsc::unbounded_channel();
    let system = System {
        says: Mutex::new(says.into()),
        got: sends,
    };
    let secrets = vec![Secret::read(SECRET).unwrap(), Secret::read(OTHER).unwrap()];
    let page = Page::new(store, "https://ampoule.example/approvals").unwrap();
    let to = "https://chat.example/hook";
    let webhook = Webhook::new(store, to, secrets, Some(page), Arc::new(system));
    (webhook, got)
}

fn header<'a>(delivery: &'a Delivery, name: &str) -> &'a str {
    let found = delivery.headers.iter().find(|(key, _)| *key == name);
    &found.unwrap().1
}

fn headers(delivery: &Delivery) -> HeaderMap {
    let pairs = delivery.headers.iter();
    pairs
        .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn messages_are_signed_and_sent_again_until_they_arrive() {
    let kept = kept();
    let failing = vec![Err("no route\u{1b}".to_owned()), Ok(500), Ok(302)];
    let (webhook, mut got) = webhook(&kept.store, failing);
    let (_, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    webhook.asked(&Arc::new(question.clone()));
    let first = got.recv().await.unwrap();
    for secret in [SECRET, OTHER] {
        let secret = Secret::read(secret).unwrap();
        secret
            .verify(&headers(&first), &first.body, kept.store.now())
            .unwrap();
    }
    let text = std::str::from_utf8(&first.body).unwrap();
    assert!(!text.contains("hunter2") && text.contains("‹secret›"));
    let message: Value = serde_json::from_str(text).unwrap();
    assert_eq!(message["type"], "approval.asked");
    assert_eq!(message["data"]["summary"], "mail.send");
    let page = message["data"]["page"].as_str().unwrap();
    assert!(page.starts_with("https://ampoule.example/approvals/"));
    for _ in 0..3 {
        let again = got.recv().await.unwrap();
        assert_eq!(header(&again, "webhook-id"), header(&first, "webhook-id"));
        assert_eq!(again.body, first.body);
    }
    while !webhook.is_delivered(&question) {
        tokio::task::yield_now().await;
    }
    assert!(got.try_recv().is_err());
    // The next process sends nothing twice, and what was not delivered.
    let (next, mut got) = self::webhook(&kept.store, vec![]);
    let (_, second) = put(&kept.store, "r-2", &[(1, "bob")]);
    next.resume().unwrap();
    let sent = got.recv().await.unwrap();
    assert!(header(&sent, "webhook-id").contains(&second.id.to_string()));
    assert!(got.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_of_what_is_over() {
    let kept = kept();
    let (webhook, mut got) = webhook(&kept.store, vec![Ok(500)]);
    let (_, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    webhook.asked(&Arc::new(question.clone()));
    got.recv().await.unwrap();
    answer(&kept.store, &question, deny("")).unwrap();
    let later = tokio::time::timeout(std::time::Duration::from_hours(24), got.recv());
    assert!(later.await.is_err());
}

fn signed(secret: &str, id: &str, at: u64, body: &[u8]) -> HeaderMap {
    let signature = Secret::read(secret).unwrap().sign(id, at, body);
    let at = at.to_string();
    let pairs = [
        ("webhook-id", id),
        ("webhook-timestamp", &at),
        ("webhook-signature", &signature),
    ];
    let pairs = pairs.into_iter();
    pairs
        .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
        .collect()
}

#[tokio::test]
async fn answers_come_back_signed_and_once() {
    let kept = kept();
    let (webhook, mut got) = webhook(&kept.store, vec![]);
    let (name, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    webhook.asked(&Arc::new(question.clone()));
    let asked = got.recv().await.unwrap();
    let message: Value = serde_json::from_slice(&asked.body).unwrap();
    let now = kept.store.now();
    let body = |answer: Value| {
        let mut data = json!({
            "question": message["data"]["question"], "seen": message["data"]["seen"], "by": "grace\n",
        });
        data.as_object_mut()
            .unwrap()
            .extend(answer.as_object().unwrap().clone());
        json!({ "type": "approval.answered", "data": data })
            .to_string()
            .into_bytes()
    };
    let yes = body(json!({ "answer": "allow-once" }));
    // Nobody said that answers are taken.
    assert!(
        webhook
            .answer(&signed(SECRET, "a", now, &yes), &yes)
            .is_err()
    );
    let webhook = webhook.answered_with(Secret::read(OTHER).unwrap());
    let refused = [
        (signed(SECRET, "a", now, &yes), yes.clone()),
        (signed(OTHER, "a", now - 1000, &yes), yes.clone()),
        (
            signed(OTHER, "a", now, &yes),
            body(json!({ "answer": "allow-run" })),
        ),
        // What we sent, sent back.
        (headers(&asked), asked.body.clone()),
        (signed(OTHER, "a", now, b"{}"), b"{}".to_vec()),
    ];
    for (headers, body) in refused {
        assert!(matches!(
            webhook.answer(&headers, &body),
            Err(QuestionError::Refused(_))
        ));
    }
    let past = body(json!({ "answer": "allow-session", "until": 5 }));
    let given = webhook.answer(&signed(OTHER, "a", now, &past), &past);
    assert!(
        matches!(given, Err(QuestionError::NotOffered(_))),
        "{given:?}"
    );
    let right = signed(OTHER, "a", now, &yes);
    let given = webhook.answer(&right, &yes).unwrap();
    assert_eq!(given.by.who, r"grace\n");
    assert!(matches!(
        webhook.answer(&right, &yes),
        Err(QuestionError::Answered(_))
    ));
    take(&kept.store, &name, 1, "ada").unwrap();
}

#[tokio::test]
async fn a_message_says_what_it_leaves_out() {
    let kept = kept();
    let (webhook, mut got) = webhook(&kept.store, vec![]);
    let long = "x".repeat(4 << 10);
    let mut arguments = Map::new();
    for at in 0..70 {
        arguments.insert(format!("a{at:02}"), json!(long));
    }
    let call = ProposedCall::new(
        &wanted(1, &arguments),
        &kept.store.0.keys,
        kept.store.limits(),
    );
    let question = unkept(&kept.store, Kind::Calls, caller("r-1"), vec![call]);
    kept.store.put(&question).unwrap();
    webhook.asked(&Arc::new(question));
    let sent = got.recv().await.unwrap();
    let message: Value = serde_json::from_slice(&sent.body).unwrap();
    let call = &message["data"]["calls"][0];
    let arguments = call["arguments"].as_array().unwrap();
    assert_eq!(
        arguments.len() as u64 + call["more_arguments"].as_u64().unwrap(),
        70
    );
    // One that is cut here, and one of which nothing was kept.
    assert_eq!(arguments[0]["left_out"], (4 << 10) - 500);
    assert_eq!(arguments[9]["left_out"], 4 << 10);
}
