//! What scripts look for and do not find here, and what to use instead.

use rquickjs::{Ctx, Function, Object, Result, Value};

use crate::{host, modules};

/// What to use instead of `fetch` where no requests are granted. It is there so that the error says
/// it; names that scripts only test for, such as `process`, stay undefined.
const FETCH: &str = "there is no network. Call one of the granted tools; tools.$search(\"words\") finds them, and tools.$servers() lists their servers. The operator can allow requests: [outbound] in ampoule.toml.";

pub(super) fn register(native: &Object<'_>) -> Result<()> {
    native.set("insteadOfFetch", FETCH)?;
    native.set("require", Function::new(native.ctx().clone(), require)?)
}

fn require<'js>(ctx: Ctx<'js>, specifier: String) -> Result<Value<'js>> {
    modules::required(&ctx, &specifier)
}

/// Whether a global is another runtime's, instead of which a server of that name is meant.
pub(crate) fn is_stand_in(name: &str) -> bool {
    name == "require" || name == "fetch" && !has_network()
}

fn has_network() -> bool {
    host::tools::outbound().is_some()
}

fn has_files() -> bool {
    host::files_granted().is_none()
}

/// What to use instead of a global that does not exist here, as a sentence for the error's message;
/// none if the name is unknown.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "process" => {
            "There is no process here: read configuration from `env`, end the script with `return`, and see the time with `performance.now()`."
        }
        "Buffer" => "Import it: `import { Buffer } from \"node:buffer\"`.",
        "Deno" | "Bun" if has_files() => {
            "This is neither Deno nor Bun: for files, `import fs from \"node:fs\"`; scripts have no sockets or processes of their own: call the granted tools (`tools.$search(\"words\")` finds them) and read configuration from `env`."
        }
        "Deno" | "Bun" => {
            "This is neither Deno nor Bun: scripts have no files, sockets or processes of their own; call the granted tools (`tools.$search(\"words\")` finds them) and read configuration from `env`."
        }
        "Request" | "XMLHttpRequest" if has_network() => {
            "Write `await fetch(url, { method, headers, body })`."
        }
        "WebSocket" | "EventSource" if has_network() => {
            "There are no sockets or streams here: write `await fetch(url)`, which gives the whole answer."
        }
        "XMLHttpRequest" | "WebSocket" | "EventSource" | "Request" => {
            "There is no network here: call one of the granted tools; `tools.$search(\"words\")` finds them and `tools.$servers()` lists their servers."
        }
        "module" | "exports" => {
            "This is an ES module, not CommonJS: give the result with `return` or `export default`."
        }
        "__dirname" | "__filename" if has_files() => {
            "The folder is `/workspace`, and paths are relative to it: `import fs from \"node:fs\"`."
        }
        "__dirname" | "__filename" => {
            "There are no files here: call a granted tool that reads them, if there is one (`tools.$search(\"read file\")`)."
        }
        "window" | "document" | "navigator" | "location" | "self" => {
            "This is not a browser: there is no page. Globals are on `globalThis`."
        }
        "localStorage" | "sessionStorage" | "indexedDB" => {
            "There is no browser's storage here: hold data in variables, which a session keeps, and return what you need."
        }
        "alert" | "prompt" | "confirm" => {
            "A script can't ask a user: write with `console.log` and give the result with `return`."
        }
        "global" => "The global object is `globalThis`.",
        "WebAssembly" => "WebAssembly can't be loaded from a script.",
        "SharedWorker" | "Worker" => {
            "There are no threads here: start calls together with `Promise.all`."
        }
        "print" => "Write with `console.log`.",
        "path" => "Import it: `import path from \"node:path\"`.",
        "fs" | "os" if has_files() => {
            "Import it: `import fs from \"node:fs\"`, or `import { readFile } from \"node:fs/promises\"`."
        }
        "fs" | "os" => {
            "There are no files here: return the data, or call a granted tool that writes it (`tools.$search(\"write file\")`)."
        }
        "client" | "mcpClient" | "mcp" | "session" => {
            "There is nothing to connect to: call a tool as `await tools.<server>.<tool>({…})`, which gives the value itself, without `content` around it."
        }
        "use_mcp_tool" | "useMcpTool" | "functions" | "call_tool" => {
            "Tools are called as `await tools.<server>.<tool>({…})`; `tools.$servers()` lists the servers, and `tools.$search(\"words\")` finds tools."
        }
        "search_tools" | "searchTools" => "In a script it is `tools.$search(\"words\")`.",
        "documentTool" | "document_tool" | "describeTool" | "describe_tool" => {
            "In a script it is `tools.$describe(\"server.tool\")`."
        }
        "execute_code" | "executeCode" => "This is the script already: write its statements here.",
        "sleep" => "Write `await new Promise((done) => setTimeout(done, 100))`.",
        "input" | "args" | "params" => {
            "Scripts get no arguments: write the values into the script, or read `env`, or `strings` where the call gave some."
        }
        _ => return None,
    })
}

/// Whether a module is a package that the operator may add.
pub(crate) fn can_be_added(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "zod",
        "ajv",
        "joi",
        "lodash",
        "underscore",
        "ramda",
        "moment",
        "dayjs",
        "date-fns",
        "luxon",
        "uuid",
    ];
    NAMES.contains(&name) || !name.starts_with('.') && module_advice(name).is_none()
}

/// What to use instead of a module that can't be imported, with or without `node:` before its name;
/// none if it is unknown.
pub(crate) fn module_advice(name: &str) -> Option<&'static str> {
    let plain = name.strip_prefix("node:").unwrap_or(name);
    let plain = plain.split('/').next().unwrap_or(plain);
    Some(match plain {
        "fs" | "path" | "os" | "fs-extra" | "glob" if has_files() => {
            "Files are in `node:fs`: `import fs from \"node:fs\"`, or `import { readFile } from \"node:fs/promises\"`; `fs.readdirSync(\".\", { recursive: true })` lists them."
        }
        "fs" | "path" | "os" | "fs-extra" | "glob" => {
            "There are no files here: call a granted tool that reads or writes them (`tools.$search(\"read file\")`). A run has files of its own with `ampoule run --workspace FOLDER`, or `[workspace]` in ampoule.toml."
        }
        "http" | "https" | "http2" | "axios" | "node-fetch" | "undici" | "got" | "superagent"
            if has_network() =>
        {
            "Use the global `fetch`: `const response = await fetch(url)`, then `await response.json()`."
        }
        "net" | "dns" | "tls" | "ws" if has_network() => {
            "There are no sockets here: make requests with the global `fetch`, or call a granted tool."
        }
        "http" | "https" | "net" | "dns" | "tls" | "http2" | "axios" | "node-fetch" | "undici"
        | "got" | "superagent" | "ws" => {
            "There is no network here: call one of the granted tools; `tools.$search(\"words\")` finds them and `tools.$servers()` lists their servers."
        }
        "child_process" | "worker_threads" | "cluster" => {
            "There are no processes or threads here: call the granted tools, together with `Promise.all` where they may run at once."
        }
        "process" | "dotenv" => "Read configuration from `env`; end the script with `return`.",
        "crypto" => {
            "Use the global `crypto`: `crypto.randomUUID()`, `crypto.getRandomValues(bytes)`, `crypto.subtle.digest(\"SHA-256\", bytes)`."
        }
        "util" => {
            "Use the globals: `structuredClone`, `TextEncoder`, `TextDecoder`; `console.log` shows values as `util.inspect` does."
        }
        "url" | "querystring" => "Use the globals `URL` and `URLSearchParams`.",
        "timers" => {
            "Use the globals: `setTimeout`, or `await new Promise((done) => setTimeout(done, ms))`."
        }
        "events" => "Use the globals `EventTarget` and `Event`.",
        "perf_hooks" => "Use the global `performance.now()`.",
        "assert" => "Use `console.assert`, or throw an Error.",
        "stream" | "readline" => "There are no streams here: tools answer with whole values.",
        "zod" | "ajv" | "joi" => {
            "Arguments are checked against each tool's schema already; check other values with plain code."
        }
        "lodash" | "underscore" | "ramda" | "moment" | "dayjs" | "date-fns" | "luxon" | "uuid" => {
            "This package was not added: use the language itself (Object.groupBy, Array methods, Temporal, Intl, `crypto.randomUUID()`)."
        }
        "@modelcontextprotocol" | "@anthropic-ai" => {
            "The tools are here already: call `tools.<server>.<tool>(arguments)`."
        }
        _ => return None,
    })
}
