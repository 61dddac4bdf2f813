//! Poll until done: an export that has to be asked for twenty times.

use anyhow::Result;
use futures::FutureExt;
use serde_json::{Value, json};

use super::direct::Direct;
use super::servers::Kind::Exports;
use super::{Script, Task};

pub(super) const TASK: Task = Task {
    name: "poll until an export is done, 20 times",
    servers: &[Exports],
    prepare: |_, _| async { Ok(()) }.boxed(),
    directly: |direct| directly(direct).boxed(),
    script: Script {
        language: "typescript",
        code: include_str!("polled.ts"),
        calls: &["start_export", "get_export"],
        searches: &[(Exports, "export a table, see how far it is")],
    },
};

async fn directly(direct: &mut Direct) -> Result<Value> {
    let table = json!({ "table": "invoices" });
    let mut text = direct.call(Exports, "start_export", table).await?;
    loop {
        let export: Value = serde_json::from_str(&text)?;
        if export["state"] == "done" {
            return Ok(json!({ "rows": export["rows_done"], "checksum": export["checksum"] }));
        }
        let id = json!({ "id": export["id"] });
        text = direct.call(Exports, "get_export", id).await?;
    }
}
