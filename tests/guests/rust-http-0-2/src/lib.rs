//! An HTTP request by WASI 0.2, as programs make it that wait for what they ask: POST of the
//! argument's text to an address, which is printed with the status and the response.

use wasip2::cli::environment::get_arguments;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{Fields, IncomingBody, Method, OutgoingBody, OutgoingRequest, Scheme};
use wasip2::io::streams::StreamError;

struct Program;

wasip2::cli::command::export!(Program);

impl wasip2::exports::cli::run::Guest for Program {
    fn run() -> Result<(), ()> {
        let arguments = get_arguments();
        let authority = arguments[1].trim_matches('"');
        match posted(authority, b"sent by 0.2") {
            Ok(said) => print(&said),
            Err(said) => print(&format!("no response: {said}")),
        }
        Ok(())
    }
}

fn posted(authority: &str, content: &[u8]) -> Result<String, String> {
    let request = OutgoingRequest::new(Fields::new());
    request.set_scheme(Some(&Scheme::Http)).expect("a scheme");
    request
        .set_authority(Some(authority))
        .expect("an authority");
    request
        .set_path_with_query(Some("/v1/posted?by=0.2"))
        .expect("a path");
    request.set_method(&Method::Post).expect("a method");
    let body = request.body().expect("a body");
    let response = handle(request, None).map_err(|code| format!("{code:?}"))?;
    let stream = body.write().expect("a stream");
    stream
        .blocking_write_and_flush(content)
        .map_err(|error| format!("{error:?}"))?;
    drop(stream);
    OutgoingBody::finish(body, None).map_err(|code| format!("{code:?}"))?;
    response.subscribe().block();
    let response = response.get().expect("it is there").expect("once");
    let response = response.map_err(|code| format!("{code:?}"))?;
    let status = response.status();
    let body = response.consume().expect("a body");
    let stream = body.stream().expect("a stream");
    let mut all = Vec::new();
    loop {
        match stream.blocking_read(64 << 10) {
            Ok(bytes) => all.extend(bytes),
            Err(StreamError::Closed) => break,
            Err(error) => return Err(format!("{error:?}")),
        }
    }
    drop(stream);
    IncomingBody::finish(body);
    Ok(format!("{status} {}", String::from_utf8_lossy(&all)))
}

fn print(text: &str) {
    let out = wasip2::cli::stdout::get_stdout();
    out.blocking_write_and_flush(text.as_bytes())
        .expect("it is printed");
}
