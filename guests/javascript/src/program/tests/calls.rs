//! Calls of tools: the ways to write them, and how they end.

use super::*;

#[test]
fn tools_are_called_in_every_way() {
    let document = "{\"documentId\":1}";
    let ways = [
        "return tools['google-drive'].get_document({ documentId: 1 })",
        "return tools.googleDrive.getDocument({ documentId: 1 })",
        "return googleDrive.get_document({ documentId: 1 })",
        "return await codemode.getDocument({ documentId: 1 })",
        "return callMCPTool('google-drive__get_document', { documentId: 1 })",
        "return callMCPTool<{ x: 1 }>('mcp__google-drive__get_document', { documentId: 1 })",
        "import * as drive from './servers/google-drive'; return drive.getDocument({ documentId: 1 })",
        "import { getDocument } from 'servers/google-drive/index.ts'; return getDocument({ documentId: 1 })",
        "import { get_document as get, type X } from '../servers/google-drive/index.js'; return get({ documentId: 1 })",
        "import getDocument from './servers/google-drive/getDocument'; return getDocument({ documentId: 1 })",
        "import { getDocument } from './servers/google-drive/getDocument.ts'; return getDocument({ documentId: 1 })",
        "import { GoogleDriveTools } from '~/.mcp/wrappers/google-drive'; const t = new GoogleDriveTools({}); return t.getDocument({ documentId: 1 })",
        "import { GoogleDriveTools } from '~/.mcp/wrappers/google-drive'; const t = new GoogleDriveTools(null); return t.getDocument(1)",
        "import { callMCPTool } from '../../../client.js'; return callMCPTool('google-drive__get_document', { documentId: 1 })",
        "const { getDocument } = await import('./servers/google-drive'); return getDocument({ documentId: 1 })",
        "const { googleDrive: { getDocument } } = tools; return getDocument({ documentId: 1 })",
        "function f(googleDrive) { return googleDrive } f(1); return googleDrive.getDocument({ documentId: 1 })",
        "return (await tools.googleDrive).getDocument({ documentId: 1 })",
    ];
    for way in ways {
        assert_eq!(returned(way), document, "{way}");
        assert_eq!(
            native::with(|host| host.started.clone()),
            [("get_document".to_owned(), document.to_owned())],
            "{way}"
        );
    }
}

#[test]
fn tools_of_any_name_are_reached() {
    assert_returns(&[
        (
            "const s = tools.odd; return [await s['__proto__']({}), await s.constructor({}), await s.toString({}), await s['then']({})]",
            "[\"__proto__\",\"constructor\",\"toString\",\"then\"]",
        ),
        (
            "const s = await tools.odd; return s.constructor()",
            "\"constructor\"",
        ),
        (
            "async function f() { return tools.odd } return (await f()).toString()",
            "\"toString\"",
        ),
        ("return await fetch.fetch({ url: 'x' })", "{\"url\":\"x\"}"),
        (
            "return [Object.keys(tools), Object.keys(tools.odd), 'odd' in tools, 'x' in tools, 'then' in tools.odd, 'x' in tools.odd]",
            "[[\"google-drive\",\"odd\",\"fetch\"],[\"__proto__\",\"then\",\"constructor\",\"toString\"],true,false,true,false]",
        ),
        (
            "return tools.odd.then === tools.odd.then && tools.googleDrive === tools['google-drive']",
            "true",
        ),
        (
            "return tools.$servers().map((s) => [s.name, s.tools])",
            "[[\"google-drive\",5],[\"odd\",4],[\"fetch\",1]]",
        ),
        (
            "return tools.$search('document', { limit: 1 }).map((t) => t.identifier)",
            "[\"getDocument\"]",
        ),
        ("return tools.$search('', { server: 'fetch' }).length", "1"),
        (
            "return tools.$describe('google-drive.get_document')",
            "\"declare function getDocument(args: {}): unknown;\"",
        ),
        (
            "return tools.odd",
            "{\"__proto__\":\"[Function: __proto__]\",\"constructor\":\"[Function: constructor]\",\"toString\":\"[Function: toString]\"}",
        ),
        (
            "return typeof tools.odd.toJSON + String(Object.prototype.toString.call(tools))",
            "\"undefined[object tools]\"",
        ),
    ]);
}

#[test]
fn names_that_are_not_granted_throw_at_once() {
    let cases = [
        ("tools.github", "no server \"github\""),
        ("tools.odd.more", "no tool \"more\" in \"odd\""),
        ("codemode.more", "no tool \"more\""),
        (
            "await callMCPTool('odd__more')",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import { more } from './servers/odd'; more()",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import * as odd from './servers/odd'; odd.more()",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import x from './servers/github'; x()",
            "There is no module \"./servers/github\". no server \"github\"",
        ),
        (
            "import fs from 'node:fs'; fs()",
            "There is no module \"node:fs\". There are no files here",
        ),
        (
            "await import('axios')",
            "There is no module \"axios\". There is no network here",
        ),
    ];
    assert_throws(&cases);
}

#[test]
fn failed_calls_have_what_the_tool_told_as_data() {
    let caught = |act: &str| {
        format!("try {{ await tools.googleDrive.build({{ row: 121 }}) }} catch (e) {{ {act} }}")
    };
    assert_eq!(
        returned(&caught(
            "return [e.message, e.data.row, Object.keys(e), JSON.stringify(e)]"
        )),
        r#"["compile failed",121,["kind","server","tool","content","data"],"{\"kind\":\"failed\",\"server\":\"google-drive\",\"tool\":\"build\",\"content\":[],\"data\":{\"row\":121}}"]"#
    );
    assert_eq!(
        returned(&caught("return e")),
        r#"{"name":"ToolError","message":"compile failed","kind":"failed","server":"google-drive","tool":"build","content":[],"data":{"row":121}}"#
    );
    let without = "try { await tools.googleDrive.fail({}) } catch (e) { return ['data' in e, new ToolError('no', { data: [1] }).data, 'data' in new ToolError('no')] }";
    assert_eq!(returned(without), "[false,[1],false]");
    returned(&caught("console.log(e)"));
    let printed = native::with(|host| host.output[0].1.clone());
    assert!(printed.contains("data: { row: 121 }"), "{printed}");
}

#[test]
fn failed_calls_reject_with_what_the_tool_said() {
    let caught = "try { await tools.googleDrive.fail({}) } catch (e) { return [e instanceof ToolError, e instanceof Error, e.name, e.message, e.kind, e.server, e.tool, e.content[0].text, String(e)] }";
    assert_eq!(
        returned(caught),
        "[true,true,\"ToolError\",\"no such page\",\"failed\",\"google-drive\",\"fail\",\"no such page\",\"ToolError: no such page\"]"
    );
    let thrown = thrown(
        "const x = 1;\nasync function f() {\n  await tools.googleDrive.fail({});\n}\nawait f();",
    );
    assert_eq!(
        (thrown.name.as_str(), thrown.message.as_str()),
        ("ToolError", "google-drive.fail: no such page")
    );
    let location = thrown.location.expect("has a place");
    assert_eq!(
        (location.line, location.text.as_str()),
        (3, "  await tools.googleDrive.fail({});")
    );
}

#[test]
fn calls_run_at_once_and_can_be_raced_and_aborted() {
    assert_returns(&[
        (
            "const a = performance.now(); await Promise.all([1, 2, 3].map(() => tools.googleDrive.slowSearch())); return performance.now() - a",
            "5",
        ),
        (
            "return await Promise.race([tools.googleDrive.never({}), new Promise((r) => setTimeout(r, 10, 'late'))])",
            "\"late\"",
        ),
        (
            "const c = new AbortController(); setTimeout(() => c.abort('enough'), 5); try { await tools.googleDrive.never({}, { signal: c.signal }) } catch (e) { return e }",
            "\"enough\"",
        ),
        (
            "try { await tools.googleDrive.never({}, { signal: AbortSignal.timeout(5) }) } catch (e) { return e.name }",
            "\"TimeoutError\"",
        ),
        (
            "try { await tools.googleDrive.never({}, { signal: AbortSignal.abort() }) } catch (e) { return e.name }",
            "\"AbortError\"",
        ),
        (
            "const c = new AbortController(); const r = await tools.googleDrive.get_document({}, { signal: c.signal }); c.abort(); return r",
            "{}",
        ),
    ]);
    returned(
        "const c = new AbortController(); const p = tools.googleDrive.never({}, { signal: c.signal }).catch(() => 1); c.abort(); return await p",
    );
    assert_eq!(native::with(|host| host.cancelled.clone()), [1]);
}

#[test]
fn values_are_taken_in_order_where_that_is_sure() {
    let document = "{\"documentId\":1,\"fields\":\"a\"}";
    for (given, sent) in [
        ("1, 'a'", document),
        ("1, { fields: 'a' }", document),
        ("1, { fields: 'a' }, { signal: undefined }", document),
        ("1", "{\"documentId\":1}"),
        ("null", "{}"),
        ("null, { signal: AbortSignal.timeout(9) }", "{}"),
        ("[1]", "{\"documentId\":[1]}"),
    ] {
        let call = format!("return tools.googleDrive.getDocument({given})");
        assert_eq!(returned(&call), sent, "{given}");
    }
    for (given, told) in [
        (
            "'{\"documentId\":1}'",
            "get_document takes one object of named arguments, not its JSON text: \
             write `tools[\"google-drive\"].getDocument({ documentId: …, fields: … })`",
        ),
        (
            "1, 2, 3, 4",
            "get_document takes one object of named arguments, not 4 values",
        ),
        (
            "1, { documentId: 2 }",
            "get_document got two values for `documentId`",
        ),
    ] {
        let told_now = thrown(&format!("await tools.googleDrive.getDocument({given})"));
        assert!(told_now.message.starts_with(told), "{told_now:?}");
        assert!(native::with(|host| host.started.is_empty()));
    }
}

#[test]
fn names_of_other_surfaces_lead_to_the_tools() {
    for way in [
        "return callTool('google-drive', 'getDocument', { documentId: 1 })",
        "return callMCPTool('googleDrive', 'get_document', { documentId: 1 })",
        "return callTool('google-drive.getDocument', { documentId: 1 })",
        "return callTool({ name: 'get_document', arguments: { documentId: 1 } })",
        "return tools.callTool('get_document', { documentId: 1 })",
        "return tools.getDocument({ documentId: 1 })",
        "return tools['google-drive.get_document']({ documentId: 1 })",
        "const { get_document } = tools; return get_document({ documentId: 1 })",
        "return codemode.googleDrive.getDocument({ documentId: 1 })",
    ] {
        assert_eq!(returned(way), "{\"documentId\":1}", "{way}");
    }
    assert_returns(&[
        ("return tools.search('document').length", "1"),
        (
            "return tools.list().map((s) => s.name)",
            "[\"google-drive\",\"odd\",\"fetch\"]",
        ),
    ]);
    let of_drive =
        "It is a tool of the server `google-drive`: write `tools[\"google-drive\"].getDocument(…)`";
    assert_throws(&[
        (
            "getDocument({})",
            &format!("getDocument is not defined. {of_drive}"),
        ),
        (
            "mcp__googleDrive__get_document({})",
            &format!("mcp__googleDrive__get_document is not defined. {of_drive}"),
        ),
        (
            "searchTools('x')",
            "searchTools is not defined. In a script it is `tools.$search",
        ),
        (
            "client.callTool({})",
            "client is not defined. There is nothing to connect to",
        ),
    ]);
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    for (argument, told) in [
        (
            "'x'",
            "not a string: it has none: write `tools.odd.constructor()`",
        ),
        ("[1]", "not an array"),
        ("null, 1", "not 2 values"),
        ("5", "not a number"),
    ] {
        let thrown = thrown(&format!("await tools.odd.constructor({argument})"));
        assert_eq!(thrown.name, "TypeError");
        assert!(thrown.message.contains(told), "{thrown:?}");
        assert_eq!(thrown.location.map(|location| location.line), Some(1));
    }
    let thrown = thrown("const a = {}; a.a = a; await tools.odd.constructor(a)");
    assert!(
        thrown.message.contains("can't be written as JSON"),
        "{thrown:?}"
    );
    assert_eq!(
        returned(
            "return await tools.googleDrive.get_document({ a: undefined, d: new Date(0), n: NaN, f() {} })"
        ),
        "{\"d\":\"1970-01-01T00:00:00.000Z\",\"n\":null}"
    );
}
