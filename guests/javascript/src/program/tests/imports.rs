//! What imports mean that name servers, tools and clients, and what those are told that mean
//! nothing.

use super::*;

#[test]
fn imports_mean_what_is_granted() {
    let document = "{\"documentId\":1}";
    let ways = [
        "import { googleDrive } from './servers'; return googleDrive.getDocument({ documentId: 1 })",
        "import servers from '../servers/index.js'; return servers.googleDrive.getDocument({ documentId: 1 })",
        "import * as servers from './servers'; return servers['google-drive'].getDocument({ documentId: 1 })",
        "const { googleDrive } = await import('./servers'); return googleDrive.getDocument({ documentId: 1 })",
        "import { callMCPTool } from './mcp'; return callMCPTool('google-drive.get_document', { documentId: 1 })",
        "import { googleDrive } from './servers/google-drive'; return googleDrive.getDocument({ documentId: 1 })",
        "import { getDocument } from './servers/google-drive/documents'; return getDocument({ documentId: 1 })",
        "import * as drive from './servers/google-drive/tools'; return drive.getDocument({ documentId: 1 })",
        "import * as m from './servers/google-drive/get-document'; return m.getDocument({ documentId: 1 })",
        "import { GoogleDrive } from './servers/google-drive'; return new GoogleDrive().getDocument({ documentId: 1 })",
        "import { callMcpTool } from '../client'; return callMcpTool('google-drive.get_document', { documentId: 1 })",
        "import { mcpClient } from '../client'; return mcpClient.callTool({ name: 'get_document', arguments: { documentId: 1 } })",
        "import client from '../client'; return client.callMCPTool('get_document', { documentId: 1 })",
    ];
    for way in ways {
        assert_eq!(returned(way), document, "{way}");
    }
}

#[test]
fn imports_of_types_need_no_module() {
    assert_returns(&[
        (
            "import { Bar } from './types'; import fs from 'fs'; import * as t from '../types/all'; const x: Bar = 1; return x",
            "1",
        ),
        (
            "import { GetDocumentResponse } from './servers/google-drive/types'; const x = {} as GetDocumentResponse; return x",
            "{}",
        ),
    ]);
}

#[test]
fn imports_of_what_is_not_there_say_so() {
    let cases = [
        (
            "import { fail } from './servers/google-drive/getDocument'; fail(); import { deleteDocument } from './servers/google-drive/getDocument'; deleteDocument()",
            "no tool \"deleteDocument\" in \"google-drive\"",
        ),
        (
            "import * as m from './servers/google-drive/deleteDocument'; m.deleteDocument()",
            "There is no module \"./servers/google-drive/deleteDocument\". no tool \"deleteDocument\" in \"google-drive\"",
        ),
        (
            "import deleteDocument from './servers/google-drive/deleteDocument'; deleteDocument()",
            "There is no module \"./servers/google-drive/deleteDocument\". no tool \"deleteDocument\" in \"google-drive\"",
        ),
        (
            "await import('./servers/google-drive/deleteDocument')",
            "There is no module \"./servers/google-drive/deleteDocument\". no tool \"deleteDocument\" in \"google-drive\"",
        ),
        (
            "import { getMe } from './servers/githb/getMe'; getMe()",
            "There is no module \"./servers/githb/getMe\". no server \"githb\"",
        ),
        (
            "import { github } from './servers'; github.getMe()",
            "no server \"github\"",
        ),
        (
            "import { Client } from '@modelcontextprotocol/sdk/client/index.js'; new Client()",
            "There is no module \"@modelcontextprotocol/sdk/client/index.js\". The tools are here already",
        ),
        (
            "import { readFile } from 'fs/promises'; readFile()",
            "There is no module \"fs/promises\". There are no files here",
        ),
        (
            "import { createClient } from '../client'; createClient()",
            "The client module exports no `createClient`: it has `callMCPTool(",
        ),
    ];
    assert_throws(&cases);
}

#[test]
fn modules_import_each_other() {
    let module = |name: &str, content| Module {
        name: name.to_owned(),
        content,
    };
    let source = |name: &str, text: &str| module(name, Content::Source(text.to_owned()));
    let modules = vec![
        source(
            "lib/math.ts",
            "import { one, type T } from './numbers.js';\nexport enum E { A = 2 }\nexport interface I { a: 1 }\nexport const two: T = one + one as T;\nexport default (x: number) => x * two;",
        ),
        source(
            "lib/numbers.ts",
            "export type T = number; export const one: T = await Promise.resolve(1);",
        ),
        source(
            "throws.ts",
            "// a comment\nexport function f(x: number): never {\n  throw new Error('in a module ' + x);\n}",
        ),
        source("broken.ts", "export const a = 1;\nexport const b = ;"),
        source(
            "tree.ts",
            "import { getDocument } from './servers/google-drive';\nexport const read = (id: number) => getDocument({ documentId: id });",
        ),
        module("readme.txt", Content::Text("hello".to_owned())),
        module("data.json", Content::Json("{\"a\":[1]}".to_owned())),
        module("raw.bin", Content::Bytes(vec![1, 2])),
    ];
    let run_with = |source: &str| {
        run_program(Program {
            modules: modules.clone(),
            env: "{\"KEY\":\"v\"}".to_owned(),
            strings: r#"{"body":"`a` \"b\"\n${c}","the title":"t"}"#.to_owned(),
            ..program(source)
        })
    };
    let cases = [
        (
            "import times, { two, E, I } from './lib/math.ts'; const i: I = { a: 1 }; return [times(4), two, E.A]",
            "[8,2,2]",
        ),
        ("import { two } from 'lib/math'; return two", "2"),
        (
            "import text from './readme.txt'; import data from './data.json' with { type: 'json' }; import raw from './raw.bin'; return [text, data, raw]",
            "[\"hello\",{\"a\":[1]},[1,2]]",
        ),
        (
            "import { read } from './tree'; return read(5)",
            "{\"documentId\":5}",
        ),
        ("const m = await import('./lib/numbers'); return m.one", "1"),
        ("return env.KEY", "\"v\""),
        (
            "return [strings.body, strings['the title'], strings.none]",
            r#"["`a` \"b\"\n${c}","t",null]"#,
        ),
        ("const strings = [1]; return strings", "[1]"),
    ];
    for (source, expected) in cases {
        assert_eq!(
            run_with(source).map_err(|thrown| format!("{thrown:?}")),
            Ok(Some(expected.to_owned())),
            "{source}"
        );
    }
    let places = [
        (
            "import { f } from './throws'; f(1)",
            "throws.ts",
            3,
            "in a module 1",
        ),
        ("import './broken'; 1", "broken.ts", 2, ""),
        (
            "\nimport { nothing } from './lib/math'; nothing()",
            "main.ts",
            2,
            "",
        ),
        (
            "\nimport { one } from './lib/none'; one()",
            "main.ts",
            2,
            "There is no module \"./lib/none\". The program's modules are",
        ),
    ];
    for (source, module, line, message) in places {
        let thrown = run_with(source).expect_err(source);
        assert!(thrown.message.contains(message), "{source}\n{thrown:?}");
        let location = thrown
            .location
            .clone()
            .unwrap_or_else(|| panic!("{source}\n{thrown:?}"));
        assert_eq!(
            (location.module.as_str(), location.line),
            (module, line),
            "{source}\n{thrown:?}"
        );
    }
}

#[test]
fn require_gives_nodes_modules_and_servers() {
    assert_returns(&[
        ("return require('path').join('a', 'b')", "\"a/b\""),
        (
            "const { basename } = require('node:path'); return basename('a/b')",
            "\"b\"",
        ),
        (
            "return require('buffer').Buffer.from('hi').toString('base64')",
            "\"aGk=\"",
        ),
        (
            "return require('./servers/google-drive').getDocument({ documentId: 1 })",
            "{\"documentId\":1}",
        ),
    ]);
    assert_throws(&[
        (
            "require('fs')",
            "There is no module \"fs\". There are no files here",
        ),
        (
            "require('lodash')",
            "There is no module \"lodash\". This package was not added: use the language",
        ),
        ("require('./mine.js')", "There is no module \"./mine.js\"."),
    ]);
    let mut own = program("require('./mine.js')");
    own.modules = vec![Module {
        name: "mine.js".to_owned(),
        content: Content::Source("export default 1".to_owned()),
    }];
    let thrown = run_program(own).unwrap_err();
    assert!(
        thrown.message.contains("await import(\"./mine.js\")"),
        "{thrown:?}"
    );
}

#[test]
fn require_gives_files_where_there_are_some() {
    native::with(|host| {
        *host = host_with_tools();
        host.files = true;
    });
    let source = "const fs = require('fs'); const promises = require('node:fs/promises');
        return [typeof fs.readFileSync, fs.promises === promises, require('fs') === fs]";
    let outcome = run(
        &mut Realm::new().expect("the prelude runs"),
        program(source),
    );
    assert_eq!(
        outcome.unwrap().as_deref(),
        Some("[\"function\",true,true]")
    );
}

#[test]
fn buffer_is_there_where_a_script_names_it() {
    assert_returns(&[
        ("return Buffer.from('hi').toString('base64')", "\"aGk=\""),
        (
            "const b: Buffer = Buffer.from('aGk=', 'base64'); return [typeof Buffer, b.toString()]",
            "[\"function\",\"hi\"]",
        ),
        (
            "import { Buffer as B } from 'node:buffer'; return B === Buffer",
            "true",
        ),
        (
            "const a = Buffer.from('abc'), b = Buffer.alloc(4); return [a.compare(Buffer.from('abd')), Buffer.compare(a, Buffer.from('ab')), a.compare(Buffer.from('xabc'), 1), a.copy(b, 2, 1), b.toString('hex'), a.copy(b, 3), a.copy(b, 9)]",
            "[-1,1,0,2,\"00006263\",1,0]",
        ),
        ("class Buffer { n = 1 } return new Buffer()", "{\"n\":1}"),
        ("return 'Buffer' in globalThis", "false"),
    ]);
}
