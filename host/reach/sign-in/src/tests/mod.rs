//! Sign-ins against a resource and an authorization server in this process.

mod accounts;
mod bound;
mod faults;
mod flows;
mod keyring;
mod rotation;
mod secrecy;
mod server;
mod workloads;

use std::path::Path;
use std::time::Duration;

use ampoule_upstream::Authorizer;
use anyhow::Context as _;
use http::HeaderValue;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use tokio::sync::mpsc;
use url::Url;

use self::server::Server;
use crate::keyring::Person;
use crate::store::Store;
use crate::{SignIn, SignInError, SignInOptions, SignInStatus};

/// A new start of the program: nothing is known but what the folder holds.
fn started(server: &Server, folder: &Path) -> Result<SignIn, SignInError> {
    with(SignInOptions::new("notes", server.resource()), folder)
}

fn with(options: SignInOptions, folder: &Path) -> Result<SignIn, SignInError> {
    let store = Store::in_folder(folder.join("sign-in"));
    SignIn::new(options, store, reqwest::Client::builder())
}

/// Signs in as a person does: whose browser follows the address, and the redirect from there.
async fn sign_in(sign_in: &SignIn) -> anyhow::Result<SignInStatus> {
    let login = sign_in.begin().await?;
    let browser = tokio::spawn(browse(login.address().clone()));
    let (_typed, pasted) = mpsc::channel(1);
    let done = login.finish(pasted, |_| ()).await;
    browser.await??;
    Ok(done?)
}

/// What the browser shows at the end.
async fn browse(address: Url) -> anyhow::Result<String> {
    Ok(reqwest::get(address).await?.text().await?)
}

/// The address that a browser ends at.
async fn redirected(address: &Url) -> anyhow::Result<String> {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let answer = http.build()?.get(address.clone()).send().await?;
    let back = answer.headers().get("location").context("a redirect")?;
    Ok(back.to_str()?.to_owned())
}

/// The status of a request to the resource, authorized as requests are.
async fn status(server: &Server, sign_in: &SignIn) -> anyhow::Result<u16> {
    let authorization = sign_in.authorization().await?.context("a token")?;
    let request = reqwest::Client::new()
        .post(server.resource())
        .header("authorization", authorization);
    Ok(request.send().await?.status().as_u16())
}

/// The token is as old as this, and has so much less to live.
async fn aged(sign_in: &SignIn, by: Duration) -> anyhow::Result<()> {
    let (store, place) = (&sign_in.0.store, &sign_in.0.options.place());
    let lock = store.lock(place).await?;
    let mut kept = store
        .load(place, Person::Absent)
        .await?
        .context("a sign-in")?;
    let tokens = kept.tokens.as_mut().context("tokens")?;
    tokens.token_received_at = tokens.token_received_at.map(|at| at - by.as_secs());
    store.save(&lock, place, &kept, Person::Absent).await?;
    Ok(())
}

fn challenges(challenge: &str) -> Vec<HeaderValue> {
    vec![HeaderValue::from_str(challenge).expect("it is a header's value")]
}

const SEED: [u8; 32] = [7; 32];

fn public_key() -> Vec<u8> {
    let pair = Ed25519KeyPair::from_seed_unchecked(&SEED).expect("it is a seed");
    pair.public_key().as_ref().to_vec()
}

/// The private key of a machine, as PEM.
fn private_key() -> String {
    use base64::Engine as _;
    // PKCS #8, version 1, with the algorithm Ed25519.
    let mut der = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".to_vec();
    der.extend_from_slice(&SEED);
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
}
