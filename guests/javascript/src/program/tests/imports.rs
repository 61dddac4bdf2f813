//! What imports mean that name servers, tools and clients, and what those are told that mean nothing.

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
    for (source, message) in cases {
        let thrown = thrown(&format!("\n  {source}"));
        assert!(thrown.message.starts_with(message), "{source}: {thrown:?}");
        assert_eq!(
            thrown.location.map(|location| location.line),
            Some(2),
            "{source}"
        );
    }
}
