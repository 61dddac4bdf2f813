//! HTTP requests by WASI 0.3, all at once. Each is one that `[outbound]` in `ampoule.toml` must
//! allow, and the host adds the credentials: the program never has them.

wit_bindgen::generate!({ path: "wit", world: "program" });

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use wasip3::http::client;
use wasip3::http::types::{ErrorCode, Fields, Method, Request, Response, Scheme};
use wasip3::{wit_future, wit_stream};

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    requests: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    /// Such as `https`.
    scheme: String,
    /// Such as `api.example.com`.
    authority: String,
    path: String,
    /// What is sent with POST, if anything is.
    body: Option<String>,
}

/// A response, or why there is none.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Got {
    Response {
        status: u16,
        kind: String,
        body: String,
    },
    Error(String),
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { requests } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let got = requests.into_iter().map(|wanted| async move {
            match fetched(wanted).await {
                Ok(got) => got,
                Err(code) => Got::Error(format!("{code:?}")),
            }
        });
        let got = join_all(got).await;
        serde_json::to_string(&got).map_err(|error| error.to_string())
    }
}

async fn fetched(wanted: Wanted) -> Result<Got, ErrorCode> {
    let headers = Fields::new();
    let accepted = headers.append("accept", b"application/json, text/plain");
    accepted.map_err(|_| ErrorCode::InternalError(None))?;
    let (mut body, sent) = wit_stream::new();
    let (trailers, no_trailers) = wit_future::new(|| Ok(None));
    let (request, _) = Request::new(headers, Some(sent), no_trailers, None);
    let scheme = match &*wanted.scheme {
        "http" => Scheme::Http,
        _ => Scheme::Https,
    };
    let set = [
        request.set_scheme(Some(&scheme)),
        request.set_authority(Some(&wanted.authority)),
        request.set_path_with_query(Some(&wanted.path)),
        request.set_method(match wanted.body {
            Some(_) => &Method::Post,
            None => &Method::Get,
        }),
    ];
    if set.contains(&Err(())) {
        return Err(ErrorCode::HttpRequestUriInvalid);
    }
    let content = wanted.body.unwrap_or_default().into_bytes();
    let write = async move {
        body.write_all(content).await;
        drop((body, trailers));
    };
    let (response, ()) = futures::join!(client::send(request), write);
    let response = response?;
    let status = response.get_status_code();
    let kind = response.get_headers().get("content-type");
    let kind = kind
        .first()
        .map(|kind| String::from_utf8_lossy(kind).into_owned());
    let (_read, end) = wit_future::new(|| Ok(()));
    let (content, _) = Response::consume_body(response, end);
    let content = content.collect().await;
    Ok(Got::Response {
        status,
        kind: kind.unwrap_or_default(),
        body: String::from_utf8_lossy(&content).into_owned(),
    })
}
