//! What `ampoule tools generate` and the projection write, read by the languages' own tools.

use std::path::{Path, PathBuf};

use ampoule_mutated::Random;
use ampoule_projection::names::{Names, Style, camel_case, kebab_case};
use ampoule_projection::{Detail, Interface, Tool, python, typescript, wit};
use ampoule_projection_tests as schemas;
use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{prepared, repository};
use arbitrary::Unstructured;
use serde_json::{Value, json};
use wit_parser::Resolve;

use crate::accounts_of_servers;

/// How many servers are made at random, with up to three tools each.
const RANDOM_SERVERS: u64 = 120;

/// Runs a program in a workplace, and takes what it complains about as the failure.
async fn accepted(workplace: &Workplace, program: PathBuf, arguments: &[&str]) {
    let ran = ended(workplace.command(program, arguments)).await;
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
}

/// Whether TypeScript takes these files.
async fn accepted_by_tsc(workplace: &Workplace, node: &Path, files: &[String]) {
    let mut arguments = vec![
        "--strict", "--noEmit", "--target", "es2023", "--module", "esnext",
    ];
    arguments.extend(["--moduleResolution", "bundler", "--skipLibCheck", "false"]);
    arguments.extend(files.iter().map(String::as_str));
    accepted(workplace, node.join("node_modules/.bin/tsc"), &arguments).await;
}

/// Whether Python's two checkers take this folder.
async fn accepted_by_checkers(workplace: &Workplace, node: &Path, python: &Path, folder: &str) {
    let strict = [
        "--strict",
        "--python-version",
        "3.13",
        "--no-incremental",
        folder,
    ];
    accepted(workplace, python.join("venv/bin/mypy"), &strict).await;
    let pyright = node.join("node_modules/.bin/pyright");
    accepted(workplace, pyright, &["--pythonversion", "3.13", folder]).await;
}

fn counts(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout.trim_end().split_once(": ").expect("counts").1
}

#[tokio::test]
async fn wit_is_a_world_that_parses() {
    let workplace = Workplace::default();
    let generate = ["tools", "generate", "--lang", "wit", "--out", "guest"];
    assert_eq!(
        counts(&workplace.run(&generate).await),
        "6 changed, 0 unchanged, 0 removed"
    );
    assert_eq!(
        counts(&workplace.run(&generate).await),
        "0 changed, 6 unchanged, 0 removed"
    );
    let mut resolve = Resolve::default();
    let (package, _) = resolve
        .push_dir(workplace.path().join("guest/wit"))
        .expect("a package");
    let world = resolve.packages[package].worlds["program"];
    assert_eq!(resolve.worlds[world].imports.len(), 5);
    let fewer = [
        "tools",
        "generate",
        "--lang",
        "wit",
        "--out",
        "guest",
        "--servers",
        "demo.list_*",
    ];
    assert_eq!(
        counts(&workplace.run(&fewer).await),
        "1 changed, 5 unchanged, 0 removed"
    );
}

#[tokio::test]
async fn typescript_modules_compile_and_run() {
    let Some(node) = prepared("typescript_modules_compile_and_run", "AMPOULE_TEST_NODE") else {
        return;
    };
    let workplace = Workplace::default();
    let ran = workplace
        .run(&["tools", "generate", "--lang", "typescript", "--out", "."])
        .await;
    assert!(counts(&ran).ends_with("0 unchanged, 0 removed"), "{ran:?}");
    workplace.file(
        "report.ts",
        "import { listProducts } from \"./servers/demo\";
import { getBusiness } from \"./servers/demo/getBusiness\";
const { items } = await listProducts({ category: \"desks\" });
const name: string = (await getBusiness()).name;
const ids: string[] = items.map((item) => item.id);
export default { name, first: ids[0] };
",
    );
    accepted_by_tsc(&workplace, &node, &["report.ts".to_owned()]).await;
    workplace.file(
        "wrong.ts",
        "import { listProducts } from \"./servers/demo\";\nawait listProducts({ category: \"boats\" });\n",
    );
    let mut tsc = workplace.command(
        node.join("node_modules/.bin/tsc"),
        &["--strict", "--noEmit"],
    );
    tsc.args([
        "--target",
        "es2023",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
        "wrong.ts",
    ]);
    let refused = ended(tsc).await;
    assert!(refused.stdout.contains("wrong.ts(2,"), "{refused:?}");
    // So do scripts that walk pages.
    workplace.file(
        "walks.ts",
        "import { pages } from \"ampoule/pages\";
const ids: string[] = [];
let total = 0;
for await (const page of pages(tools.demo.listOrders, { limit: 200 }, ({ nextCursor }) => nextCursor && { cursor: nextCursor })) {
  ids.push(...page.items.map((order) => order.id));
  total = page.total;
}
export default [ids.length - total, ids.length > 200];
",
    );
    let walks = ["tools.d.ts", "walks.ts"].map(str::to_owned);
    accepted_by_tsc(&workplace, &node, &walks).await;
    let walked = workplace.run(&["run", "walks.ts"]).await;
    assert_eq!(walked.json(), json!([0, true]), "{walked:?}");
    // The same program runs in an isolate, which has these modules of its own.
    assert_eq!(
        workplace.run(&["run", "report.ts"]).await.json()["first"],
        "PRD-01"
    );
}

#[tokio::test]
async fn python_stubs_are_accepted() {
    let test = "python_stubs_are_accepted";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let Some(python) = prepared(test, "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let workplace = Workplace::default();
    let ran = workplace
        .run(&["tools", "generate", "--lang", "python", "--out", "."])
        .await;
    assert_eq!(counts(&ran), "11 changed, 0 unchanged, 0 removed");
    // Another language in the same folder leaves them alone, and so does a file that is somebody
    // else's.
    workplace.file("servers/client.ts", "mine");
    let modules = ["tools", "generate", "--lang", "typescript", "--out", "."];
    let refused = workplace.run(&modules).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("servers/client.ts already exists"),
        "{refused:?}"
    );
    std::fs::remove_file(workplace.path().join("servers/client.ts")).expect("it is there");
    assert!(counts(&workplace.run(&modules).await).ends_with(" changed, 0 unchanged, 0 removed"));
    accepted_by_checkers(&workplace, &node, &python, "servers").await;
    workplace.file(
        "walks.py",
        "import tools
from ampoule.pages import pages

async def ids() -> list[str]:
    found: list[str] = []
    async for page in pages(tools.demo.list_orders, lambda page, given: page[\"nextCursor\"] and {\"cursor\": page[\"nextCursor\"]}, limit=200):
        found += [order[\"id\"] for order in page[\"items\"]]
    return found
",
    );
    accepted_by_checkers(&workplace, &node, &python, "walks.py").await;
}

/// A server's name and its tools.
type Server = (String, Vec<Tool>);

/// The tools of each real server.
fn real_servers() -> Vec<Server> {
    let servers = servers_in("tests/corpora/tools");
    assert!(servers.len() >= 10, "{}", servers.len());
    servers
}

/// The tools of a folder's files, each as a server.
fn servers_in(folder: &str) -> Vec<Server> {
    let folder = repository().join(folder);
    let files = std::fs::read_dir(folder).expect("the corpora");
    let mut servers: Vec<Server> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| {
            let text = std::fs::read(&path).expect("a corpus");
            let list: Value = serde_json::from_slice(&text).expect("JSON");
            let name = path.file_stem().expect("a name").to_string_lossy();
            let tools = serde_json::from_value(list["tools"].clone()).expect("tools");
            (name.into_owned(), tools)
        })
        .collect();
    servers.sort_by(|a, b| a.0.cmp(&b.0));
    servers
}

/// Servers with tools made at random, the same each time.
fn random_servers() -> Vec<Server> {
    let server = |seed: u64| {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..400).flat_map(|_| random.draw().to_le_bytes()).collect();
        let tools = schemas::tools(&mut Unstructured::new(&bytes)).expect("enough bytes");
        (format!("random-{seed}"), tools)
    };
    let servers: Vec<Server> = (0..RANDOM_SERVERS).map(server).collect();
    let tools: usize = servers.iter().map(|(_, tools)| tools.len()).sum();
    assert!(tools >= 200, "{tools} tools");
    servers
}

fn names(tools: &[Tool], style: Style) -> Names {
    Names::new(tools.iter().map(|tool| tool.name.as_str()), style)
}

#[tokio::test]
async fn every_real_server_is_accepted_in_typescript_and_python() {
    let test = "every_real_server_is_accepted_in_typescript_and_python";
    accepted_in_typescript_and_python(test, real_servers()).await;
}

#[tokio::test]
async fn every_golden_is_accepted_in_typescript_and_python() {
    let test = "every_golden_is_accepted_in_typescript_and_python";
    accepted_in_typescript_and_python(test, servers_in("tests/corpora/projection")).await;
}

#[tokio::test]
async fn schemas_that_nobody_thought_of_are_accepted_in_typescript_and_python() {
    let test = "schemas_that_nobody_thought_of_are_accepted_in_typescript_and_python";
    accepted_in_typescript_and_python(test, random_servers()).await;
}

/// Asks TypeScript's compiler and Python's checkers, each in one run for all servers.
async fn accepted_in_typescript_and_python(test: &str, servers: Vec<Server>) {
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let Some(python) = prepared(test, "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let workplace = Workplace::default();
    // What `ampoule tools generate` writes beside them.
    let shared = |file: &str| {
        let path = repository()
            .join("host/command/cli/src/tools/generate")
            .join(file);
        std::fs::read(path).expect("a file")
    };
    workplace.file("tools.d.ts", shared("typescript/globals.d.ts"));
    workplace.file("tools/__init__.pyi", shared("python/tools.pyi"));
    workplace.file("pyrightconfig.json", r#"{ "typeCheckingMode": "strict" }"#);
    let mut files = vec!["tools.d.ts".to_owned()];
    for (server, tools) in servers {
        let interface = Interface::of(&tools);
        let namespace = typescript::Namespace {
            identifier: &camel_case(&server),
            interface: &interface,
            names: &names(&tools, Style::Camel),
        };
        files.push(format!("{server}.d.ts"));
        let file = typescript::ambient(&namespace);
        workplace.file(&format!("{server}.d.ts"), file);
        // What models read; a module, so that each may have its own types.
        let declared = typescript::declare(&[namespace], Detail::Full);
        files.push(format!("{server}.ts"));
        workplace.file(&format!("{server}.ts"), declared + "export {};\n");
        let stub = python::stub(&interface, &names(&tools, Style::Snake));
        workplace.file(&format!("stubs/{}.pyi", server.replace('-', "_")), stub);
    }
    accepted_by_tsc(&workplace, &node, &files).await;
    accepted_by_checkers(&workplace, &node, &python, "stubs").await;
}

#[test]
fn every_real_server_is_a_package_that_is_printed_as_it_is_read() {
    for (server, tools) in real_servers() {
        let package = wit::package(
            &kebab_case(&server),
            &Interface::of(&tools),
            &names(&tools, Style::Kebab),
        );
        let mut resolve = Resolve::default();
        resolve
            .push_str(
                "values.wit",
                &format!("package ampoule:guest@0.1.0;\n{}", wit::VALUES),
            )
            .expect("the values");
        let id = resolve
            .push_str("tools.wit", &package.to_string())
            .expect("a package");
        let parsed = &resolve.packages[id];
        let interface = parsed.interfaces[&parsed.name.name];
        assert_eq!(resolve.interfaces[interface].functions.len(), tools.len());
        for name in resolve.interfaces[interface].functions.keys() {
            assert!(
                package
                    .function(name.trim_start_matches("[async]"))
                    .is_some(),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn an_account_with_other_tools_has_types_of_its_own() {
    let test = "generate::an_account_with_other_tools_has_types_of_its_own";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let accounts = "[servers.jira.accounts.home.tools]\nallow = ['get_*']\n\
        [servers.jira.accounts.far-away]\nenv = { TOOLS = 'move_issue' }\n";
    let workplace = accounts_of_servers::workplace(accounts_of_servers::DEFAULT, accounts);
    let generate = ["tools", "generate", "--lang", "typescript", "--out", "out"];
    let generated = workplace.run_at_home(&generate).await;
    assert_eq!(generated.code, Some(0), "{generated:?}");
    let files = |name: &str| ["out/tools.d.ts".to_owned(), format!("out/{name}.ts")];
    let right = r#"export const all = async () => [
        await tools.jira.deleteIssue({}),
        await tools.jira.as("work").deleteIssue({ key: "a" }),
        await tools.jira.as("home").getIssue({}),
        await tools.jira.as("far-away").moveIssue({}),
        await tools.jira.as("home").as("work").deleteIssue({}),
    ];"#;
    workplace.file("out/right.ts", right);
    accepted_by_tsc(&workplace, &node, &files("right")).await;
    for (call, lacks) in [
        (r#"as("home").deleteIssue"#, "deleteIssue"),
        (r#"as("work").moveIssue"#, "moveIssue"),
        (r#"as("nobody").getIssue"#, "nobody"),
    ] {
        let wrong = format!("export const one = () => tools.jira.{call}({{}});");
        workplace.file("out/wrong.ts", wrong);
        let compiler = node.join("node_modules/.bin/tsc");
        let arguments = [
            "--strict", "--noEmit", "--target", "es2023", "--module", "esnext",
        ];
        let mut command = workplace.command(compiler, &arguments);
        let ran = ended({
            command.args(files("wrong"));
            command
        });
        let ran = ran.await;
        assert_ne!(ran.code, Some(0), "{call}");
        assert!(ran.stdout.contains(lacks), "{call}: {ran:?}");
    }
}

#[tokio::test]
async fn each_account_has_its_own_tools_in_python() {
    let test = "generate::each_account_has_its_own_tools_in_python";
    let (Some(node), Some(python)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let accounts = "[servers.jira.accounts.home.tools]\nallow = ['get_*']\n\
        [servers.jira.accounts.far-away]\nenv = { TOOLS = 'move_issue' }\n";
    let workplace = accounts_of_servers::workplace(accounts_of_servers::DEFAULT, accounts);
    let generate = ["tools", "generate", "--lang", "python", "--out", "out"];
    let generated = workplace.run_at_home(&generate).await;
    assert_eq!(generated.code, Some(0), "{generated:?}");
    workplace.file("pyrightconfig.json", r#"{ "typeCheckingMode": "strict" }"#);
    let right = "import tools\n\n\
        async def all_of_them() -> None:\n    \
        await tools.jira.delete_issue(key=\"a\")\n    \
        await tools.jira.as_(\"work\").delete_issue(key=\"a\")\n    \
        await tools.jira.as_(\"home\").get_issue(key=\"a\")\n    \
        await tools.jira.as_(\"far-away\").move_issue(key=\"a\")\n";
    workplace.file("out/script.py", right);
    accepted_by_checkers(&workplace, &node, &python, "out").await;
    for (call, lacks) in [
        ("as_(\"home\").delete_issue", "delete_issue"),
        ("as_(\"work\").move_issue", "move_issue"),
        ("as_(\"nobody\").get_issue", "nobody"),
    ] {
        let wrong = format!("import tools\n\ntools.jira.{call}(key=\"a\")\n");
        workplace.file("out/script.py", wrong);
        let pyright = node.join("node_modules/.bin/pyright");
        let ran = ended(workplace.command(pyright, &["out/script.py"])).await;
        assert_ne!(ran.code, Some(0), "{call}");
        assert!(ran.stdout.contains(lacks), "{call}: {ran:?}");
    }
}
