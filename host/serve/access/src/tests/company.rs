//! A company's issuer in this process: small, and as wrong as a test wants it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::get_current_timestamp;
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::IssuerOptions;

/// Whom its tokens are for.
pub(super) const AUDIENCE: &str = "https://ampoule.example.com/mcp";

/// How it goes on, and what happened.
#[derive(Default)]
pub(super) struct CompanyState {
    pub(super) keys: Vec<Value>,
    /// What it calls itself. Default: its address.
    pub(super) issuer: Option<String>,
    /// Where it says that its keys are. Default: at its address.
    pub(super) keys_at: Option<String>,
    /// What there is in place of its keys.
    pub(super) instead: Option<String>,
    /// It has the metadata of OAuth, and none of OpenID Connect.
    pub(super) is_plain: bool,
    /// It breaks off every connection.
    pub(super) is_down: bool,
    /// How often its keys were fetched.
    pub(super) fetches: usize,
}

pub(super) struct Company {
    pub(super) base: String,
    pub(super) told: Arc<Mutex<CompanyState>>,
}

impl Company {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}/team", listener.local_addr().expect("a port"));
        let told = Arc::new(Mutex::new(CompanyState::default()));
        let company = Self { base, told };
        let (base, told) = (company.base.clone(), Arc::clone(&company.told));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (base, told) = (base.clone(), Arc::clone(&told));
                tokio::spawn(async move { answer(stream, &base, &told).await });
            }
        });
        company
    }

    pub(super) fn options(&self) -> IssuerOptions {
        IssuerOptions {
            issuer: self.base.clone(),
            audience: vec![AUDIENCE.to_owned(), "ampoule".to_owned()],
            resource: None,
            scopes: Vec::new(),
            principal_claim: None,
            groups_claim: None,
        }
    }

    /// What a good token says.
    pub(super) fn claims(&self, more: Value) -> Value {
        let now = get_current_timestamp();
        let mut claims = json!({
            "iss": self.base,
            "aud": AUDIENCE,
            "sub": "ada",
            "iat": now,
            "exp": now + 300,
            "client_id": "agent",
        });
        extend(&mut claims, more);
        claims
    }

    pub(super) fn fetches(&self) -> usize {
        self.told.lock().fetches
    }
}

/// Members that are null are taken away.
pub(super) fn extend(object: &mut Value, more: Value) {
    let object = object.as_object_mut().expect("an object");
    let more = more.as_object().expect("an object").clone();
    object.extend(more);
    object.retain(|_, value| !value.is_null());
}

async fn answer(stream: TcpStream, base: &str, told: &Mutex<CompanyState>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut line = String::new();
    while stream.read_line(&mut line).await.ok()? > 2 {
        line.clear();
    }
    let (status, body) = told.lock().at(base, &path)?;
    let text = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nLocation: {base}/keys\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

impl CompanyState {
    fn at(&mut self, base: &str, path: &str) -> Option<(u16, String)> {
        if self.is_down {
            return None;
        }
        let issuer = self.issuer.as_deref().unwrap_or(base);
        let keys_at = self
            .keys_at
            .clone()
            .unwrap_or_else(|| format!("{base}/keys"));
        let metadata = json!({ "issuer": issuer, "jwks_uri": keys_at }).to_string();
        Some(match path {
            "/team/.well-known/openid-configuration" if !self.is_plain => (200, metadata),
            "/.well-known/oauth-authorization-server/team" if self.is_plain => (200, metadata),
            "/team/keys" => {
                self.fetches += 1;
                let keys = json!({ "keys": self.keys }).to_string();
                (200, self.instead.clone().unwrap_or(keys))
            }
            "/team/moved" => (302, String::new()),
            "/team/broken" => (500, String::new()),
            _ => (404, String::new()),
        })
    }
}

/// A key of the company, which it signs with.
pub(super) struct Signer {
    id: &'static str,
    algorithm: &'static str,
    pair: Pair,
}

enum Pair {
    Curve(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
}

impl Signer {
    pub(super) fn p256(id: &'static str) -> Self {
        Self::curve(id, "ES256", &ECDSA_P256_SHA256_FIXED_SIGNING)
    }

    pub(super) fn p384(id: &'static str) -> Self {
        Self::curve(id, "ES384", &ECDSA_P384_SHA384_FIXED_SIGNING)
    }

    fn curve(
        id: &'static str,
        algorithm: &'static str,
        curve: &'static EcdsaSigningAlgorithm,
    ) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(curve, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(curve, made.as_ref(), &random).expect("a key");
        Self {
            id,
            algorithm,
            pair: Pair::Curve(pair),
        }
    }

    pub(super) fn edwards(id: &'static str) -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(made.as_ref()).expect("a key");
        Self {
            id,
            algorithm: "EdDSA",
            pair: Pair::Edwards(pair),
        }
    }

    /// What everybody may have of it.
    pub(super) fn public(&self) -> Vec<u8> {
        match &self.pair {
            Pair::Curve(pair) => pair.public_key().as_ref().to_vec(),
            Pair::Edwards(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    pub(super) fn jwk(&self) -> Value {
        let public = self.public();
        let mut jwk = match &self.pair {
            Pair::Curve(_) => {
                let (x, y) = public[1..].split_at(public.len() / 2);
                let curve = self.algorithm.replace("ES", "P-");
                json!({"kty": "EC", "crv": curve, "x": encoded(x), "y": encoded(y)})
            }
            Pair::Edwards(_) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(&public)})
            }
        };
        extend(&mut jwk, json!({"kid": self.id, "use": "sig"}));
        jwk
    }

    /// A token that says this, signed.
    pub(super) fn token(&self, claims: &Value) -> String {
        self.token_with(json!({}), claims)
    }

    /// The same with another header.
    pub(super) fn token_with(&self, more: Value, claims: &Value) -> String {
        let mut header = json!({"alg": self.algorithm, "typ": "at+jwt", "kid": self.id});
        extend(&mut header, more);
        let text = unsigned(&header, claims);
        let signature = match &self.pair {
            Pair::Curve(pair) => pair.sign(&SystemRandom::new(), text.as_bytes()),
            Pair::Edwards(pair) => Ok(pair.sign(text.as_bytes())),
        };
        format!("{text}.{}", encoded(signature.expect("it signs").as_ref()))
    }
}

/// What is signed.
pub(super) fn unsigned(header: &Value, claims: &Value) -> String {
    let [header, claims] = [header, claims].map(|part| encoded(part.to_string().as_bytes()));
    format!("{header}.{claims}")
}

pub(super) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
