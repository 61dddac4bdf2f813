//! Who asks: headers, the command that prints them, what signs requests; and to whom that is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ampoule_tools::{Binding, CallError};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::HeaderValue;
use serde_json::json;

use super::server::{Reply, serve, session, usual};
use super::{text, upstream};
use crate::opening::StartErrorKind;
use crate::testing::{call, failure};
use crate::{
    AuthorizationError, Authorizer, RemoteServer, ServerCommand, SignInRequiredError, Transport,
    UpstreamState,
};

/// Tokens `a-token-0`, `a-token-1` and so on; a new one where one was refused, until there is none.
#[derive(Debug, Default)]
struct Tokens {
    refused: AtomicU32,
    told: parking_lot::Mutex<Vec<(u16, String)>>,
    last: u32,
    /// There may be more of them later.
    fails: bool,
}

/// What else they are about.
const REFRESH: &str = "refresh/token";

impl Authorizer for Tokens {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>> {
        let token = self.refused.load(Ordering::Relaxed).min(self.last);
        ready(Ok(Some(format!("Bearer a-token-{token}").parse().unwrap()))).boxed()
    }

    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>> {
        let said = challenges.iter().map(|it| it.to_str().unwrap());
        self.told
            .lock()
            .push((status, said.collect::<Vec<_>>().join("; ")));
        let refused = self.refused.fetch_add(1, Ordering::Relaxed);
        ready(match refused < self.last {
            true => Ok(true),
            false if self.fails => Err(AuthorizationError::Unavailable("it is broken".to_owned())),
            false => {
                Err(SignInRequiredError("sign in with `ampoule auth login far`".to_owned()).into())
            }
        })
        .boxed()
    }

    fn secrets(&self) -> BoxFuture<'_, Vec<String>> {
        ready(vec![REFRESH.to_owned()]).boxed()
    }
}

/// A server that accepts `a-token-1` alone.
async fn guarded() -> super::server::Server {
    serve(|request| match request.header("authorization") {
        Some("Bearer a-token-1") => usual(request),
        _ => Reply::new(401, "text/plain", "who is a-token-0?")
            .header("WWW-Authenticate", r#"Bearer scope="a""#),
    })
    .await
}

#[tokio::test]
async fn a_refused_request_is_signed_anew_once() {
    let server = guarded().await;
    let tokens = Arc::new(Tokens {
        last: 1,
        ..Tokens::default()
    });
    let remote = RemoteServer::new(&server.url)
        .unwrap()
        .authorizer(Arc::clone(&tokens) as _);
    let upstream = upstream(remote);
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    let challenge = (401, r#"Bearer scope="a""#.to_owned());
    assert_eq!(*tokens.told.lock(), [challenge]);
}

#[tokio::test]
async fn that_a_person_must_sign_in_is_told_as_such() {
    let server = guarded().await;
    let remote = || RemoteServer::new(&server.url).unwrap();
    let signed = upstream(remote().authorizer(Arc::new(Tokens::default())));
    let error = call(&signed, "x").await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::NeedsSignIn(_)), "{error:?}");
    assert_eq!(error.to_string(), "sign in with `ampoule auth login far`");
    let started = signed.inner.supervisor.connection().await.map(|_| ());
    assert!(
        matches!(&started, Err(error) if error.kind == StartErrorKind::NeedsSignIn),
        "{started:?}"
    );
    assert_eq!(
        signed.tools().await.unwrap_err().message,
        "sign in with `ampoule auth login far`"
    );
    // Asked as often as one likes: it works as soon as somebody has signed in.
    for _ in 0..5 {
        let message = failure(call(&signed, "x").await.unwrap());
        assert_eq!(message, "sign in with `ampoule auth login far`");
    }
    let expected = "MCP server `far` needs a sign-in, or credentials in its `headers` (HTTP status 401 Unauthorized: who is a-token-0?)";
    for transport in [Transport::Auto, Transport::StreamableHttp, Transport::Sse] {
        let error = call(&upstream(remote().transport(transport)), "x")
            .await
            .unwrap()
            .unwrap_err();
        assert!(matches!(error, CallError::NeedsSignIn(_)), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn an_authorization_server_that_fails_asks_nobody_to_sign_in() {
    let server = guarded().await;
    let tokens = Tokens {
        fails: true,
        ..Tokens::default()
    };
    let remote = RemoteServer::new(&server.url).unwrap();
    let upstream = upstream(remote.authorizer(Arc::new(tokens)));
    let error = call(&upstream, "x").await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::NotReached(_)), "{error:?}");
    assert_eq!(
        error.to_string(),
        "MCP server `far` can't be reached: it is broken"
    );
}

#[tokio::test]
async fn that_a_person_must_sign_in_shows_while_the_server_is_connected() {
    let admits = Arc::new(AtomicBool::new(false));
    let admitted = Arc::clone(&admits);
    let server = serve(move |request| match request.asks() {
        "tools/call" | "tools/list" if !admitted.load(Ordering::Relaxed) => Reply::status(401),
        _ => usual(request),
    })
    .await;
    let upstream = upstream(RemoteServer::new(&server.url).unwrap());
    let error = call(&upstream, "x").await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::NeedsSignIn(_)), "{error:?}");
    upstream.tools().await.unwrap_err();
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NeedsSignIn);
    assert_eq!(status.why, Some(error.to_string()));
    assert_eq!(upstream.trouble(), status.why);

    admits.store(true, Ordering::Relaxed);
    call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(upstream.state(), UpstreamState::Ready);
    assert_eq!(upstream.trouble(), None);
}

#[tokio::test]
async fn the_command_for_headers_is_run_again_where_what_it_printed_is_refused() {
    let server = guarded().await;
    let folder = tempfile::tempdir().unwrap();
    let script = r#"n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >n; echo "{\"Authorization\": \"Bearer a-token-$n\"}""#;
    let command = ServerCommand::new("sh")
        .args(["-c", script])
        .current_dir(folder.path());
    let remote = RemoteServer::new(&server.url)
        .unwrap()
        .headers_command(command);
    let upstream = upstream(remote);
    for _ in 0..3 {
        let result = call(&upstream, "x").await.unwrap().unwrap();
        assert_eq!(text(&result), "done");
    }
    let runs = std::fs::read_to_string(folder.path().join("n")).unwrap();
    assert_eq!(runs.trim(), "2");
}

#[tokio::test]
async fn a_command_for_headers_that_fails_says_why() {
    let server = session(|_| None).await;
    for (script, why) in [
        (
            "echo first >&2; echo no vault for $KEY >&2; exit 3",
            "failed (exit status: 3): no vault for [redacted]",
        ),
        (
            "echo hello",
            "did not print a JSON object of texts, such as {\"Authorization\": \"Bearer …\"}",
        ),
        ("yes", "printed more than 65536 bytes"),
    ] {
        let command = ServerCommand::new("sh")
            .args(["-c", script])
            .env("KEY", "hunter2-hunter2");
        let remote = RemoteServer::new(&server.url)
            .unwrap()
            .headers_command(command);
        let message = failure(call(&upstream(remote), "x").await.unwrap());
        let expected = "MCP server `far` can't be reached: the command for its headers ";
        assert_eq!(message, format!("{expected}{why}"));
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn headers_that_can_not_be_sent_are_named_without_their_values() {
    let server = session(|_| None).await;
    for (name, value, why) in [
        ("X Key", "hunter2", "no header can have the name `X Key`"),
        (
            "X-Key",
            "hunter2\nx",
            "its header `X-Key` has a value that can't be sent",
        ),
    ] {
        let remote = RemoteServer::new(&server.url).unwrap().header(name, value);
        let message = failure(call(&upstream(remote), "x").await.unwrap());
        assert_eq!(message, format!("MCP server `far` can't be reached: {why}"));
    }
}

#[tokio::test]
async fn what_says_who_asks_is_in_no_result_where_the_server_repeats_it() {
    let names = ["authorization", "x-api-key", "x-team"];
    let server = session(move |request| {
        let repeated = names.map(|name| request.header(name).unwrap_or_default().to_owned());
        let result = json!({
            "content": [{ "type": "text", "text": format!("{repeated:?} {REFRESH}") }],
            "structuredContent": { "said": repeated, REFRESH: 1 },
        });
        let escaped = result.to_string().replace('/', "\\/");
        let id = &request.body["id"];
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{escaped}}}");
        (request.asks() == "tools/call").then(|| Reply::new(200, "application/json", body))
    })
    .await;
    let remote = || {
        let remote = RemoteServer::new(&server.url).unwrap();
        remote.header("X-Team", "birch-and-oak")
    };
    let printed = r#"{"X-Api-Key": "key/hunter2"}"#;
    let command = ServerCommand::new("echo").args([printed]);
    for (remote, expected) in [
        (
            remote().authorizer(Arc::new(Tokens::default())),
            ["Bearer [redacted]", "", "birch-and-oak"],
        ),
        (
            remote()
                .header("Authorization", "Basic hunter2/hunter2")
                .headers_command(command),
            ["Basic [redacted]", "[redacted]", "birch-and-oak"],
        ),
    ] {
        let result = call(&upstream(remote), "x").await.unwrap().unwrap();
        let said = result.structured_content.unwrap();
        let said: serde_json::Value = serde_json::from_str(said.get()).unwrap();
        assert_eq!(said["said"], json!(expected));
        let all = format!("{:?} {said}", result.content);
        assert!(
            !all.contains("hunter2") && !all.contains("a-token-0"),
            "{all}"
        );
        // Only who signs in has that.
        assert_eq!(all.contains(REFRESH), !expected[1].is_empty(), "{all}");
    }
}

#[tokio::test]
async fn credentials_stay_at_their_own_origin() {
    let other = session(|_| None).await;
    let target = other.url.clone();
    let server = serve(move |request| match (&*request.path, request.asks()) {
        ("/mcp", "tools/call") => Reply::status(307).header("Location", &target),
        ("/mcp", _) => Reply::status(308).header("Location", "/mcp/"),
        _ => usual(request),
    })
    .await;
    let tokens = Arc::new(Tokens::default());
    let remote = RemoteServer::new(&server.url)
        .unwrap()
        .header("X-Key", "hunter2")
        .authorizer(tokens);
    let upstream = upstream(remote);
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    let own = server.asked("initialize");
    assert_eq!(
        own.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(),
        ["/mcp", "/mcp/"]
    );
    for request in own {
        assert_eq!(request.header("x-key"), Some("hunter2"));
        assert_eq!(request.header("authorization"), Some("Bearer a-token-0"));
    }
    let called = other.asked("tools/call").remove(0);
    for name in ["x-key", "authorization", "mcp-session-id"] {
        assert_eq!(called.header(name), None, "{name}");
    }
    assert_eq!(
        server.asked("tools/call")[0].header("mcp-session-id"),
        Some("s-1")
    );
}

#[tokio::test]
async fn redirects_end() {
    let server = serve(|_| Reply::status(307).header("Location", "/mcp")).await;
    let remote = RemoteServer::new(&server.url).unwrap();
    let message = failure(call(&upstream(remote), "x").await.unwrap());
    assert_eq!(
        message,
        "MCP server `far` can't be reached: it redirects more than 5 times"
    );
    let server = serve(|_| Reply::status(307).header("Location", "file:///etc/passwd")).await;
    let remote = RemoteServer::new(&server.url).unwrap();
    let message = failure(call(&upstream(remote), "x").await.unwrap());
    assert_eq!(
        message,
        "MCP server `far` can't be reached: it redirects to an address that is not https"
    );
}
