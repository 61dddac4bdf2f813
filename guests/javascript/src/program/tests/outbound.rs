//! `fetch`, where requests are granted, and where they are not.

use super::*;

/// Runs a script with a host that answers each request so.
fn fetching(
    source: &str,
    answer: impl Fn(&str) -> std::result::Result<String, Failure> + 'static,
) -> (Outcome, Vec<(String, String)>) {
    native::with(|host| {
        *host = Host::default();
        let tool = Tool::new("$fetch", answer);
        host.servers = vec![("outbound".to_owned(), vec![tool])];
    });
    let outcome = run(
        &mut Realm::new().expect("the prelude runs"),
        program(source),
    );
    (
        outcome,
        native::with(|host| std::mem::take(&mut host.started)),
    )
}

const ANSWER: &str = r#"{"status":201,"statusText":"Created","headers":[["content-type","application/json"],["x-two","1"],["x-two","2"],["set-cookie","a=1"],["set-cookie","b=2"]],"body":"{\"n\":[1,2]}","url":"https://x.io/end","redirected":true}"#;

#[test]
fn a_response_is_read_as_anywhere() {
    for (source, expected) in [
        ("return await r.json()", r#"{"n":[1,2]}"#),
        ("return await r.text()", r#""{\"n\":[1,2]}""#),
        (
            "return [r.ok, r.status, r.statusText, r.url, r.redirected, r.type, r.bodyUsed]",
            r#"[true,201,"Created","https://x.io/end",true,"basic",false]"#,
        ),
        (
            "return [r.headers.get('Content-Type'), r.headers.get('X-TWO'), r.headers.get('y'), r.headers.has('x-two')]",
            r#"["application/json","1, 2",null,true]"#,
        ),
        (
            "return [...r.headers]",
            r#"[["content-type","application/json"],["set-cookie","a=1"],["set-cookie","b=2"],["x-two","1, 2"]]"#,
        ),
        ("return r.headers.getSetCookie()", r#"["a=1","b=2"]"#),
        (
            "return Object.fromEntries(r.headers.entries())['x-two']",
            r#""1, 2""#,
        ),
        (
            "const b = await r.bytes(); return [b instanceof Uint8Array, b.length]",
            "[true,11]",
        ),
        ("return (await r.arrayBuffer()).byteLength", "11"),
        (
            "const c = r.clone(); await r.text(); return [(await c.json()).n.length, r.bodyUsed, c.bodyUsed]",
            "[2,true,true]",
        ),
        (
            "let text = ''; const d = new TextDecoder(); for await (const piece of r.body) text += d.decode(piece); return text.length",
            "11",
        ),
        (
            "const reader = r.body.getReader(); const a = await reader.read(); const b = await reader.read(); return [a.value.length, a.done, b.done]",
            "[11,false,true]",
        ),
        (
            "return await r.text().then(() => r.json()).catch((e) => [e.name, e.message.slice(0, 26)])",
            r#"["TypeError","The body was read already;"]"#,
        ),
        (
            "return await r.blob().catch((e) => e.message)",
            r#""blob() is not available here: use await response.bytes()""#,
        ),
        (
            "return r instanceof Response && `${r}`",
            r#""[object Response]""#,
        ),
    ] {
        let source = format!("const r = await fetch('https://x.io/a');\n{source}");
        let (outcome, _) = fetching(&source, |_| Ok(ANSWER.to_owned()));
        assert_eq!(outcome.unwrap().unwrap(), expected, "{source}");
    }
}

#[test]
fn bytes_and_texts_come_as_they_were() {
    let answer = |body: &str| {
        format!(
            r#"{{"status":200,"statusText":"","headers":[],{body},"url":"","redirected":false}}"#
        )
    };
    for (body, source, expected) in [
        (r#""base64":"/wBB""#, "[...await r.bytes()]", "[255,0,65]"),
        (r#""base64":"/wBB""#, "(await r.text()).length", "3"),
        (r#""body":"\ufeffgrüße""#, "await r.text()", "\"grüße\""),
        (r#""body":"grüße""#, "(await r.bytes()).length", "7"),
        (r#""body":"""#, "await r.text()", "\"\""),
    ] {
        let answer = answer(body);
        let source = format!("const r = await fetch('https://x.io'); return {source}");
        let (outcome, _) = fetching(&source, move |_| Ok(answer.clone()));
        assert_eq!(outcome.unwrap().unwrap(), expected, "{source}");
    }
    // What is no JSON says what it is.
    let html = answer(r#""body":"<!doctype html>""#);
    let (outcome, _) = fetching("return (await fetch('https://x.io')).json()", move |_| {
        Ok(html.clone())
    });
    let thrown = outcome.unwrap_err();
    assert_eq!(thrown.name, "SyntaxError");
    assert!(
        thrown.message.contains("is not JSON") && thrown.message.contains("<!doctype html>"),
        "{thrown:?}"
    );
}

#[test]
fn a_request_says_what_the_script_says() {
    for (source, expected) in [
        ("fetch('https://x.io')", r#"{"url":"https://x.io"}"#),
        (
            "fetch(new URL('/a', 'https://x.io'))",
            r#"{"url":"https://x.io/a"}"#,
        ),
        (
            "fetch('https://x.io', { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: '*/*' }, body: JSON.stringify({ a: 1 }) })",
            r#"{"url":"https://x.io","body":"{\"a\":1}","headers":[["content-type","application/json"],["accept","*/*"]],"method":"POST"}"#,
        ),
        (
            "fetch('https://x.io', { method: 'put', body: 'text', redirect: 'manual', cache: 'no-store' })",
            r#"{"url":"https://x.io","body":"text","headers":[["content-type","text/plain;charset=UTF-8"]],"method":"put","redirect":"manual"}"#,
        ),
        (
            "fetch('https://x.io', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })",
            r#"{"url":"https://x.io","body":"a=b+c","headers":[["content-type","application/x-www-form-urlencoded;charset=UTF-8"]],"method":"POST"}"#,
        ),
        (
            "fetch('https://x.io', { method: 'POST', body: new Uint8Array([255, 0, 65]).subarray(1) })",
            r#"{"url":"https://x.io","base64":"AEE=","method":"POST"}"#,
        ),
        (
            "fetch('https://x.io', { headers: new Headers([['a', '1'], ['A', ' 2 ']]) })",
            r#"{"url":"https://x.io","headers":[["a","1"],["a","2"]]}"#,
        ),
    ] {
        let (outcome, started) = fetching(&format!("await {source}"), |_| Ok(ANSWER.to_owned()));
        assert!(outcome.is_ok(), "{source}: {outcome:?}");
        assert_eq!(started[0].1, expected, "{source}");
    }
}

#[test]
fn what_can_not_be_sent_is_not() {
    for (init, name, told) in [
        (
            "{ method: 'POST', body: { a: 1 } }",
            "TypeError",
            "write JSON.stringify(object)",
        ),
        (
            "{ headers: { 'a b': '1' } }",
            "TypeError",
            "is not the name of a header",
        ),
        (
            "{ headers: { a: 'b\\r\\nHost: y' } }",
            "TypeError",
            "no line breaks",
        ),
        ("{ headers: { a: '日' } }", "TypeError", "beyond Latin-1"),
        ("{ headers: [['a']] }", "TypeError", "must be a pair"),
        ("{ signal: {} }", "TypeError", "must be an AbortSignal"),
        ("{ signal: AbortSignal.abort() }", "AbortError", "aborted"),
    ] {
        let source = format!("await fetch('https://x.io', {init})");
        let (outcome, started) = fetching(&source, |_| Ok(ANSWER.to_owned()));
        let thrown = outcome.unwrap_err();
        assert_eq!(thrown.name, name, "{source}");
        assert!(thrown.message.contains(told), "{source}: {thrown:?}");
        assert!(started.is_empty(), "{source}");
    }
}

#[test]
fn what_the_host_refuses_is_a_failed_fetch() {
    let refuse = |_: &str| {
        Err(Failure {
            kind: FailureKind::Denied,
            message: "GET https://x.io/ is not allowed".to_owned(),
            content: "[]".to_owned(),
            data: None,
        })
    };
    let (outcome, _) = fetching("\nconst a = 1\nawait fetch('https://x.io')", refuse);
    let thrown = outcome.unwrap_err();
    assert_eq!(thrown.name, "TypeError");
    assert_eq!(
        thrown.message,
        "fetch failed: GET https://x.io/ is not allowed"
    );
    assert_eq!(thrown.location.unwrap().line, 3);
    let caught = "try { await fetch('https://x.io') } catch (e) { return [e instanceof TypeError, e.cause instanceof ToolError, e.cause.server] }";
    let (outcome, _) = fetching(caught, refuse);
    assert_eq!(outcome.unwrap().unwrap(), r#"[true,true,"outbound"]"#);
}

#[test]
fn a_request_can_be_given_up_on() {
    native::with(|host| {
        *host = Host::default();
        let never = Tool::new("$fetch", |_| Ok(ANSWER.to_owned())).after(u64::MAX / 2);
        host.servers = vec![("outbound".to_owned(), vec![never])];
    });
    let source = "try { await fetch('https://x.io', { signal: AbortSignal.timeout(10) }) } catch (e) { return e.name }";
    let outcome = run(
        &mut Realm::new().expect("the prelude runs"),
        program(source),
    );
    assert_eq!(outcome.unwrap().unwrap(), "\"TimeoutError\"");
}

#[test]
fn without_a_grant_fetch_says_what_to_use() {
    native::with(|host| *host = Host::default());
    let thrown = run(
        &mut Realm::new().expect("the prelude runs"),
        program("\n  fetch('https://x.io')"),
    )
    .unwrap_err();
    assert!(
        thrown
            .message
            .starts_with("fetch is not available here: there is no network. Call one of"),
        "{thrown:?}"
    );
    // Somebody's own tool of such a name is none.
    native::with(|host| {
        *host = Host::default();
        let tools = vec![Tool::new("fetch", |arguments| Ok(arguments.to_owned()))];
        host.servers = vec![("outbound".to_owned(), tools)];
    });
    let outcome = run(
        &mut Realm::new().expect("the prelude runs"),
        program("fetch('https://x.io')"),
    );
    assert!(
        outcome
            .unwrap_err()
            .message
            .starts_with("fetch is not available here")
    );
}

#[test]
fn responses_are_made_by_hand_too() {
    assert_returns(&[
        (
            "const r = new Response('a', { status: 404, headers: { b: 'c' } }); return [r.ok, r.status, r.headers.get('b'), await r.text()]",
            r#"[false,404,"c","a"]"#,
        ),
        (
            "const r = Response.json({ a: 1 }); return [r.headers.get('content-type'), await r.json()]",
            r#"["application/json",{"a":1}]"#,
        ),
        (
            "const h = new Headers({ A: '1' }); h.append('a', '2'); h.set('b', 3); h.delete('A'); return [...h.keys()]",
            r#"["b"]"#,
        ),
        (
            "const seen = []; new Headers({ b: '1', a: '2' }).forEach((value, name) => seen.push(name + value)); return seen",
            r#"["a2","b1"]"#,
        ),
    ]);
}

#[test]
fn a_server_of_that_name_is_elsewhere_where_requests_are_granted() {
    native::with(|host| {
        *host = Host::default();
        host.servers = ["outbound", "fetch"]
            .map(|server| {
                let name = if server == "fetch" { "fetch" } else { "$fetch" };
                (
                    server.to_owned(),
                    vec![Tool::new(name, |_| Ok(ANSWER.to_owned()))],
                )
            })
            .into();
    });
    let source = "const r = await fetch('https://x.io'); return [r.status, (await tools.fetch.fetch({ url: 'x' })).status]";
    let outcome = run(
        &mut Realm::new().expect("the prelude runs"),
        program(source),
    );
    assert_eq!(outcome.unwrap().unwrap(), "[201,201]");
}
