//! What saving checks, and what can be imported then.

use ampoule::Language::{JavaScript, Python, TypeScript};
use ampoule::SkillName;
use serde_json::json;

use super::{CSV, Kept, saving};

#[tokio::test]
async fn a_script_saves_what_a_later_one_imports() {
    let kept = Kept::new();
    let example =
        "import { sheetAsCsv } from \"./skills/sheet-as-csv\"; return await sheetAsCsv(\"a\");";
    let saved = kept
        .typescript(&format!(
            "await tools.sheets.readSheet({{ id: \"a\" }}); {}",
            saving("sheet-as-csv", CSV, Some(example))
        ))
        .await;
    assert_eq!(
        saved,
        json!({
            "name": "sheet-as-csv",
            "version": 1,
            "import": "import { sheetAsCsv } from \"./skills/sheet-as-csv\"",
            "functions": ["sheetAsCsv(id: string, separator = \",\"): Promise<string>"],
            "needs": ["sheets.read_sheet"],
        })
    );
    // The example was answered what the script was, and nothing left.
    assert_eq!(kept.reads(), 1);
    for import in [
        "import { sheetAsCsv } from \"./skills/sheet-as-csv\"",
        "import { sheetAsCsv } from './skills/sheet-as-csv.ts'",
        "import { sheetAsCsv } from './skills/sheet-as-csv/index.ts'",
        "import { sheetAsCsv } from './skills/sheet-as-csv/index.js'",
        "import { sheetAsCsv } from '../skills/sheet-as-csv'",
        "import { sheetAsCsv } from 'skills/sheetAsCsv'",
        "import { sheetAsCsv } from './skills/sheet_as_csv'",
        "import * as it from './skills/sheet-as-csv'; const { sheetAsCsv } = it",
        "const { sheetAsCsv } = await import('./skills/sheet-as-csv')",
    ] {
        for language in [TypeScript, JavaScript] {
            let source = format!("{import};\nreturn await sheetAsCsv(\"b\", \";\");");
            assert_eq!(
                kept.value(language, &source).await,
                "name;n\nb;1",
                "{import}"
            );
        }
    }
}

#[tokio::test]
async fn python_has_the_same() {
    let kept = Kept::new();
    let source = r#"
await sheets.read_sheet(id="a")
code = '''
from dataclasses import dataclass

@dataclass
class Csv:
    text: str

async def sheet_as_csv(id: str, *, separator: str = ",") -> Csv:
    """Reads a sheet as CSV. Quotes nothing.

    More."""
    sheet = await sheets.read_sheet(id=id)
    return Csv("\\n".join(separator.join(row) for row in sheet.rows))

def _hidden(): pass
'''
example = '''
from skills.sheet_as_csv import sheet_as_csv
assert (await sheet_as_csv("a")).text == "name,n\\na,1"
'''
return await skills.save("sheet_as_csv", description="Sheets as CSV", code=code, example=example)
"#;
    let saved = kept.python(source).await;
    assert_eq!(saved["name"], "sheet-as-csv");
    assert_eq!(
        saved["import"],
        "from skills.sheet_as_csv import Csv, sheet_as_csv"
    );
    assert_eq!(
        saved["functions"],
        json!([
            "Csv(text: str) -> None",
            "sheet_as_csv(id: str, *, separator: str = ',') -> Csv"
        ])
    );
    assert_eq!(
        (&saved["needs"], kept.reads()),
        (&json!(["sheets.read_sheet"]), 1)
    );
    for import in [
        "from skills.sheet_as_csv import sheet_as_csv",
        "import skills.sheet_as_csv as it; sheet_as_csv = it.sheet_as_csv",
        "from skills import sheet_as_csv as it; sheet_as_csv = it.sheet_as_csv",
        "import importlib; sheet_as_csv = importlib.import_module('skills.sheet_as_csv').sheet_as_csv",
    ] {
        let source = format!("{import}\nreturn (await sheet_as_csv('b', separator=';')).text");
        assert_eq!(kept.python(&source).await, "name;n\nb;1", "{import}");
    }
}

#[tokio::test]
async fn what_is_no_skill_is_refused_with_the_reason() {
    let kept = Kept::new();
    for (name, code, example, told) in [
        ("a--b", CSV, None, "the name of a skill has small letters"),
        ("../up", CSV, None, "the name of a skill has small letters"),
        (
            "a",
            "export const a = ;",
            None,
            "the code does not load: SyntaxError",
        ),
        (
            "a",
            "throw new Error('no'); export const a = 1;",
            None,
            "the code does not load: Error: no",
        ),
        (
            "a",
            "export const a = await tools.sheets.readSheet({ id: 'a' });",
            None,
            "no answer of sheets.read_sheet to {\"id\":\"a\"} is known",
        ),
        ("a", "const a = 1;", None, "the code exports nothing"),
        (
            "a",
            "import x from './nothing'; export const a = x;",
            None,
            "There is no module \"./nothing\"",
        ),
        (
            "a",
            "export const a = 1;",
            Some("import { b } from './skills/a'; return b"),
            "the example fails: ",
        ),
        (
            "a",
            "export const a = 1;",
            Some("throw new RangeError('as is')"),
            "the example fails: RangeError: as is",
        ),
        (
            "a",
            CSV,
            Some("import { sheetAsCsv } from './skills/a'; await sheetAsCsv('b')"),
            "no answer of sheets.read_sheet to {\"id\":\"b\"} is known: make this call in the script that saves the skill",
        ),
        (
            "a",
            "export const a = 1;",
            Some("while (true) {}"),
            "the example fails: ",
        ),
        (
            "a",
            "while (true) {} export const a = 1;",
            None,
            "the code does not load: ",
        ),
    ] {
        let thrown = kept.thrown(TypeScript, &saving(name, code, example)).await;
        assert!(
            thrown.contains(told) && thrown.starts_with("ToolError"),
            "{name} {code}: {thrown}"
        );
    }
    assert_eq!((kept.sees(None).len(), kept.reads()), (0, 0));
    let large = format!("export const a = \"{}\";", "x".repeat(300_000));
    let thrown = kept.thrown(TypeScript, &saving("a", &large, None)).await;
    assert!(thrown.contains("it may have 262144"), "{thrown}");
    let python = "await skills.save('a', description='A', code='a = 1')";
    let thrown = kept.thrown(Python, python).await;
    assert!(
        thrown.contains("the code defines nothing that others could use"),
        "{thrown}"
    );
}

#[tokio::test]
async fn each_save_is_a_version_with_the_run_that_made_it() {
    let kept = Kept::new();
    for (version, code) in [(1, "export const n = 1;"), (2, "export const n = 2;")] {
        let run = kept.isolate(TypeScript, &saving("numbers", code, None));
        let run = run.start().await.unwrap();
        let id = run.id().to_string();
        let outcome = run.outcome().await.unwrap();
        assert_eq!(
            outcome.value::<serde_json::Value>().unwrap()["version"],
            version
        );
        let shelf = kept.runtime.skills(None).unwrap();
        let skill = shelf
            .get(&SkillName::new("numbers").unwrap(), None)
            .unwrap();
        assert_eq!((skill.version, skill.run), (version, Some(id)));
    }
    let n = kept
        .typescript("import { n } from './skills/numbers'; return n")
        .await;
    assert_eq!(n, 2);
}

#[tokio::test]
async fn skills_import_skills_and_their_own_files() {
    let kept = Kept::new();
    kept.typescript(&saving("base", "export const base = () => 40;", None))
        .await;
    let source = r#"return await skills.save("above", {
        description: "Builds on another",
        code: `import { base } from "../base"; import { two } from "./parts/two"; import rates from "./rates.json";
            export const answer = (): number => base() + two + rates.none;`,
        files: { "parts/two.ts": "export const two: number = 2;", "rates.json": '{ "none": 0 }' },
        example: `import { answer } from "./skills/above"; if (answer() !== 42) throw new Error("wrong")`,
    })"#;
    kept.typescript(source).await;
    let answer = kept
        .typescript("import { answer } from './skills/above'; return answer()")
        .await;
    assert_eq!(answer, 42);
    let bad = kept.thrown(TypeScript, r#"await skills.save("c", { description: "x", code: "export const a = 1", files: { "../b": "" } })"#).await;
    assert!(
        bad.contains("`../b` is not the path of another file"),
        "{bad}"
    );
}

#[tokio::test]
async fn a_skill_that_is_not_there_is_told_as_one() {
    let kept = Kept::new();
    let told = "No skill of that name is saved: `await skills.list()` gives those that are.";
    let thrown = kept
        .thrown(TypeScript, "import { a } from './skills/nothing'; return a")
        .await;
    assert!(thrown.contains(told), "{thrown}");
    let thrown = kept.thrown(Python, "from skills.nothing import a").await;
    assert!(thrown.contains(told), "{thrown}");
    kept.python("await skills.save('some', description='A', code='def a(): return 1')")
        .await;
    let thrown = kept
        .thrown(
            Python,
            "from skills.some import a\nfrom skills.nothing import a",
        )
        .await;
    assert!(thrown.contains(told), "{thrown}");
    // One in another language can't be imported either.
    let thrown = kept
        .thrown(TypeScript, "import { a } from './skills/some'; return a()")
        .await;
    assert!(
        thrown.starts_with("SyntaxError") || thrown.contains("no export"),
        "{thrown}"
    );
}

#[tokio::test]
async fn an_example_has_what_the_code_exports_in_its_scope() {
    let kept = Kept::new();
    let code = "export function two(n: number): number { return n * 2 }\nexport const three = 3;";
    for (name, example) in [
        ("plain", "if (two(three) !== 6) throw new Error('wrong')"),
        ("returns", "const n = two(1);\nreturn n"),
        (
            "imports",
            "import { two } from './skills/imports'; return two(1)",
        ),
        (
            "all",
            "import * as all from './skills/all'; return all.two(all.three)",
        ),
    ] {
        let saved = kept.typescript(&saving(name, code, Some(example))).await;
        assert_eq!(saved["version"], 1, "{name}");
    }
    // Where it fails is where it stands.
    let thrown = kept
        .thrown(
            TypeScript,
            &saving(
                "fails",
                code,
                Some("two(1);\n  throw new RangeError(two(2))"),
            ),
        )
        .await;
    assert!(
        thrown.contains("the example fails: RangeError: 4"),
        "{thrown}"
    );
    assert!(thrown.contains("example.ts:2:"), "{thrown}");
    let code = "def two(n: int) -> int:\n    return n * 2\n";
    for (name, example) in [
        ("py-plain", "assert two(1) == 2"),
        ("py-comment", "# as one would\nassert two(1) == 2"),
        ("py-lines", "\nassert two(1) == 2"),
        (
            "py-compound",
            "for n in range(2):\n    assert two(n) == 2 * n",
        ),
        (
            "py-imports",
            "from skills.py_imports import two\nassert two(1) == 2",
        ),
    ] {
        let source = format!(
            "saved = await skills.save({}, description='Twice', code={}, example={})\nsaved['version']",
            json!(name),
            json!(code),
            json!(example),
        );
        let outcome = kept.isolate(Python, &source).run().await.unwrap();
        assert_eq!(
            outcome.value::<u32>().ok(),
            Some(1),
            "{name}: {}",
            outcome.ending
        );
    }
}
