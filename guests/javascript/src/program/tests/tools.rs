//! Tools as scripts use and misuse them.

use super::*;

/// The calls that a program started: tools and arguments.
fn calls(source: &str) -> Vec<(String, String)> {
    let ended = run_program(program(source));
    assert!(ended.is_ok(), "{source}\n{ended:?}");
    native::with(|host| std::mem::take(&mut host.started))
}

fn host_with(server: &str, tools: Vec<Tool>) {
    native::with(|host| {
        *host = Host::default();
        host.servers = vec![(server.to_owned(), tools)];
    });
}

fn echo(name: &str) -> Tool {
    Tool::new(name, |arguments| Ok(arguments.to_owned()))
}

#[test]
fn a_signal_that_is_none_starts_nothing() {
    for (signal, told) in [
        (
            "new AbortController()",
            "must be an AbortSignal; did you mean controller.signal?",
        ),
        ("{ aborted: false }", "must be an AbortSignal"),
        ("5", "must be an AbortSignal"),
    ] {
        let source = format!("await tools.googleDrive.getDocument({{}}, {{ signal: {signal} }})");
        let thrown = thrown(&source);
        assert_eq!(thrown.name, "TypeError");
        assert!(thrown.message.ends_with(told), "{thrown:?}");
        assert!(native::with(|host| host.started.is_empty()), "{signal}");
    }
}

#[test]
fn values_are_given_to_the_person() {
    let emitted = |source: &str| {
        let ended = run_program(program(source));
        let emitted = native::with(|host| std::mem::take(&mut host.emitted));
        (ended.map_err(|thrown| thrown.message), emitted)
    };
    let (ended, given) = emitted("emit('a', { b: [1n] }); emit(null); return 5");
    assert_eq!(ended, Ok(Some("5".to_owned())));
    assert_eq!(given, ["\"a\"", "{\"b\":[\"1\"]}", "null"]);
    // A picture that the person gets is no result besides.
    let (ended, given) = emitted("image('iVBORw0KGgoAAAA='); emit(image('iVBORw0KGgoBBBB='))");
    assert!(ended.unwrap().is_some_and(|shown| !shown.contains("BBBB")));
    assert_eq!(given.len(), 1);
    let (ended, given) = emitted("for (let n = 0; n < 3; n++) emit(n); emit(3)");
    assert_eq!(ended, Err("too many values".to_owned()));
    assert_eq!(given.len(), 3);
    for (wrong, told) in [
        ("emit()", "emit takes what the person is to see"),
        ("emit(Promise.resolve(1))", "write `await`"),
    ] {
        let thrown = thrown(wrong);
        assert!(thrown.message.contains(told), "{thrown:?}");
    }
}

#[test]
fn a_script_gets_a_whole_answer() {
    for call in [
        "tools.googleDrive.getDocument",
        "'google-drive.get_document'",
        "codemode.get_document",
    ] {
        let source = format!("return (await whole({call}, {{ n: 1 }})).structuredContent.n");
        assert_eq!(returned(&source), "1", "{call}");
    }
    assert_eq!(
        returned("return (await whole(tools.googleDrive.getDocument)).content"),
        "[]"
    );
    for wrong in [
        "whole()",
        "whole(tools.googleDrive.getDocument({}))",
        "whole(tools.googleDrive.getDocument, 5)",
    ] {
        let thrown = thrown(&format!("await {wrong}"));
        assert!(thrown.message.contains("whole takes a tool"), "{thrown:?}");
    }
}

#[test]
fn progress_is_told() {
    let source = "progress(0.5, 'half'); progress('at it'); progress(1); progress(0, '\\ud800')";
    assert!(run_program(program(source)).is_ok());
    let told = native::with(|host| std::mem::take(&mut host.progress));
    let told: Vec<_> = told.iter().map(|(at, text)| (*at, &**text)).collect();
    let expected = [
        (Some(0.5), "half"),
        (None, "at it"),
        (Some(1.0), ""),
        (Some(0.0), "\u{fffd}"),
    ];
    assert_eq!(told, expected);
    for wrong in ["50", "-0.1", "[]", "NaN", "null"] {
        let thrown = thrown(&format!("progress({wrong})"));
        assert!(
            thrown.message.contains("a fraction from 0 to 1"),
            "{thrown:?}"
        );
    }
}

#[test]
fn nothing_that_a_script_replaces_is_needed() {
    host_with("demo", vec![echo("echo")]);
    let source = include_str!("replaced.js");
    let mut realm = Realm::new().expect("the prelude runs");
    assert_eq!(
        run(&mut realm, program(source)).map_err(|thrown| format!("{thrown:?}")),
        Ok(Some(
            r#"[{"a":{"a":1}},{"b":1},1,"wrong: TypeError","unknown: ReferenceError","missing: Error",["echo"],[{"a":1},[1],[2],3,"s",["[Promise]"]]]"#
                .to_owned()
        ))
    );
    assert_returns(&[
        (
            "globalThis.Promise = undefined; return [1].map(async (n) => n)",
            "[1]",
        ),
        (
            "import * as drive from './servers/google-drive'; Function.prototype.bind = null; globalThis.Promise = 1; return drive.getDocument()",
            "{}",
        ),
    ]);
}

#[test]
fn what_has_a_tool_then_can_be_awaited() {
    assert_returns(&[
        (
            "const odd = await import('./servers/odd'); return [await odd.default.constructor({}), Object.keys(odd).includes('then')]",
            "[\"constructor\",false]",
        ),
        (
            "const { default: then } = await import('./servers/odd/then'); return then({})",
            "\"then\"",
        ),
        (
            "const c = await codemode; return [await c.getDocument({}), await codemode.then({}), codemode.then === codemode.then]",
            "[{},\"then\",true]",
        ),
    ]);
}

#[test]
fn wrappers_are_objects_like_others() {
    let wrapper =
        "import { DriveTools } from '~/.mcp/wrappers/google-drive'; const s = new DriveTools();";
    let cases = [
        ("s.foo = 1; return [s.foo, Object.keys(s)]", "[1,[\"foo\"]]"),
        (
            "class My extends DriveTools { #n = 2; field = 1; mine() { return this.getDocument(this.#n) } get two() { return this.#n } } const m = new My(); return [await m.mine(), m.two, m.field, m instanceof My, m instanceof DriveTools, await m.getDocument(5)]",
            "[{\"documentId\":2},2,1,true,true,{\"documentId\":5}]",
        ),
        (
            "class My extends DriveTools { getDocument(id) { return super.getDocument(id, 'all') } toString() { return 'mine' } } const m = new My(); return [await m.getDocument(5), `${m}`]",
            "[{\"documentId\":5,\"fields\":\"all\"},\"mine\"]",
        ),
        (
            "return ['getDocument' in s, 'toString' in s, 'nope' in s, s.constructor === DriveTools, (await s) === s]",
            "[true,true,false,true,true]",
        ),
        ("console.log(s); return s", "{}"),
        (
            "try { s.nope } catch (e) { return e.message }",
            "\"no tool \\\"nope\\\" in \\\"google-drive\\\"\"",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(
            returned(&format!("{wrapper} {source}")),
            expected,
            "{source}"
        );
    }
    assert_eq!(
        returned(
            "import { MCPClient } from '../client.js'; const c = new MCPClient(); await c.connect(); const r = await c.callTool('google-drive__get_document', { a: 1 }); await c.disconnect(); await c.close(); return r"
        ),
        "{\"a\":1}"
    );
}

#[test]
fn wrappers_take_arguments_by_name_or_in_order() {
    let wrapper =
        "import { DriveTools } from '~/.mcp/wrappers/google-drive'; const s = new DriveTools();";
    for (arguments, sent) in [
        ("", "{}"),
        ("undefined", "{}"),
        ("{}", "{}"),
        (
            "{ documentId: 1, other: 2 }",
            "{\"documentId\":1,\"other\":2}",
        ),
        ("{ document_ID: 1 }", "{\"document_ID\":1}"),
        ("{ a: 1 }", "{\"documentId\":{\"a\":1}}"),
        ("{ a: 1 }, 3", "{\"documentId\":{\"a\":1},\"fields\":3}"),
        (
            "{ documentId: 1 }, 3",
            "{\"documentId\":{\"documentId\":1},\"fields\":3}",
        ),
        ("[1]", "{\"documentId\":[1]}"),
        (
            "new Date(0)",
            "{\"documentId\":\"1970-01-01T00:00:00.000Z\"}",
        ),
        ("1, undefined", "{\"documentId\":1}"),
        ("undefined, 2", "{\"fields\":2}"),
        (
            "1, { signal: AbortSignal.timeout(9) }",
            "{\"documentId\":1}",
        ),
        (
            "{ documentId: 1 }, { signal: AbortSignal.timeout(9) }",
            "{\"documentId\":1}",
        ),
    ] {
        assert_eq!(
            returned(&format!("{wrapper} return s.getDocument({arguments})")),
            sent,
            "{arguments}"
        );
    }
    let anything = "import { FetchTools } from '~/.mcp/wrappers/fetch'; return new FetchTools().fetch({ a: 1 })";
    assert_eq!(returned(anything), "{\"a\":1}");
    let surplus = thrown(&format!("{wrapper}\nawait s.getDocument(1, 2, 3)"));
    assert_eq!(surplus.name, "TypeError");
    assert!(
        surplus.message.contains("(documentId, fields)"),
        "{surplus:?}"
    );
    assert!(surplus.message.ends_with("it was given 3"), "{surplus:?}");
    assert!(native::with(|host| host.started.is_empty()));
}

#[test]
fn unknown_names_throw_at_once_from_call_mcp_tool() {
    assert_eq!(
        returned("try { callMCPTool('nope__x', {}) } catch (e) { return e.name }"),
        "\"ReferenceError\""
    );
}

#[test]
fn arguments_keep_what_results_keep() {
    for (argument, sent) in [
        ("new Map([['a', 1]])", "{\"a\":1}"),
        ("new Map([[1, 2]])", "[[1,2]]"),
        ("new Set([1, { b: new Set(['c']) }])", "[1,{\"b\":[\"c\"]}]"),
        ("new Uint8Array([1, 2])", "[1,2]"),
        ("new Uint8Array([1, 2]).buffer", "[1,2]"),
        ("new ArrayBuffer(8).transfer(0)", "[]"),
        (
            "[undefined, () => {}, Symbol('s'), NaN, Infinity]",
            "[null,null,null,null,null]",
        ),
        (
            "{ f() {}, s: Symbol('s'), u: undefined, n: -0 }",
            "{\"n\":0}",
        ),
        ("new String('s')", "\"s\""),
        ("[1n, -12345678901234567890n]", "[1,-12345678901234567890]"),
        ("'\\ud83d\\ude00'", "\"😀\""),
    ] {
        let sent = format!("{{\"v\":{sent}}}");
        assert_eq!(
            calls(&format!(
                "await tools.googleDrive.getDocument({{ v: {argument} }})"
            )),
            [("get_document".to_owned(), sent)],
            "{argument}"
        );
    }
    for (arguments, told) in [
        (
            "{ v: [tools.odd.constructor()] }",
            "they hold the call of odd.constructor in line 1, which was not awaited: write `await tools.odd.constructor(…)`",
        ),
        ("new Set()", "they are not an object then"),
    ] {
        let thrown = thrown(&format!("await tools.googleDrive.getDocument({arguments})"));
        assert_eq!(
            (thrown.name.as_str(), thrown.location.map(|at| at.line)),
            ("TypeError", Some(1))
        );
        assert_eq!(
            thrown.message,
            format!("The arguments of get_document can't be written as JSON: {told}")
        );
    }
}

#[test]
fn searching_and_describing_take_what_is_at_hand() {
    let described = "\"declare function getDocument(args: {}): unknown;\"";
    assert_returns(&[
        ("return tools.$search('e', 'fetch').length", "1"),
        ("return tools.$search('e', tools.fetch).length", "1"),
        (
            "return tools.$search('e', { server: tools.fetch }).length",
            "1",
        ),
        ("return tools.$search('e', 2).length", "2"),
        ("return tools.$search().length", "10"),
        (
            "return [[{ query: 'e' }], ['e', true]].map((given) => { try { return tools.$search(...given) } catch (e) { return e.message } })",
            "[\"$search takes a query, and after it { limit, server }\",\"$search takes a query, and after it { limit, server }\"]",
        ),
        (
            "return [-1, 0, NaN, '3'].map((limit) => { try { return tools.$search('e', { limit }) } catch (e) { return e.name } })",
            "[\"TypeError\",\"TypeError\",\"TypeError\",\"TypeError\"]",
        ),
        (
            "return tools.$describe(tools.googleDrive.getDocument)",
            described,
        ),
        (
            "return tools.$describe(tools.$search('document')[0])",
            described,
        ),
        (
            "return tools.$describe('googleDrive') === tools.$describe(tools.googleDrive) && tools.$describe('odd').split('\\n\\n').length",
            "4",
        ),
        (
            "return [() => 1, 5, {}].map((of) => { try { return tools.$describe(of) } catch (e) { return e.message } })",
            "[\"$describe takes a tool or a server, or the name of one\",\"$describe takes a tool or a server, or the name of one\",\"$describe takes a tool or a server, or the name of one\"]",
        ),
        (
            "try { tools.$describe('nope') } catch (e) { return [e.name, e.message] }",
            "[\"ReferenceError\",\"no tool \\\"nope\\\"\"]",
        ),
    ]);
}

#[test]
fn what_a_script_pollutes_does_not_reach_the_tools() {
    let pollution = "Object.prototype.get = () => 'x'; Object.prototype.signal = 1; Object.prototype.value = 2; Array.prototype.push = null; \
        Map.prototype.get = null; Promise.prototype.then = null; JSON.stringify = null; String.prototype.split = null; Object.prototype.toJSON = undefined;";
    let source = format!(
        "{pollution} let r; await (async () => {{ r = await tools.googleDrive.getDocument({{ a: 1 }}) }})(); return [r, Object.keys(tools.odd)]"
    );
    // A polluted `signal` is what the script asked for.
    let source = source.replace("Object.prototype.signal = 1; ", "");
    assert_eq!(
        returned(&source),
        "[{\"a\":1},[\"__proto__\",\"then\",\"constructor\",\"toString\"]]"
    );
}
