//! Owners of tokens and an issuer's users, side by side.

use std::fs::{self, Permissions};
use std::num::NonZeroU16;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::Log;
use super::company::{Company, Signer};
use super::issuer::{passed, sent};
use crate::tokens::{Entry, Token};
use crate::{Access, AccessOptions, Source};

fn write(list: &Path, text: &str) {
    fs::write(list, text).expect("a list");
    fs::set_permissions(list, Permissions::from_mode(0o600)).expect("a mode");
}

#[tokio::test]
async fn an_issuer_s_user_is_never_the_owner_of_a_token() {
    let log = Log::default();
    let _guard = log.hears_all();
    let company = Company::start().await;
    let key = Signer::p256("first");
    company.told.lock().keys = vec![key.jwk()];
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("tokens");
    let token = Token::from_elsewhere(&"t".repeat(40)).expect("a token");
    let line = |name: &str| {
        let entry = Entry::new(name, &token, NonZeroU16::MIN, None).expect("a name");
        format!("{entry}\n")
    };
    let past = format!(
        "past sha256:{} expires=2001-02-03T04:05:06Z\n",
        "0".repeat(64)
    );
    write(&list, &(line("ada") + &past));
    let options = AccessOptions {
        tokens: vec![Source::File(list.clone())],
        issuer: Some(company.options()),
        ..AccessOptions::default()
    };
    let access = Access::new(options, reqwest::Client::builder().no_proxy())
        .await
        .expect("options that can be used");
    let admitted = async |token: &str| match access.admit(&sent(token)).await {
        Ok(principal) => Ok(principal.expect("somebody").to_string()),
        Err(refused) => Err((refused.status().as_u16(), refused.message().to_owned())),
    };
    let user = |name: &str| key.token(&company.claims(json!({ "sub": name })));
    assert_eq!(admitted(token.expose()).await, Ok("ada".to_owned()));
    // Also of one that has ended: what its owner left is there.
    for name in ["ada", "past"] {
        let (status, message) = admitted(&user(name)).await.expect_err(name);
        assert!(
            status == 401 && message.contains("that token another name"),
            "{status} {message}"
        );
        assert!(!message.contains(name));
    }
    assert!(log.seen("has the name of an owner of a token"));
    for name in ["Ada", "bob"] {
        assert_eq!(admitted(&user(name)).await, Ok(name.to_owned()));
    }
    // A list that changes counts from the next look on.
    write(&list, &line("bot-ada"));
    passed(Duration::from_secs(1)).await;
    assert_eq!(admitted(token.expose()).await, Ok("bot-ada".to_owned()));
    assert_eq!(admitted(&user("ada")).await, Ok("ada".to_owned()));
    assert!(admitted(&user("bot-ada")).await.is_err());
}
