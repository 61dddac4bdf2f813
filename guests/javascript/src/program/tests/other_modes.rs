//! Scripts that were written for other code modes: what they call by its name alone.

use super::*;
use crate::host::Level;

/// What was printed, without what was told aside.
fn printed(source: &str) -> Vec<String> {
    returned(source);
    native::with(|host| {
        let logs = host.output.iter().filter(|(level, _)| *level == Level::Log);
        logs.map(|(_, text)| text.clone()).collect()
    })
}

fn aside() -> Vec<String> {
    native::with(|host| {
        let warned = host
            .output
            .iter()
            .filter(|(level, _)| *level == Level::Warn);
        warned.map(|(_, text)| text.clone()).collect()
    })
}

#[test]
fn what_a_script_says_is_printed() {
    for (source, output) in [
        ("text('a b')", vec!["a b"]),
        (
            "text({ a: [1, 'x'], b: undefined }); text(5); text([1])",
            vec!["{\"a\":[1,\"x\"]}", "5", "[1]"],
        ),
        ("json(42); json('a')", vec!["42", "\"a\""]),
        (
            "function f() { text('in a function') } f()",
            vec!["in a function"],
        ),
        ("[1, 2].forEach((n) => text(n))", vec!["1", "2"]),
        ("(text as any)('typed')", vec!["typed"]),
    ] {
        assert_eq!(printed(source), output, "{source}");
        assert!(aside().is_empty());
    }
    assert_eq!(
        printed("notify('counting'); await yield_control(); json(42);"),
        ["42"]
    );
    assert_eq!(aside(), ["counting"]);
    assert_eq!(
        native::with(|host| host.progress.clone()),
        [(None, "counting".to_owned())]
    );
}

#[test]
fn a_name_that_a_script_has_itself_is_its_own() {
    for (source, value) in [
        ("const text = 5; return text", "5"),
        ("function text(x) { return x + 1 } return text(1)", "2"),
        (
            "const { store } = { store: () => 'own' }; return store('k', 1)",
            "\"own\"",
        ),
        ("const f = (json) => json(1); return f((n) => n + 1)", "2"),
        (
            "let exit = () => 'no end'; const x = exit(); return x",
            "\"no end\"",
        ),
        (
            "globalThis.notify = () => 'own'; return notify('x')",
            "\"own\"",
        ),
    ] {
        assert_eq!(returned(source), value, "{source}");
        assert!(native::with(|host| host.output.is_empty()), "{source}");
    }
    // What is only read was to be declared.
    assert_throws(&[
        (
            "return text.length",
            "text is not defined. Print with `console.log(…)`, or call it: `text(value)`.",
        ),
        ("return `${json}`", "json is not defined. Print with"),
        ("return store", "store is not defined. Call it: `store(…)`."),
    ]);
    assert_returns(&[(
        "return [typeof text, typeof ALL_TOOLS]",
        "[\"undefined\",\"object\"]",
    )]);
}

#[test]
fn what_is_stored_is_loaded_as_it_was() {
    assert_returns(&[
        ("store('k', { n: 'kept' }); return load('k').n", "\"kept\""),
        (
            "const x = { list: [1] }; store('k', x); x.list.push(2); const y = load('k'); y.list.push(3); return load('k')",
            "{\"list\":[1]}",
        ),
        (
            "store(1, new Map([['a', new Date(0)]])); return load('1').get('a').getTime()",
            "0",
        ),
        ("return load('nothing') === undefined", "true"),
        (
            "store('k', 1); store('k', undefined); return load('k') === undefined",
            "true",
        ),
        (
            "store('a', 1); store('b', null); return [load('a'), load('b')]",
            "[1,null]",
        ),
    ]);
    assert_throws(&[
        (
            "store('k', () => 1)",
            "store can't keep the value for \"k\": it is, or holds, a function",
        ),
        (
            "store('k', { p: [Promise.resolve(1)] })",
            "store can't keep the value for \"k\"",
        ),
        (
            "store('k', tools.googleDrive.getDocument({}))",
            "store can't keep the promise for \"k\": write `await`",
        ),
        (
            "store('k', { tools })",
            "store can't keep the value for \"k\"",
        ),
        ("store({ a: 1 })", "store takes a key, which is a text"),
        ("load()", "load takes a key, which is a text"),
    ]);
}

#[test]
fn exit_is_the_end() {
    let calls = "tools.googleDrive.getDocument({ documentId: 1 })";
    for source in [
        "text('so far'); exit(); text('no')".to_owned(),
        format!("text('so far'); exit(); await {calls}; text('no')"),
        "function f() { text('so far'); exit() } f(); text('no')".to_owned(),
        format!("async function f() {{ text('so far'); exit(); await {calls} }} await f(); text('no')"),
        "try { text('so far'); exit() } catch { text('no') } finally { text('no') }".to_owned(),
        "try { await (async () => { text('so far'); await 1; exit() })() } catch { text('no') } finally { text('no') } text('no')".to_owned(),
        "text('so far'); [1, 2].forEach(() => exit()); text('no')".to_owned(),
        "text('so far'); [2, 1].sort(() => exit()); text('no')".to_owned(),
        "text('so far'); await Promise.resolve().then(() => exit()).catch(() => text('no')); text('no')".to_owned(),
        "text('so far'); await new Promise(() => exit()); text('no')".to_owned(),
        "text('so far'); new Promise(() => exit()); text('no'); console.log('no')".to_owned(),
        "text('so far'); new Promise(() => exit()).catch(() => text('no')); while (true) await 1".to_owned(),
        "text('so far'); setTimeout(() => exit(), 5); await new Promise(() => {})".to_owned(),
        "text('so far'); setTimeout(() => text('no'), 5); setTimeout(() => text('no'), 1); exit()".to_owned(),
        "function* g() { try { yield 1 } finally { text('no') } } text('so far'); for (const x of g()) exit(); text('no')".to_owned(),
        "function* g() { try { yield 1 } finally { text('no') } } text('so far'); Array.from(g(), () => exit()); text('no')".to_owned(),
        "async function* g() { try { yield 1; yield 2 } finally { text('no') } } text('so far'); for await (const x of g()) exit(); text('no')".to_owned(),
        "text('so far'); const x = { get y() { exit() } }; JSON.stringify(x); text('no')".to_owned(),
        "class A { constructor() { exit() } } text('so far'); new A(); text('no')".to_owned(),
        "text('so far'); queueMicrotask(() => text('no')); exit()".to_owned(),
        "text('so far'); `${{ toString() { exit() } }}`; text('no')".to_owned(),
        "import { fail } from './servers/google-drive'; text('so far'); exit(); await fail({})".to_owned(),
    ] {
        assert_eq!(printed(&source), ["so far"], "{source}");
        assert!(native::with(|host| host.started.is_empty()), "{source}");
    }
    assert_eq!(returned("exit(); return 5"), "none");
    assert_eq!(returned("return exit()"), "none");
}

#[test]
fn calls_that_are_under_way_at_the_exit_are_given_up() {
    for source in [
        "const a = tools.googleDrive.never({}); text('so far'); await 1; exit(); await a",
        "const a = tools.googleDrive.never({}).finally(() => text('no')); text('so far'); exit()",
        "text('so far'); await Promise.all([tools.googleDrive.never({}), tools.googleDrive.slowSearch({}).then(() => exit())]); text('no')",
        "text('so far'); try { await Promise.race([tools.googleDrive.never({}), (async () => { await 1; exit() })()]) } finally { text('no') }",
    ] {
        assert_eq!(printed(source), ["so far"], "{source}");
    }
}

#[test]
fn tools_are_called_by_the_names_of_other_surfaces() {
    let document = "{\"documentId\":1}";
    for source in [
        "return external_get_document({ documentId: 1 })",
        "return external_getDocument({ documentId: 1 })",
        "return [1].map((n) => external_get_document({ documentId: n }))[0]",
        "return tools.get_document({ documentId: 1 })",
        "return tools.call('get_document', { documentId: 1 })",
        "return tools.call('google-drive.get_document', { documentId: 1 })",
        "const found = await tools.search('get_document'); return await tools.call(found[0].id ?? found[0].name, { documentId: 1 })",
        "const [found] = tools.search('get_document'); return tools.call(found, { documentId: 1 })",
        "const { name } = ALL_TOOLS.find((t) => t.name.includes('document')); return tools[name]({ documentId: 1 })",
    ] {
        assert_eq!(returned(source), document, "{source}");
    }
    assert_returns(&[
        (
            "return ALL_TOOLS.map((t) => t.name)",
            "[\"get_document\",\"slow-search\",\"fail\",\"build\",\"never\",\"odd____proto__\",\"then\",\"constructor\",\"toString\",\"fetch__fetch\"]",
        ),
        (
            "return ALL_TOOLS[0]",
            "{\"name\":\"get_document\",\"description\":\"What get_document does.\"}",
        ),
        (
            "return [JSON.stringify(tools.search('document')[0]), tools.search('document')[0].id]",
            "[\"{\\\"server\\\":\\\"google-drive\\\",\\\"name\\\":\\\"get_document\\\",\\\"identifier\\\":\\\"getDocument\\\",\\\"description\\\":\\\"What get_document does.\\\"}\",\"google-drive.get_document\"]",
        ),
    ]);
    assert_throws(&[
        (
            "external_get_documents({})",
            "external_get_documents is not defined: no tool \"get_documents\"",
        ),
        ("await tools.call('nothing', {})", "no tool \"nothing\""),
    ]);
}

#[test]
fn what_may_be_two_things_is_an_error_that_names_both() {
    let with = |name: &str, tool: &'static str, source: &str| {
        native::with(|host| {
            *host = host_with_tools();
            let echo = |arguments: &str| Ok(arguments.to_owned());
            host.servers
                .push((name.to_owned(), vec![Tool::new(tool, echo)]));
        });
        run(
            &mut Realm::new().expect("the prelude runs"),
            program(source),
        )
    };
    let told = |name: &str, tool: &'static str, source: &str| {
        let ended = with(name, tool, source);
        ended.expect_err(source).message
    };
    // A server of the name is that server.
    for name in ["search", "call", "text", "store"] {
        let source = format!("return tools.{name}.web({{ q: 1 }})");
        assert_eq!(with(name, "web", &source).unwrap().unwrap(), "{\"q\":1}");
        let source = format!("return {name}.web({{ q: 1 }})");
        assert_eq!(with(name, "web", &source).unwrap().unwrap(), "{\"q\":1}");
    }
    // A tool of the name is meant by named arguments alone.
    let found = with("docs", "search", "return tools.search({ query: 'x' })");
    assert_eq!(found.unwrap().unwrap(), "{\"query\":\"x\"}");
    assert_eq!(
        told("docs", "search", "return tools.search('x')"),
        "`tools.search` may mean either: it is the tool `docs.search`, written `tools.docs.search({ … })`; \
         or it is the search for tools, written `tools.$search(\"words\")`"
    );
    let called = told("docs", "call", "await tools.call('get_document', {})");
    assert!(
        called.contains("docs.call") && called.contains("callTool("),
        "{called}"
    );
    let notified = told("slack", "notify", "notify({ text: 'x' })");
    assert!(
        notified.contains("the tool `slack.notify`, written `tools.slack.notify({ … })`"),
        "{notified}"
    );
    assert!(with("slack", "notify", "notify('x')").is_ok());
}

#[test]
fn what_a_script_shows_is_its_result() {
    let png = "iVBORw0KGgoAAAA=";
    let block = |data: &str| {
        format!("{{\"type\":\"image\",\"data\":\"{data}\",\"mimeType\":\"image/png\"}}")
    };
    for source in [
        format!("image('{png}');"),
        format!("image('data:image/png;base64,{png}'); text('below')"),
        format!("image({{ image_url: 'data:image/png;base64,{png}' }}); const x = 1;"),
        format!("image({{ type: 'image', data: '{png}', mimeType: 'image/png' }}); exit();"),
        format!("for (const one of ['{png}']) image(one);"),
        format!("return image('{png}')"),
    ] {
        assert_eq!(returned(&source), block(png), "{source}");
    }
    let two = format!("[{0},{0}]", block(png));
    assert_eq!(returned(&format!("image('{png}'); image('{png}')")), two);
    assert_eq!(
        returned(&format!(
            "image('{png}'); const x = image('{png}'); const y = 1"
        )),
        two
    );
    // What is used is no result.
    assert_eq!(
        returned(&format!("const x = image('{png}'); const y = 1")),
        "none"
    );
    assert_eq!(returned(&format!("image('{png}'); return 5")), "5");
    assert_throws(&[(
        "image('https://example.com/x.png')",
        "image takes bytes, or their base64, and a MIME type; an address is not fetched",
    )]);
}
