//! What scripts call: functions that answer at once, and one of a real MCP server.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::{env, fs};

use monty_types::MontyObject;
use serde_json::{Map, Value, json};

use crate::objects::{json_of, object_of};

pub(crate) const NAMES: [&str; 5] = ["rows", "text", "echo", "hold", "add"];

pub(crate) struct Tools {
    folder: String,
    kept: HashMap<String, String>,
    server: Option<Server>,
}

impl Tools {
    pub(crate) fn new() -> Self {
        Self {
            folder: env::var("COMPARE_DATA").unwrap_or_default(),
            kept: HashMap::new(),
            server: None,
        }
    }

    pub(crate) fn call(
        &mut self,
        name: &str,
        arguments: &[(MontyObject, MontyObject)],
    ) -> Result<MontyObject, String> {
        let argument = |wanted: &str| {
            let mut arguments = arguments.iter();
            let found = arguments.find(|(name, _)| *name == MontyObject::String(wanted.to_owned()));
            json_of(&found.ok_or("an argument is missing")?.1)
        };
        match name {
            "echo" => object_of(&json!({ "n": argument("n")? }).to_string()),
            "rows" => {
                let name = format!("rows-{}.json", argument("count")?);
                object_of(self.file(name)?)
            }
            "text" => object_of(self.file("text.json".to_owned())?),
            "add" => {
                let arguments = json!({ "a": argument("a")?, "b": argument("b")? });
                if self.server.is_none() {
                    self.server = Some(Server::start()?);
                }
                let server = self.server.as_mut().ok_or("no server")?;
                Ok(MontyObject::String(server.call("get-sum", &arguments)?))
            }
            other => Err(format!("unknown function {other}")),
        }
    }

    fn file(&mut self, name: String) -> Result<&str, String> {
        let path = format!("{}/{name}", self.folder);
        if !self.kept.contains_key(&name) {
            let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
            self.kept.insert(name.clone(), text);
        }
        Ok(&self.kept[&name])
    }
}

/// A client of an MCP server over standard input and output, as lean as can be.
struct Server {
    process: Child,
    write: ChildStdin,
    read: BufReader<ChildStdout>,
    last: u64,
}

impl Server {
    fn start() -> Result<Self, String> {
        let given = env::var("COMPARE_MCP").map_err(|_| "the real MCP server is not there")?;
        let command: Vec<String> =
            serde_json::from_str(&given).map_err(|error| error.to_string())?;
        let (program, arguments) = command.split_first().ok_or("a command is empty")?;
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (write, read) = (process.stdin.take(), process.stdout.take());
        let mut server = Self {
            process,
            write: write.ok_or("it has no input")?,
            read: BufReader::new(read.ok_or("it has no output")?),
            last: 0,
        };
        let greeting = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "compare", "version": "1" },
        });
        server.ask("initialize", &greeting)?;
        server.write(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn write(&mut self, message: Value) -> Result<(), String> {
        writeln!(self.write, "{message}").map_err(|error| error.to_string())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.last += 1;
        let id = self.last;
        self.write(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            let read = self.read.read_line(&mut line);
            if read.map_err(|error| error.to_string())? == 0 {
                return Err("the server ended".to_owned());
            }
            let mut message: Map<String, Value> =
                serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message.get("id") == Some(&json!(id)) {
                return message.remove("result").ok_or_else(|| line.clone());
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String> {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.ask("tools/call", &params)?;
        let text = result["content"][0]["text"].as_str();
        text.map(str::to_owned).ok_or_else(|| result.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
