//! `docs/reference/javascript.md` and `python.md`: each row of their tables is a piece of code.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::Value;

/// A row: its code, and whether that works.
struct Row {
    line: usize,
    code: String,
    works: bool,
}

fn rows(page: &str) -> Vec<Row> {
    let path = repository().join("docs/reference").join(page);
    let text = std::fs::read_to_string(path).expect("the page");
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix("| ") else {
            continue;
        };
        let mut cells = row.trim_end_matches(" |").splitn(3, " | ");
        let (_, there) = (cells.next(), cells.next());
        let works = match there {
            Some("yes" | "differs") => true,
            Some("no") => false,
            _ => continue,
        };
        let code = cells.next().expect("a code");
        let code = code.trim_matches('`').to_owned();
        let line = index + 1;
        rows.push(Row { line, code, works });
    }
    assert!(rows.len() > 15, "{}", rows.len());
    rows
}

async fn hold(page: &str, language: &str, written: impl Fn(&str) -> String) {
    let workplace = Workplace::default();
    let mut wrong = Vec::new();
    for Row { line, code, works } in rows(page) {
        let file = workplace.file(&format!("row.{language}"), written(&code));
        let file = file.to_str().expect("a path");
        let ran = workplace.run_at_home(&["run", "--quiet", file]).await;
        let holds = match works {
            true => {
                ran.code == Some(0)
                    && serde_json::from_str(&ran.stdout).ok() == Some(Value::Bool(true))
            }
            false => ran.code == Some(1),
        };
        if !holds {
            wrong.push(format!("{page}:{line}: {code}: {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn javascript_is_what_its_page_says() {
    hold("javascript.md", "ts", |code| format!("return {code};\n")).await;
}

#[tokio::test]
async fn python_is_what_its_page_says() {
    let modules = "import _thread, asyncio, bz2, concurrent.futures, datetime, lzma, pathlib, sqlite3, statistics, sys, tomllib, urllib.request, zipfile, zlib, zoneinfo\nfrom compression import zstd\n";
    let written = |code: &str| {
        let subprocess = if code.starts_with("subprocess") {
            "import subprocess\n"
        } else {
            ""
        };
        format!("{modules}{subprocess}return {code}\n")
    };
    hold("python.md", "py", written).await;
}
