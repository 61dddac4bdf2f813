//! An MCP server with the tools of another: `listed-server FILE`, where the file has that server's
//! answer to `tools/list`. A call gives what the file has for the tool in `answers`; else its
//! arguments as they came, byte for byte, as text, behind what the file has as `before`. Each call is a line in the file
//! that `log` names, if there is one.
//!
//! What else is wrong with a server's output: `start`, lines before anything is read; `noise`, lines
//! before each answer; `ids`, what becomes of a request's id in the answer.

use std::fs::File;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let file = std::env::args_os().nth(1).expect("listed-server FILE");
    let listed: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    write_lines(&listed["start"])?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let message: Value = serde_json::from_str(&line)?;
        let Some(id) = message.get("id") else {
            continue;
        };
        let answer = match message["method"].as_str() {
            Some("initialize") => Ok(json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "listed", "version": "1"},
            })),
            Some("tools/list") => Ok(json!({ "tools": listed["tools"] })),
            Some("tools/call") => {
                let called = &message["params"];
                let tool = called["name"].as_str().unwrap_or_default();
                log(&listed, &format!("{tool} {}\n", called["arguments"]))?;
                Ok(listed["answers"].get(tool).cloned().unwrap_or_else(|| {
                    let before = listed["before"].as_str().unwrap_or_default();
                    let arguments = arguments(&line).unwrap_or_default();
                    json!({"content": [{"type": "text", "text": format!("{before}{arguments}")}]})
                }))
            }
            _ => Err(json!({"code": -32601, "message": "no such method"})),
        };
        let message = match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": answered(&listed, id), "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": answered(&listed, id), "error": error}),
        };
        write_lines(&listed["noise"])?;
        writeln!(io::stdout(), "{message}")?;
    }
    Ok(())
}

fn log(listed: &Value, line: &str) -> io::Result<()> {
    let Some(file) = listed["log"].as_str() else {
        return Ok(());
    };
    let mut file = File::options().create(true).append(true).open(file)?;
    file.write_all(line.as_bytes())
}

fn write_lines(lines: &Value) -> io::Result<()> {
    for line in lines.as_array().into_iter().flatten() {
        writeln!(io::stdout(), "{}", line.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// The id that an answer has.
fn answered(listed: &Value, id: &Value) -> Value {
    match listed["ids"].as_str() {
        Some("zero") => json!(0),
        Some("text") => json!(id.to_string()),
        Some("float") => json!(id.as_f64()),
        Some("none") => Value::Null,
        _ => id.clone(),
    }
}

/// The arguments in a call's line, as they were written.
fn arguments(line: &str) -> Option<&str> {
    #[derive(Deserialize)]
    struct Called<'a> {
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        arguments: &'a RawValue,
    }
    let called: Called<'_> = serde_json::from_str(line).ok()?;
    Some(called.params.arguments.get())
}
