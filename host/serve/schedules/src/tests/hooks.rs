//! Signatures, as their senders document them, and messages that come twice.

use std::num::NonZeroU32;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};

use super::at;
use crate::hook::HookRate;
use crate::hook::replays::{Replay, Replays};
use crate::hook::signature::{
    Encoding, SignatureError, SignatureForm, SignedContent, TimestampForm,
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
    assert_eq!((message.digest.len(), message.until), (32, None));
    let wrong = Err(SignatureError::Wrong);
    assert_eq!(check(right, secret, b"Hello, World?"), wrong);
    assert_eq!(check(right, "It's a secret to everybody", body), wrong);
    assert_eq!(check(&right[7..], secret, body), wrong);
    assert_eq!(check(&right.replace("757", "758"), secret, body), wrong);
    assert_eq!(check("sha256=", secret, body), wrong);
    assert_eq!(check(right, "short", body), Err(SignatureError::Secret));
    let none = github().check(secret, &HeaderMap::new(), body, now);
    assert_eq!(none, Err(SignatureError::Missing));
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
    assert_eq!(message.until, Some(sent + SignedDuration::from_secs(300)));
    assert_eq!(check("1531420618", 301), Err(SignatureError::Old));
    assert_eq!(check("1531420618", -301), Err(SignatureError::Old));
    assert_eq!(check("1531420900", 282), Err(SignatureError::Wrong));
    for unreadable in ["", "-1531420618", "1531420618.5", "now"] {
        assert_eq!(check(unreadable, 0), Err(SignatureError::NoTimestamp));
    }
}

#[test]
fn the_example_of_standard_webhooks_is_right_by_each_of_its_signatures() {
    let form = SignatureForm {
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
    };
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let now = Timestamp::from_second(1_614_265_330).unwrap();
    let check = |id: &str, signature: &str| {
        let headers = headers(&[
            ["webhook-id", id],
            ["webhook-timestamp", "1614265330"],
            ["webhook-signature", signature],
        ]);
        form.check(secret, &headers, br#"{"test": 2432232314}"#, now)
    };
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    check(id, right).unwrap();
    check(id, &format!("v1,AAAA {right}")).unwrap();
    assert_eq!(check("msg_other", right), Err(SignatureError::Wrong));
    assert_eq!(check("msg.1614265330", right), Err(SignatureError::NoId));
    assert_eq!(
        check(id, &right.replace("v1,", "v2,")),
        Err(SignatureError::Wrong)
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

#[test]
fn a_message_is_taken_once_while_its_timestamp_is_accepted() {
    let (now, until) = (at("2026-01-01T00:00:00Z"), at("2026-01-01T00:05:00Z"));
    let mut replays = Replays::default();
    assert_eq!(replays.take("a", until, now), Replay::First);
    assert_eq!(replays.take("a", until, until), Replay::Repeated);
    assert_eq!(replays.take("b", until, now), Replay::First);
    replays.give_back("b");
    assert_eq!(replays.take("b", until, now), Replay::First);
    let later = at("2026-01-01T00:05:01Z");
    assert_eq!(replays.take("a", later, later), Replay::First);
    let next = at("2026-01-01T00:10:00Z");
    let all: std::collections::BTreeMap<_, _> = (0..10_000)
        .map(|number| (number.to_string(), next))
        .collect();
    let mut replays: Replays = serde_json::from_value(serde_json::json!(all)).unwrap();
    assert_eq!(replays.take("c", next, later), Replay::Full);
}

#[test]
fn a_hook_takes_so_many_messages_in_a_minute() {
    let rate = HookRate::per_minute(NonZeroU32::new(3).unwrap());
    let taken = (0..5).filter(|_| rate.takes_one()).count();
    assert_eq!(taken, 3);
}
