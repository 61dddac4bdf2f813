//! Signatures, as their senders document them, and messages that come twice.

use std::num::NonZeroU32;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};

use super::at;
use crate::hook::HookRate;
use crate::hook::replays::{Replay, Replays};
use crate::hook::signature::{
    Encoding, SignatureError, SignatureForm, SignedContent, SignedMessage, TimestampForm,
};

fn headers(of: &[[&str; 2]]) -> HeaderMap {
    of.iter()
        .map(|[name, value]| {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        })
        .collect()
}

fn github() -> SignatureForm {
    SignatureForm {
        header: "X-Hub-Signature-256".to_owned(),
        prefix: "sha256=".to_owned(),
        encoding: Encoding::Hex,
        content: SignedContent::read("{body}"),
        timestamp: None,
        id_header: None,
    }
}

#[test]
fn the_example_of_github_is_right_and_nothing_else_is() {
    // From GitHub's page on validating webhook deliveries.
    let (secret, body) = ("It's a Secret to Everybody", b"Hello, World!");
    let right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let now = at("2026-01-01T00:00:00Z");
    let check = |signature: &str, secret: &str, body: &[u8]| {
        let headers = headers(&[["x-hub-signature-256", signature]]);
        github().check(secret, &headers, body, now)
    };
    let message = check(right, secret, body).unwrap();
    assert_eq!((message.digest.len(), message.signed), (32, None));
    assert!(!message.has_id);
    let wrong = Err(SignatureError::Wrong);
    assert_eq!(check(right, secret, b"Hello, World?"), wrong);
    assert_eq!(check(right, "It's a secret to everybody", body), wrong);
    assert_eq!(check(&right[7..], secret, body), wrong);
    assert_eq!(check(&right.replace("757", "758"), secret, body), wrong);
    assert_eq!(check("sha256=", secret, body), wrong);
    assert_eq!(check(right, "short", body), Err(SignatureError::Secret));
    let none = github().check(secret, &HeaderMap::new(), body, now);
    assert_eq!(none, Err(SignatureError::Missing));
    let unsigned = github().refuse_unsigned(&HeaderMap::new());
    assert_eq!(unsigned, Err(SignatureError::Missing));
    let signed = headers(&[["x-hub-signature-256", right]]);
    assert_eq!(github().refuse_unsigned(&signed), Ok(()));
}

fn slack() -> SignatureForm {
    SignatureForm {
        header: "X-Slack-Signature".to_owned(),
        prefix: "v0=".to_owned(),
        encoding: Encoding::Hex,
        content: SignedContent::read("v0:{timestamp}:{body}"),
        timestamp: Some(TimestampForm {
            header: "X-Slack-Request-Timestamp".to_owned(),
            prefix: String::new(),
            tolerance: Duration::from_secs(300),
        }),
        id_header: None,
    }
}

#[test]
fn the_example_of_slack_is_right_while_it_is_new() {
    // From Slack's page on verifying requests.
    let secret = "8f742231b10e8888abcd99yyyzzz85a5";
    let body = b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    let sent = Timestamp::from_second(1_531_420_618).unwrap();
    let check = |timestamp: &str, later: i64| {
        let headers = headers(&[
            ["x-slack-signature", signature],
            ["x-slack-request-timestamp", timestamp],
        ]);
        slack().check(
            secret,
            &headers,
            body,
            sent + SignedDuration::from_secs(later),
        )
    };
    let message = check("1531420618", 299).unwrap();
    assert_eq!(message.signed, Some(sent));
    assert_eq!(message.tolerance, SignedDuration::from_secs(300));
    assert_eq!(check("1531420618", 301), Err(SignatureError::Old));
    assert_eq!(check("1531420618", -301), Err(SignatureError::Old));
    assert_eq!(check("1531420900", 282), Err(SignatureError::Wrong));
    for unreadable in ["", "-1531420618", "1531420618.5", "now"] {
        assert_eq!(check(unreadable, 0), Err(SignatureError::NoTimestamp));
        let signed = headers(&[
            ["x-slack-signature", signature],
            ["x-slack-request-timestamp", unreadable],
        ]);
        let early = slack().refuse_unsigned(&signed);
        assert_eq!(early, Err(SignatureError::NoTimestamp));
    }
}

fn standard_webhooks() -> SignatureForm {
    SignatureForm {
        header: "webhook-signature".to_owned(),
        prefix: "v1,".to_owned(),
        encoding: Encoding::Base64,
        content: SignedContent::read("{id}.{timestamp}.{body}"),
        timestamp: Some(TimestampForm {
            header: "webhook-timestamp".to_owned(),
            prefix: String::new(),
            tolerance: Duration::from_secs(300),
        }),
        id_header: Some("webhook-id".to_owned()),
    }
}

#[test]
fn the_example_of_standard_webhooks_is_right_by_each_of_its_signatures() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let now = Timestamp::from_second(1_614_265_330).unwrap();
    let check = |id: &str, signature: &str| {
        let headers = headers(&[
            ["webhook-id", id],
            ["webhook-timestamp", "1614265330"],
            ["webhook-signature", signature],
        ]);
        standard_webhooks().check(secret, &headers, br#"{"test": 2432232314}"#, now)
    };
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    assert!(check(id, right).unwrap().has_id);
    check(id, &format!("v1,AAAA {right}")).unwrap();
    assert_eq!(check("msg_other", right), Err(SignatureError::Wrong));
    assert_eq!(check("msg.1614265330", right), Err(SignatureError::NoId));
    assert_eq!(
        check(id, &right.replace("v1,", "v2,")),
        Err(SignatureError::Wrong)
    );
}

#[test]
fn a_message_with_an_id_is_the_same_when_its_sender_signs_it_again() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let bytes = base64::Engine::decode(
        &base64::engine::general_purpose::STANDARD,
        secret.strip_prefix("whsec_").unwrap(),
    );
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &bytes.unwrap());
    let signed_at = |id: &str, second: i64| {
        let tag = ring::hmac::sign(&key, format!("{id}.{second}.{{}}").as_bytes());
        let tag = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, tag);
        let headers = headers(&[
            ["webhook-id", id],
            ["webhook-timestamp", &second.to_string()],
            ["webhook-signature", &format!("v1,{tag}")],
        ]);
        let now = Timestamp::from_second(second).unwrap();
        standard_webhooks()
            .check(secret, &headers, b"{}", now)
            .unwrap()
    };
    let (first, again) = (
        signed_at("msg_1", 1_700_000_000),
        signed_at("msg_1", 1_700_000_900),
    );
    assert_eq!(first.digest, again.digest);
    let other = signed_at("msg_2", 1_700_000_000);
    assert_ne!(first.digest, other.digest);
    let mut replays = Replays::default();
    assert_eq!(replays.take(&first, first.signed.unwrap()), Replay::First);
    let later = again.signed.unwrap();
    assert_eq!(replays.take(&again, later), Replay::Repeated);
    // It is remembered from then on.
    let tomorrow = later + SignedDuration::from_hours(23);
    let next = signed_at("msg_1", tomorrow.as_second());
    assert_eq!(replays.take(&next, tomorrow), Replay::Repeated);
}

#[test]
fn a_message_with_an_id_and_no_timestamp_is_taken_once() {
    let form = SignatureForm {
        content: SignedContent::read("{id}.{body}"),
        id_header: Some("X-Id".to_owned()),
        ..github()
    };
    let secret = "It's a Secret to Everybody";
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hex::encode(ring::hmac::sign(&key, b"one.{}"));
    let headers = headers(&[
        ["x-hub-signature-256", &format!("sha256={tag}")],
        ["x-id", "one"],
    ]);
    let mut replays = Replays::default();
    let mut take = |now: Timestamp| {
        let message = form.check(secret, &headers, b"{}", now).unwrap();
        replays.take(&message, now)
    };
    let now = at("2026-01-01T00:00:00Z");
    assert_eq!(take(now), Replay::First);
    assert_eq!(take(now), Replay::Repeated);
    // Each time it comes, it is remembered for a day more.
    let later = now + SignedDuration::from_hours(23);
    assert_eq!(take(later), Replay::Repeated);
    assert_eq!(
        take(later + SignedDuration::from_hours(23)),
        Replay::Repeated
    );
}

#[test]
fn a_header_may_have_the_time_beside_the_signature_as_stripe_has_it() {
    let form = SignatureForm {
        header: "Stripe-Signature".to_owned(),
        prefix: "v1=".to_owned(),
        encoding: Encoding::Hex,
        content: SignedContent::read("{timestamp}.{body}"),
        timestamp: Some(TimestampForm {
            header: "Stripe-Signature".to_owned(),
            prefix: "t=".to_owned(),
            tolerance: Duration::from_secs(300),
        }),
        id_header: None,
    };
    let secret = "whsec_test_secret_of_some_length";
    let now = Timestamp::from_second(1_700_000_000).unwrap();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hex::encode(ring::hmac::sign(&key, b"1700000000.{}"));
    let signed = format!("t=1700000000,v1={tag},v0=00");
    let headers = headers(&[["stripe-signature", &signed]]);
    form.check(secret, &headers, b"{}", now).unwrap();
}

fn message(digest: &str, signed: Timestamp) -> SignedMessage {
    SignedMessage {
        digest: digest.to_owned(),
        has_id: false,
        signed: Some(signed),
        tolerance: SignedDuration::from_mins(5),
    }
}

#[test]
fn a_message_is_taken_once_while_its_timestamp_is_accepted() {
    let (now, until) = (at("2026-01-01T00:00:00Z"), at("2026-01-01T00:05:00Z"));
    let mut replays = Replays::default();
    assert_eq!(replays.take(&message("a", now), now), Replay::First);
    assert_eq!(replays.take(&message("a", now), until), Replay::Repeated);
    assert_eq!(replays.take(&message("b", now), now), Replay::First);
    replays.give_back(&message("b", now));
    assert_eq!(replays.take(&message("b", now), now), Replay::First);
    let without_time = SignedMessage {
        signed: None,
        ..message("c", now)
    };
    for _ in 0..2 {
        assert_eq!(replays.take(&without_time, now), Replay::First);
    }
}

#[test]
fn a_clock_that_was_ahead_lets_no_message_come_again() {
    let now = at("2026-01-01T00:00:00Z");
    let mut replays = Replays::default();
    assert_eq!(replays.take(&message("a", now), now), Replay::First);
    // The clock is ahead for a moment, and the old message is forgotten.
    let ahead = at("2026-01-02T00:00:00Z");
    assert_eq!(replays.take(&message("b", ahead), ahead), Replay::First);
    assert_eq!(replays.take(&message("a", now), now), Replay::Forgotten);
    let later = now + SignedDuration::from_secs(1);
    assert_eq!(replays.take(&message("c", later), later), Replay::First);
    // The same holds after the tolerance was raised.
    let raised = SignedMessage {
        tolerance: SignedDuration::from_hours(1),
        ..message("a", now)
    };
    assert_eq!(replays.take(&raised, later), Replay::Forgotten);
}

#[test]
fn as_many_messages_are_remembered_as_there_is_room_for() {
    let now = at("2026-01-01T00:00:00Z");
    let (fresh, old) = (now, now - SignedDuration::from_hours(1));
    let filled = |signed: Timestamp| -> Replays {
        let taken = (0..10_000).map(|number| (number.to_string(), serde_json::json!(signed)));
        let taken: serde_json::Map<_, _> = taken.collect();
        serde_json::from_value(serde_json::json!({ "taken": taken })).unwrap()
    };
    let mut full = filled(fresh);
    assert_eq!(full.take(&message("c", now), now), Replay::Full);
    // Ids that are kept for longer than is safe anyway make room.
    let mut full = filled(old);
    let with_id = |digest: &str, signed: Timestamp| SignedMessage {
        has_id: true,
        ..message(digest, signed)
    };
    assert_eq!(full.take(&with_id("c", now), now), Replay::First);
    assert_eq!(full.take(&with_id("0", old), now), Replay::Forgotten);
    assert_eq!(full.take(&with_id("1", old), now), Replay::Repeated);
}

#[test]
fn a_hook_takes_so_many_messages_in_a_minute() {
    let rate = HookRate::per_minute(NonZeroU32::new(3).unwrap());
    let taken = (0..5).filter(|_| rate.takes_one()).count();
    assert_eq!(taken, 3);
}
