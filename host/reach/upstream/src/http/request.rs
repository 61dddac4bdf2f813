//! One request, with credentials, over redirects.

use std::sync::Arc;

use ampoule_network::{Tls, is_private};
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use reqwest::{Client, Response};
use url::Url;

use super::{Remote, client, network};
use crate::authorizer::{DPOP, wants_another_proof};
use crate::pending::Fault;

/// How often a server may send the client on.
const MAX_REDIRECTS: usize = 5;

/// How many challenges of a server are looked at.
const MAX_CHALLENGES: usize = 16;

/// What is asked.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) url: Url,
    /// What any server may know.
    pub(super) headers: HeaderMap,
    /// What only this origin may know, besides the credentials.
    pub(super) confidential: HeaderMap,
    pub(super) body: Bytes,
}

impl Remote {
    /// Sends a request. One that is refused for its credentials is sent again, once, where they can
    /// be renewed.
    pub(super) async fn send(&self, ask: &Ask) -> Result<Response, Fault> {
        let credentials = self.credentials().await?;
        let (mut response, is_news) = self.follow(ask, &credentials.headers).await?;
        if is_news && wants_another_proof(response.status(), &challenges(&response)) {
            (response, _) = self.follow(ask, &credentials.headers).await?;
        }
        let status = response.status();
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Ok(response);
        }
        let (status, challenges) = (status.as_u16(), challenges(&response));
        if !self.renew(status, &challenges, &credentials).await? {
            return Ok(response);
        }
        drop(response);
        let credentials = self.credentials().await?;
        let (response, _) = self.follow(ask, &credentials.headers).await?;
        Ok(response)
    }

    /// Sends a request to where the server says. Credentials stay at its own origin. With the answer
    /// comes whether a proof of the token would be another one now.
    async fn follow(&self, ask: &Ask, credentials: &HeaderMap) -> Result<(Response, bool), Fault> {
        let (mut client, mut at) = (self.client().await?.clone(), ask.url.clone());
        let mut headers = ask.headers.clone();
        for (name, value) in credentials.iter().chain(&ask.confidential) {
            // What the protocol itself needs is not for the configuration to change.
            if !ask.headers.contains_key(name) {
                headers.insert(name.clone(), value.clone());
            }
        }
        let mut authorizer = self.server.authorizer.as_ref();
        for _ in 0..=MAX_REDIRECTS {
            if let (Some(authorizer), Some(value)) = (authorizer, headers.get(AUTHORIZATION)) {
                let proof = authorizer.proof(value, &ask.method, &at).await?;
                headers.remove(DPOP);
                headers.extend(proof.map(|proof| (DPOP, proof)));
            }
            let request = client
                .request(ask.method.clone(), at.clone())
                .headers(headers.clone())
                .body(ask.body.clone());
            let response = request.send().await.map_err(|error| fault(&error))?;
            let is_news = authorizer.is_some_and(|it| it.answered(response.headers()));
            let Some(next) = redirect(&response) else {
                return Ok((response, is_news));
            };
            let next = at
                .join(&next)
                .map_err(|_| lost("to an address that can't be read"))?;
            if next.origin() != at.origin() {
                client = self.elsewhere(&at, &next).await?;
                headers = ask.headers.clone();
                authorizer = None;
            }
            at = next;
        }
        Err(lost(&format!("more than {MAX_REDIRECTS} times")))
    }

    /// A client for another origin, which the server named: nobody configured that.
    async fn elsewhere(&self, from: &Url, to: &Url) -> Result<Client, Fault> {
        if to.scheme() != "https" && (to.scheme() != "http" || from.scheme() == "https") {
            return Err(lost("to an address that is not https"));
        }
        let unresolved = |_| lost("to a host whose name can't be resolved");
        let addresses = network::addresses(to).await.map_err(unresolved)?;
        let is_private = |addresses: &[std::net::SocketAddr]| {
            addresses.iter().any(|address| is_private(address.ip()))
        };
        if is_private(&addresses) {
            let own = network::addresses(&self.server.url)
                .await
                .unwrap_or_default();
            if !is_private(&own) {
                return Err(lost("into a private network, and is not in one itself"));
            }
        }
        let (to, tls) = (to.clone(), Arc::new(self.server.tls.clone()));
        let tls = Tls {
            // The client's own certificate is a credential.
            certificate: None,
            key: None,
            ..(*tls).clone()
        };
        let made = tokio::task::spawn_blocking(move || client::client(&to, &tls, Some(&addresses)));
        let made = made
            .await
            .unwrap_or_else(|_| Err("the runtime is ending".to_owned()));
        made.map_err(|why| Fault::NotReached(format!("can't be reached: {why}")))
    }
}

/// What a response says of who may ask.
fn challenges(response: &Response) -> Vec<HeaderValue> {
    let all = response.headers().get_all(WWW_AUTHENTICATE).into_iter();
    all.take(MAX_CHALLENGES).cloned().collect()
}

/// Where the server sends the client on, keeping what it asks. (303 asks for something else.)
fn redirect(response: &Response) -> Option<String> {
    matches!(response.status().as_u16(), 301 | 302 | 307 | 308)
        .then(|| {
            response
                .headers()
                .get(LOCATION)?
                .to_str()
                .ok()
                .map(ToOwned::to_owned)
        })
        .flatten()
}

fn lost(way: &str) -> Fault {
    Fault::NotReached(format!("can't be reached: it redirects {way}"))
}

/// What became of a request that has no response.
fn fault(error: &reqwest::Error) -> Fault {
    let why = client::explained(error);
    if error.is_connect() || error.is_builder() {
        Fault::NotReached(format!("can't be reached: {why}"))
    } else {
        Fault::Lost(format!("did not answer: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::RemoteServer;
    use super::*;

    #[tokio::test]
    async fn a_server_sends_the_client_into_no_private_network_but_its_own() {
        let sent = async |from: &str, to: &str| {
            let server = RemoteServer::new(from).unwrap();
            let (from, secrets) = (server.url.clone(), server.secrets());
            let remote = Remote::new("far".into(), server, secrets);
            let way = remote.elsewhere(&from, &to.parse().unwrap()).await;
            way.map(|_| ())
        };
        let private = Err(lost("into a private network, and is not in one itself"));
        for to in [
            "http://127.0.0.1:80",
            "http://[::1]/",
            "http://169.254.169.254/latest",
        ] {
            assert_eq!(sent("http://1.1.1.1/mcp", to).await, private, "{to}");
            assert_eq!(sent("http://10.0.0.1/mcp", to).await, Ok(()), "{to}");
        }
        assert_eq!(
            sent("http://1.1.1.1/mcp", "http://1.0.0.1/mcp").await,
            Ok(())
        );
        let unsafe_way = Err(lost("to an address that is not https"));
        assert_eq!(
            sent("https://1.1.1.1/mcp", "http://1.0.0.1/mcp").await,
            unsafe_way
        );
        assert_eq!(
            sent("http://1.1.1.1/mcp", "ftp://1.0.0.1/mcp").await,
            unsafe_way
        );
    }
}
