//! A company's issuer in this process, at which people sign in: small, and as wrong as a test wants it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Form, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use url::Url;

/// Whom its tokens for access are for.
pub(super) const AUDIENCE: &str = "https://ampoule.example/mcp";
/// The client by which people sign in to the console, and its secret.
pub(super) const CLIENT: &str = "console";
pub(super) const SECRET: &str = "hunter2-hunter2";

/// How it goes on, and what happened.
#[derive(Default)]
pub(super) struct CompanyState {
    /// The codes that nobody has redeemed, with what was asked for.
    codes: HashMap<String, HashMap<String, String>>,
    /// The tokens for further tokens, with the person.
    refreshes: HashMap<String, String>,
    /// What it was asked at its token endpoint, and at that which forgets tokens.
    pub(super) forms: Vec<HashMap<String, String>>,
    pub(super) revoked: Vec<String>,
    /// What tokens for access, and those that say who signed in, say instead.
    pub(super) access: Value,
    pub(super) identity: Value,
    /// Members of its answers that it changes, or leaves out where they are null.
    pub(super) answer: Value,
    /// It signs by a key that is not the one that it shows.
    pub(super) signs_otherwise: bool,
    /// It has no answer.
    pub(super) is_down: bool,
    /// It refuses to give further tokens.
    pub(super) refuses: bool,
    made: usize,
}

#[derive(Clone)]
pub(super) struct Company {
    pub(super) base: String,
    pub(super) told: Arc<Mutex<CompanyState>>,
    keys: Arc<[EcdsaKeyPair; 2]>,
}

impl Company {
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let company = Self {
            base: format!("http://{}", listener.local_addr().unwrap()),
            told: Arc::default(),
            keys: Arc::new([key(), key()]),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/revoke", post(revoke))
            .with_state(company.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        company
    }

    /// A person signs in there, in a browser that was sent to this address: the query with which the
    /// browser comes back.
    pub(super) fn signs_in(&self, person: &str, address: &str) -> String {
        let url = Url::parse(address).unwrap();
        assert!(address.starts_with(&format!("{}/authorize?", self.base)));
        let mut asked: HashMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(
            (&*asked["client_id"], &*asked["resource"]),
            (CLIENT, AUDIENCE)
        );
        let state = asked["state"].clone();
        asked.insert("person".to_owned(), person.to_owned());
        let mut told = self.told.lock();
        told.made += 1;
        let code = format!("code-{}", told.made);
        told.codes.insert(code.clone(), asked);
        let answer = [("code", &code), ("state", &state), ("iss", &self.base)];
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(answer)
            .finish()
    }

    fn signed(&self, typ: &str, claims: Value) -> String {
        let part = |json: Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let head = part(json!({ "alg": "ES256", "typ": typ, "kid": "one" }));
        let text = format!("{head}.{}", part(claims));
        let key = &self.keys[usize::from(self.told.lock().signs_otherwise)];
        let signature = key.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A token for access of somebody, as a client sends it.
    fn access(&self, person: &str) -> String {
        let mut claims = json!({
            "iss": self.base,
            "aud": AUDIENCE,
            "sub": person,
            "iat": now(),
            "exp": now() + 600,
            "client_id": CLIENT,
        });
        let changes = self.told.lock().access.clone();
        extend(&mut claims, changes);
        self.signed("at+jwt", claims)
    }

    fn tokens(&self, person: &str, nonce: Option<&String>) -> Value {
        let mut claims = json!({
            "iss": self.base,
            "aud": CLIENT,
            "sub": person,
            "iat": now(),
            "exp": now() + 600,
            "nonce": nonce,
        });
        let access = self.access(person);
        let (changes, answer) = {
            let told = self.told.lock();
            (told.identity.clone(), told.answer.clone())
        };
        extend(&mut claims, changes);
        let identity = nonce.map(|_| self.signed("JWT", claims));
        let mut told = self.told.lock();
        told.made += 1;
        let refresh = format!("refresh-{}", told.made);
        told.refreshes.insert(refresh.clone(), person.to_owned());
        let mut tokens = json!({
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": identity,
            "refresh_token": refresh,
        });
        extend(&mut tokens, answer);
        tokens
    }
}

/// Members that are null are taken away.
fn extend(object: &mut Value, more: Value) {
    let object = object.as_object_mut().unwrap();
    if let Value::Object(more) = more {
        object.extend(more);
    }
    object.retain(|_, value| !value.is_null());
}

fn key() -> EcdsaKeyPair {
    let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap()
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

async fn metadata(State(company): State<Company>) -> Response {
    let base = &company.base;
    let metadata = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "revocation_endpoint": format!("{base}/revoke"),
        "jwks_uri": format!("{base}/keys"),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    });
    Json(metadata).into_response()
}

async fn keys(State(company): State<Company>) -> Response {
    let public = company.keys[0].public_key().as_ref().to_vec();
    let (x, y) = public[1..].split_at(32);
    let [x, y] = [x, y].map(|it| URL_SAFE_NO_PAD.encode(it));
    let key = json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": "one", "use": "sig" });
    Json(json!({ "keys": [key] })).into_response()
}

fn refusal(error: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response()
}

async fn token(
    State(company): State<Company>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let known = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}")));
    let is_known = headers.get(AUTHORIZATION).is_some_and(|it| *it == *known);
    if company.told.lock().is_down {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    company.told.lock().forms.push(form.clone());
    if !is_known {
        return refusal("invalid_client");
    }
    let given = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    match given("grant_type") {
        "authorization_code" => {
            let asked = company.told.lock().codes.remove(given("code"));
            let Some(asked) = asked else {
                return refusal("invalid_grant");
            };
            let challenge = digest(&SHA256, given("code_verifier").as_bytes());
            let challenge = URL_SAFE_NO_PAD.encode(challenge);
            if challenge != asked["code_challenge"]
                || given("redirect_uri") != asked["redirect_uri"]
            {
                return refusal("invalid_grant");
            }
            Json(company.tokens(&asked["person"], asked.get("nonce"))).into_response()
        }
        "refresh_token" => {
            let person = company.told.lock().refreshes.remove(given("refresh_token"));
            let refuses = company.told.lock().refuses;
            match person.filter(|_| !refuses) {
                Some(person) => Json(company.tokens(&person, None)).into_response(),
                None => refusal("invalid_grant"),
            }
        }
        _ => refusal("unsupported_grant_type"),
    }
}

async fn revoke(
    State(company): State<Company>,
    Form(form): Form<HashMap<String, String>>,
) -> StatusCode {
    company.told.lock().revoked.push(form["token"].clone());
    StatusCode::OK
}
