//! Skills as models meet them.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

async fn tool(served: &mut Served, name: &str, arguments: Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let answer = served.ask(request).await;
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The seed of it: a model saves what it wrote; another, later, finds it, imports it and uses it.
#[tokio::test]
async fn a_later_conversation_finds_and_uses_what_an_earlier_one_saved() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[skills]\n[workspace]\n");
    let code = r#"
const code = `import fs from "node:fs";
/** Writes rows as a CSV file of the workspace, and gives how many. */
export function saveSheetAsCsv(rows: string[][], path: string): number {
  fs.writeFileSync(path, rows.map((row) => row.join(",") + "\\n").join(""));
  return rows.length;
}`;
return await skills.save("save-sheet-as-csv", { description: "Saves a sheet's rows as a CSV file", code,
  example: `import { saveSheetAsCsv } from "./skills/save-sheet-as-csv"; return saveSheetAsCsv([["a"]], "out.csv");` });"#;
    let mut served = Served::greeted(&workplace, &[]).await;
    let saved = tool(&mut served, "execute_code", json!({ "code": code })).await;
    assert!(
        saved.contains("\"version\":1") || saved.contains("\"version\": 1"),
        "{saved}"
    );
    served.close().await;

    let mut served = Served::greeted(&workplace, &[]).await;
    let found = tool(
        &mut served,
        "search_tools",
        json!({ "query": "spreadsheet rows to csv" }),
    )
    .await;
    let line = "import { saveSheetAsCsv } from \"./skills/save-sheet-as-csv\" // skill: Saves a sheet's rows as a CSV file\n  saveSheetAsCsv(rows: string[][], path: string): number // Writes rows as a CSV file of the workspace, and gives how many.";
    assert!(found.contains(line), "{found}");
    let (count, _) = found.split_once('\n').unwrap();
    assert!(count.ends_with(", 1 skill"), "{count}");
    let names = tool(
        &mut served,
        "search_tools",
        json!({ "query": "csv", "detail": "names" }),
    )
    .await;
    assert!(names.contains("\nsave-sheet-as-csv"), "{names}");
    let code = "import { saveSheetAsCsv } from './skills/save-sheet-as-csv'; return saveSheetAsCsv([['a', 'b'], ['1', '2']], 'sheet.csv')";
    assert_eq!(
        tool(&mut served, "execute_code", json!({ "code": code })).await,
        "2"
    );
    let code = "import fs from 'node:fs'; return fs.readFileSync('sheet.csv', 'utf8')";
    let read = tool(&mut served, "execute_code", json!({ "code": code })).await;
    assert!(read.contains("a,b\n1,2"), "{read}");
    // Its example wrote to a workspace of its own.
    let code = "import fs from 'node:fs'; return fs.existsSync('out.csv')";
    assert_eq!(
        tool(&mut served, "execute_code", json!({ "code": code })).await,
        "false"
    );
    served.close().await;
}
