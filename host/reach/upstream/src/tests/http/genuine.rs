//! A server that is not played by a test: npm's `server-everything`, over both transports.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ampoule_tools::{Binding, CallContext};
use serde_json::{Map, Value, json};

use super::{text, upstream};
use crate::handshake::Era;
use crate::{RemoteServer, Transport};

/// The server's process, which ends with its test.
struct Everything {
    process: Child,
    port: u16,
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server, where it is installed; without it, the test is noted as skipped.
async fn everything(test: &str, transport: &str) -> Option<Everything> {
    let Some(folder) = std::env::var_os("AMPOULE_TEST_NODE").map(PathBuf::from) else {
        if let Some(skipped) = std::env::var_os("AMPOULE_SKIPPED") {
            std::fs::create_dir_all(&skipped).unwrap();
            std::fs::write(
                PathBuf::from(skipped).join(test),
                "AMPOULE_TEST_NODE is not set",
            )
            .unwrap();
        }
        return None;
    };
    let file = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let process = Command::new("node")
        .arg(folder.join(file))
        .arg(transport)
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Everything { process, port };
    while tokio::net::TcpStream::connect(("localhost", port))
        .await
        .is_err()
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Some(server)
}

/// Lists the tools, and calls some of them at once.
async fn is_talked_to(url: &str, transport: Transport) {
    let upstream = upstream(RemoteServer::new(url).unwrap().transport(transport));
    let tools = upstream.tools().await.unwrap();
    assert!(
        tools.iter().any(|tool| tool.name == "get-sum"),
        "{}",
        tools.len()
    );
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Sessions));
    let call = |tool: &'static str, arguments: Value| {
        let context = CallContext::without_a_run("far", tool, 1 << 20);
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        upstream.call(tool, arguments, context)
    };
    let sums = (0..50).map(|n| call("get-sum", json!({ "a": n, "b": 1000 })));
    for (n, sum) in futures::future::join_all(sums)
        .await
        .into_iter()
        .enumerate()
    {
        let sum = sum.unwrap();
        assert!(
            text(&sum).contains(&(1000 + n).to_string()),
            "{}",
            text(&sum)
        );
    }
    let echo = call("echo", json!({ "message": "grüße\n🌍" }))
        .await
        .unwrap();
    assert_eq!(text(&echo), "Echo: grüße\n🌍");
    let long = json!({ "duration": 0.4, "steps": 4 });
    let long = call("trigger-long-running-operation", long).await.unwrap();
    assert!(text(&long).contains("completed"), "{}", text(&long));
    upstream.stop().await;
}

#[tokio::test]
async fn the_everything_server_over_streamable_http() {
    let test = "the_everything_server_over_streamable_http";
    let Some(server) = everything(test, "streamableHttp").await else {
        return;
    };
    let url = format!("http://localhost:{}/mcp", server.port);
    for transport in [Transport::Auto, Transport::StreamableHttp] {
        is_talked_to(&url, transport).await;
    }
}

#[tokio::test]
async fn the_everything_server_over_sse() {
    let test = "the_everything_server_over_sse";
    let Some(server) = everything(test, "sse").await else {
        return;
    };
    let url = format!("http://localhost:{}/sse", server.port);
    for transport in [Transport::Auto, Transport::Sse] {
        is_talked_to(&url, transport).await;
    }
}
