//! The programs of `docs/guides/components.md` in Python and JavaScript, held against what their toolchains
//! make of the packages that its commands write.

use std::path::Path;

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{prepared, repository};

use super::python_checkers;
use crate::documents::{Block, blocks_of};

/// The tutorial's programs in a language, each by the name of its file, in a folder with the packages
/// that the tutorial has generated for them.
async fn followed(language: &str) -> (Workplace, Vec<(String, String)>) {
    let blocks = blocks_of(&repository().join("docs/guides/components.md"));
    let is_program = |block: &Block| block.language == language;
    let first = blocks.iter().position(is_program).expect("a program");
    let mut commands = blocks[..first].iter().flat_map(|block| block.text.lines());
    let generate = commands.rfind(|line| line.starts_with("ampoule tools generate "));
    let generate = generate.expect("the packages are generated before");
    let workplace = Workplace::default();
    let mut arguments: Vec<&str> = generate.split_whitespace().skip(1).collect();
    let out = arguments.iter().position(|argument| *argument == "--out");
    arguments[out.expect("a folder") + 1] = ".";
    let ran = workplace.run(&arguments).await;
    assert_eq!(ran.code, Some(0), "{generate}: {ran:?}");
    let programs = blocks.into_iter().filter(is_program).map(|block| {
        let file = block.said_before.rsplit('`').nth(1);
        (file.expect("a file").to_owned(), block.text)
    });
    (workplace, programs.collect())
}

#[tokio::test]
async fn the_tutorials_program_in_python_is_accepted() {
    let test = "the_tutorials_program_in_python_is_accepted";
    let (Some(node), Some(python)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let (workplace, programs) = followed("python").await;
    let packages = workplace.path().join("node_modules");
    std::os::unix::fs::symlink(node.join("node_modules"), packages).expect("a link");
    let componentize = python.join("venv/bin/componentize-py");
    let bindings = ["-d", "wit", "-w", "program", "bindings", "."];
    let ran = ended(workplace.command(componentize, &bindings)).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // What it imports has faults of its own, to mypy.
    let theirs = "[mypy]\n[mypy-componentize_py_async_support.*]\nignore_errors = True\n";
    workplace.file("mypy.ini", theirs);
    for (file, text) in programs {
        workplace.file(&file, &text);
        for said in python_checkers(&workplace, &python, &[&file]).await {
            assert_eq!(said.code, Some(0), "{}", said.stdout);
        }
        let wrong = text.replace("business.today", "business.to_day");
        assert_ne!(wrong, text);
        workplace.file(&file, &wrong);
        for said in python_checkers(&workplace, &python, &[&file]).await {
            assert!(said.stdout.contains("to_day"), "{}", said.stdout);
        }
    }
}

/// What TypeScript's compiler says of the programs, as strictly as it can.
async fn compiled(workplace: &Workplace, node: &Path, resolution: &str) -> Ran {
    let module = if resolution == "bundler" {
        "esnext"
    } else {
        resolution
    };
    let options = ["--module", module, "--moduleResolution", resolution];
    let tsc = node.join("node_modules/.bin/tsc");
    ended(workplace.command(tsc, &[&["-p", "."], &options[..]].concat())).await
}

#[tokio::test]
async fn the_tutorials_programs_in_javascript_are_accepted() {
    let test = "the_tutorials_programs_in_javascript_are_accepted";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let (workplace, programs) = followed("js").await;
    let at = workplace.path();
    let mut jco = workplace.command("node", &[]);
    jco.arg(repository().join("tests/all/attacks/words/types.mjs"));
    jco.args([&node, &at.join("wit"), &at.join("types")]);
    let ran = ended(jco).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workplace.file(
        "tsconfig.json",
        r#"{
            "compilerOptions": {
                "strict": true, "noEmit": true, "allowJs": true, "checkJs": true,
                "target": "es2023", "lib": ["es2023", "dom"], "types": []
            },
            "files": ["world.ts", "types/guest/program.d.ts"]
        }"#,
    );
    // The program is what its world wants.
    workplace.file(
        "world.ts",
        "import * as program from \"./app.js\";
import type * as world from \"local:program/program\";
program satisfies Pick<typeof world, \"run\">;
",
    );
    for (file, text) in &programs {
        workplace.file(file, text);
    }
    for resolution in ["bundler", "nodenext"] {
        let said = compiled(&workplace, &node, resolution).await;
        assert_eq!(said.code, Some(0), "{resolution}: {}", said.stdout);
    }
    for (file, right, wrong) in [
        ("app.js", "name, today", "name, to_day"),
        ("ampoule.js", "\"debug\", \"log\"", "\"debug\", \"print\""),
        ("ampoule.js", "bytes(8)", "bytes(\"8\")"),
    ] {
        let (_, text) = programs.iter().find(|(name, _)| name == file).expect(file);
        let changed = text.replace(right, wrong);
        assert_ne!(changed, *text);
        workplace.file(file, changed);
        let said = compiled(&workplace, &node, "bundler").await;
        assert!(
            said.stdout.starts_with(&format!("{file}(")),
            "{wrong}: {}",
            said.stdout
        );
        workplace.file(file, text);
    }
}
