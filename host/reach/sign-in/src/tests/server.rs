//! A resource and its authorization server, in one: small, and strict where clients go wrong.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::bound::Bound;

/// How it behaves, and what happened.
#[derive(Default)]
pub(super) struct ServerState {
    /// The issuer that metadata names. Default: its own address.
    pub(super) issuer: Option<String>,
    /// Where the resource says its authorization server is. Default: its own address.
    pub(super) server: Option<String>,
    /// The issuer that the redirect names. Default: the same as metadata.
    pub(super) redirect_issuer: Option<String>,
    /// The token endpoint fails with this.
    pub(super) token_status: Option<u16>,
    /// The parameter that it does not know at a refresh.
    pub(super) unknown: Option<&'static str>,
    /// The token endpoint answers a refresh with this: a status, a type, a body.
    pub(super) answer: Option<(u16, &'static str, String)>,
    /// A refresh gives the access token alone, without an end.
    pub(super) sparing: bool,
    /// No refresh token is good.
    pub(super) rejects: bool,
    /// Registered clients get a secret.
    pub(super) confidential: bool,
    /// It registers nobody.
    pub(super) closed: bool,
    /// A client may be the address of its own document.
    pub(super) takes_documents: bool,
    /// Whether tokens are bound to keys.
    pub(super) bound: Bound,
    /// The workload's token that is a grant.
    pub(super) assertion: Option<String>,
    /// How long tokens live, in seconds.
    pub(super) lives: u64,
    /// The clients, with their secrets.
    pub(super) clients: HashMap<String, Option<String>>,
    /// What was asked for at the authorization endpoint.
    pub(super) asked: Vec<HashMap<String, String>>,
    /// The forms that the token endpoint got.
    pub(super) forms: Vec<HashMap<String, String>>,
    /// The refresh tokens that were used, and can't be used again.
    pub(super) used: HashSet<String>,
    /// A used one was used again, so everything is revoked.
    pub(super) stolen: bool,
    pub(super) revoked: Vec<String>,
    /// All tokens and codes that were ever given out.
    pub(super) secrets: Vec<String>,
    current: Option<String>,
    codes: HashMap<String, HashMap<String, String>>,
}

#[derive(Clone)]
pub(super) struct Server {
    pub(super) base: String,
    pub(super) told: Arc<Mutex<ServerState>>,
}

pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: Url,
    pub(super) headers: HashMap<String, String>,
    body: String,
}

impl Server {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let server = Self {
            base: format!("http://{}", listener.local_addr()?),
            told: Arc::new(Mutex::new(ServerState {
                lives: 3600,
                ..ServerState::default()
            })),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.serve(stream).await });
            }
        });
        Ok(server)
    }

    pub(super) fn resource(&self) -> Url {
        Url::parse(&format!("{}/mcp", self.base)).expect("it is an address")
    }

    async fn serve(&self, stream: TcpStream) -> anyhow::Result<()> {
        let mut stream = BufReader::new(stream);
        let request = self.read(&mut stream).await?;
        let (status, headers, body) = self.answer(&request)?;
        let mut text = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await?;
        Ok(())
    }

    async fn read(&self, stream: &mut BufReader<TcpStream>) -> anyhow::Result<Request> {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let mut words = line.split(' ');
        let method = words.next().context("a method")?.to_owned();
        let target = words.next().context("a target")?.to_owned();
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").map_or(Ok(0), |n| n.parse())?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        Ok(Request {
            method,
            target: Url::parse(&self.base)?.join(&target)?,
            headers,
            body: String::from_utf8(body)?,
        })
    }

    fn answer(&self, request: &Request) -> anyhow::Result<Answer> {
        let base = &self.base;
        let mut told = self.told.lock();
        if let Some(refused) = told.bound.refusal(request) {
            return Ok(refused);
        }
        let json = |status, value: Value| {
            let kind = ("Content-Type", "application/json".to_owned());
            (status, vec![kind], value.to_string())
        };
        Ok(match request.target.path() {
            "/mcp" => told.resource(base, request),
            "/.well-known/oauth-protected-resource/mcp" => {
                let server = told.server.clone().unwrap_or_else(|| base.clone());
                json(
                    200,
                    json!({"resource": format!("{base}/mcp"), "authorization_servers": [server]}),
                )
            }
            "/.well-known/oauth-authorization-server" => json(200, told.metadata(base)),
            "/register" if request.method == "POST" && !told.closed => {
                let id = format!("client-{}", told.clients.len());
                let secret = told
                    .confidential
                    .then(|| format!("{id}-secret-of-the-client"));
                told.secrets.extend(secret.clone());
                told.clients.insert(id.clone(), secret.clone());
                let asked: Value = serde_json::from_str(&request.body)?;
                json(
                    201,
                    json!({
                        "client_id": id,
                        "client_secret": secret.unwrap_or_default(),
                        "redirect_uris": asked["redirect_uris"],
                    }),
                )
            }
            "/authorize" => told.authorize(base, request)?,
            "/token" if told.answers(request) => {
                let (status, kind, body) = told.answer.clone().unwrap_or_default();
                (status, vec![("Content-Type", kind.to_owned())], body)
            }
            "/token" => match told.token_status {
                Some(status) => (status, vec![], "it is broken".to_owned()),
                None => match told.token(base, request) {
                    Ok(given) => json(200, given),
                    Err(code) => json(400, json!({"error": code, "error_description": "no"})),
                },
            },
            "/revoke" => {
                let form = pairs(&request.body);
                told.revoked.extend(form.get("token").cloned());
                (200, vec![], String::new())
            }
            _ => (404, vec![], String::new()),
        })
    }
}

pub(super) type Answer = (u16, Vec<(&'static str, String)>, String);

impl ServerState {
    /// Whether a refresh is answered as was said.
    fn answers(&mut self, request: &Request) -> bool {
        let form = pairs(&request.body);
        let answers = self.answer.is_some() && form["grant_type"] == "refresh_token";
        if answers {
            self.forms.push(form);
        }
        answers
    }

    fn issuer(&self, base: &str) -> String {
        self.issuer.clone().unwrap_or_else(|| base.to_owned())
    }

    fn metadata(&self, base: &str) -> Value {
        let mut metadata = json!({
            "issuer": self.issuer(base),
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "revocation_endpoint": format!("{base}/revoke"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "scopes_supported": ["read", "write", "offline_access"],
            "client_id_metadata_document_supported": self.takes_documents,
        });
        if !self.closed {
            metadata["registration_endpoint"] = json!(format!("{base}/register"));
        }
        metadata
    }

    fn resource(&self, base: &str, request: &Request) -> Answer {
        let sent = request.headers.get("authorization");
        let scheme = self.bound.scheme();
        let sent = sent.and_then(|value| value.strip_prefix(scheme)?.strip_prefix(' '));
        if sent.is_some() && sent == self.current.as_deref() {
            return (200, vec![], String::new());
        }
        let challenge = format!(
            "{scheme} resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\", scope=\"read\""
        );
        (401, vec![("WWW-Authenticate", challenge)], String::new())
    }

    fn authorize(&mut self, base: &str, request: &Request) -> anyhow::Result<Answer> {
        let asked: HashMap<_, _> = request.target.query_pairs().into_owned().collect();
        let mut back = Url::parse(&asked["redirect_uri"])?;
        let code = format!("code-{}-that-nobody-may-see", self.codes.len());
        let issuer = self.redirect_issuer.clone();
        back.query_pairs_mut()
            .append_pair("code", &code)
            .append_pair("state", &asked["state"])
            .append_pair("iss", &issuer.unwrap_or_else(|| self.issuer(base)));
        self.secrets.push(code.clone());
        self.codes.insert(code, asked.clone());
        self.asked.push(asked);
        Ok((302, vec![("Location", back.to_string())], String::new()))
    }

    fn token(&mut self, base: &str, request: &Request) -> Result<Value, &'static str> {
        let form = pairs(&request.body);
        self.forms.push(form.clone());
        let get = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let refreshes = get("grant_type") == "refresh_token";
        if refreshes
            && self
                .unknown
                .is_some_and(|unknown| form.contains_key(unknown))
        {
            return Err("invalid_request");
        }
        if get("resource") != format!("{base}/mcp") && self.unknown != Some("resource") {
            return Err("invalid_target");
        }
        self.check_client(request, &form)?;
        let mut scope = get("scope").to_owned();
        match get("grant_type") {
            "authorization_code" => {
                let asked = self.codes.remove(get("code")).ok_or("invalid_grant")?;
                let digest =
                    ring::digest::digest(&ring::digest::SHA256, get("code_verifier").as_bytes());
                if asked["code_challenge"] != URL_SAFE_NO_PAD.encode(digest)
                    || asked["redirect_uri"] != get("redirect_uri")
                {
                    return Err("invalid_grant");
                }
                scope = asked.get("scope").cloned().unwrap_or_default();
            }
            "refresh_token" => {
                let token = get("refresh_token").to_owned();
                // Who gives no other one takes this one again.
                if !self.sparing && !self.used.insert(token) {
                    self.stolen = true;
                }
                if self.rejects || self.stolen {
                    return Err("invalid_grant");
                }
            }
            "client_credentials" => {}
            "urn:ietf:params:oauth:grant-type:jwt-bearer" => {
                let given = self.assertion.as_deref();
                if given != Some(get("assertion")) {
                    return Err("invalid_grant");
                }
            }
            _ => return Err("unsupported_grant_type"),
        }
        let is_persons = matches!(get("grant_type"), "authorization_code" | "refresh_token");
        let mut given = self.give(&scope, is_persons);
        if self.sparing && refreshes {
            given = json!({"access_token": given["access_token"], "token_type": "bearer"});
        }
        Ok(given)
    }

    fn give(&mut self, scope: &str, refreshed: bool) -> Value {
        let number = self.secrets.len();
        let access = format!("access-{number}-that-nobody-may-see");
        let refresh = format!("refresh-{number}-that-nobody-may-see");
        let claims = URL_SAFE_NO_PAD.encode(json!({"email": "ada@example.com"}).to_string());
        let id_token = format!("h.{claims}.id-token-{number}-that-nobody-may-see");
        self.secrets
            .extend([access.clone(), refresh.clone(), id_token.clone()]);
        self.current = Some(access.clone());
        let mut given = json!({
            "access_token": access,
            "token_type": self.bound.token_type(),
            "expires_in": self.lives,
            "scope": scope,
        });
        if refreshed {
            given["refresh_token"] = json!(refresh);
            given["id_token"] = json!(id_token);
        }
        given
    }

    /// Who has a secret must show it.
    fn check_client(
        &self,
        request: &Request,
        form: &HashMap<String, String>,
    ) -> Result<(), &'static str> {
        let basic = request.headers.get("authorization").and_then(|value| {
            let pair = STANDARD.decode(value.strip_prefix("Basic ")?).ok()?;
            let (id, secret) = std::str::from_utf8(&pair).ok()?.split_once(':')?;
            Some((id.to_owned(), secret.to_owned()))
        });
        if let Some(assertion) = form.get("client_assertion") {
            return is_signed(assertion).then_some(()).ok_or("invalid_client");
        }
        let (id, secret) = match basic {
            Some((id, secret)) => (Some(id), Some(secret)),
            None => (
                form.get("client_id").cloned(),
                form.get("client_secret").cloned(),
            ),
        };
        let id = id.unwrap_or_default();
        if self.assertion.is_some() && secret.is_none() {
            return Ok(());
        }
        if self.takes_documents && id.starts_with("https://") && secret.is_none() {
            return Ok(());
        }
        match self.clients.get(&id) {
            Some(expected) if *expected == secret => Ok(()),
            _ => Err("invalid_client"),
        }
    }

    /// The token that the resource takes is another one from now on.
    pub(super) fn forget_access(&mut self) {
        self.current = None;
    }
}

/// Whether this is signed with the tests' key.
fn is_signed(assertion: &str) -> bool {
    use ring::signature::{ED25519, UnparsedPublicKey};
    let Some((text, signature)) = assertion.rsplit_once('.') else {
        return false;
    };
    let Ok(signature) = URL_SAFE_NO_PAD.decode(signature) else {
        return false;
    };
    let key = UnparsedPublicKey::new(&ED25519, super::public_key());
    key.verify(text.as_bytes(), &signature).is_ok()
}

fn pairs(form: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(form.as_bytes())
        .into_owned()
        .collect()
}
