//! Scripts in TypeScript, as its compiler takes them.

use ampoule_tests::command::Workplace;
use ampoule_tests::{binary, prepared};

use super::{checked, compiled, generated, written};

/// Scripts that are right.
const IN_TYPESCRIPT: [(&str, &str); 7] = [
    (
        "what is given may be read-only",
        "const status = [\"pending\"] as const;
const { items } = await tools.demo.listOrders({ status });
return items.sort((a, b) => a.totalEurCents - b.totalEurCents).length;",
    ),
    (
        "arguments and results have names",
        "const args: tools.demo.ListOrdersArgs = { limit: 3 };
const page: tools.demo.ListOrdersResult = await tools.demo.listOrders(args);
return page.items.length;",
    ),
    (
        "the server's own names",
        "return (await tools.demo.list_orders({})).total + (await tools.demo.get_business({})).name.length;",
    ),
    (
        "a signal",
        "const signal = new AbortController().signal;\nreturn (await tools.demo.listOrders({}, { signal })).total;",
    ),
    (
        "modules of tools",
        "import { getBusiness } from \"./servers/demo/getBusiness.js\";
import { listOrders, type ListOrdersArgs } from \"./servers/demo/index.js\";
const args: ListOrdersArgs = { limit: 3 };
if ((await listOrders(args)).total === 0) return null;
return (await getBusiness()).name;",
    ),
    (
        "what else there is",
        "try {
  await callMCPTool(\"demo__charge_card\", { orderId: \"ORD-10001\" });
} catch (error) {
  return error instanceof ToolError ? [error.tool, tools.$search(\"orders\")[0]?.identifier, tools.$describe(\"demo.listOrders\").length, env.x] : null;
}",
    ),
    (
        "a function, and nothing behind it",
        "export default async function main() {\n  return (await tools.demo.listOrders()).total;\n}",
    ),
];

/// Scripts that are wrong, the line, and what is said of it.
const WRONG_IN_TYPESCRIPT: [(&str, usize, &str); 7] = [
    (
        "const n = 1;\nreturn tools.demo.listOrders({ status: [\"pendin\"] });",
        2,
        "pendin",
    ),
    (
        "const { items } = await tools.demo.listOrders();\nreturn items[0]?.totl;",
        2,
        "totl",
    ),
    ("\n\nreturn tools.demo.listOrder({});", 3, "listOrder"),
    (
        "import { getBusiness } from \"./servers/demo/index.js\";\n\nreturn (await getBusiness()).nam;",
        3,
        "nam",
    ),
    ("return (await tools.demo.getOrder({})).id;", 1, "orderId"),
    ("return tools.demo.$read(\"x\");", 1, "$read"),
    ("const text: string = env.text;\nreturn text;", 1, "unknown"),
];

#[tokio::test]
async fn typescript_as_scripts_are_written_is_checked() {
    let test = "typescript_as_scripts_are_written_is_checked";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let workplace = generated("typescript", &node).await;
    let files = written(&workplace, "ts", IN_TYPESCRIPT.map(|(_, script)| script));
    let said = checked(&workplace, &files).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    for ((what, _), file) in IN_TYPESCRIPT.iter().zip(&files) {
        let ran = workplace.run(&["run", "--quiet", file]).await;
        assert_eq!(ran.code, Some(0), "{what}: {ran:?}");
    }
    let files = written(
        &workplace,
        "ts",
        WRONG_IN_TYPESCRIPT.map(|(script, ..)| script),
    );
    let said = checked(&workplace, &files).await;
    assert_eq!(said.code, Some(1), "{said:?}");
    for ((script, line, what), file) in WRONG_IN_TYPESCRIPT.iter().zip(&files) {
        let place = format!("{file}({line},");
        let (_, rest) = said.stdout.split_once(&place).expect(script);
        let error = rest.split("\nscript_").next();
        assert!(
            error.is_some_and(|error| error.contains(what)),
            "{script}: {said:?}"
        );
    }
}

#[tokio::test]
async fn what_is_generated_compiles_however_modules_are_found() {
    let test = "what_is_generated_compiles_however_modules_are_found";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let workplace = generated("typescript", &node).await;
    workplace.file("package.json", "{ \"type\": \"module\" }");
    workplace.file(
        "script.ts",
        "import { getBusiness } from \"./servers/demo/index.js\";
const { items } = await tools.demo.listOrders({ limit: 3 });
export default [(await getBusiness()).name, items.length];",
    );
    let nodenext = ["--module", "nodenext", "--moduleResolution", "nodenext"];
    for more in [&[] as &[&str], &nodenext] {
        let said = compiled(&workplace, more).await;
        assert_eq!(said.code, Some(0), "{more:?}: {said:?}");
    }
    workplace.file(
        "wrong.ts",
        "await tools.demo.listProducts({ category: \"boats\" });",
    );
    for more in [&[] as &[&str], &nodenext] {
        let said = compiled(&workplace, more).await;
        assert!(said.stdout.starts_with("wrong.ts(1,"), "{more:?}: {said:?}");
    }
}

#[tokio::test]
async fn a_server_may_be_called_as_the_module_that_calls_tools() {
    let test = "a_server_may_be_called_as_the_module_that_calls_tools";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let workplace = Workplace::default();
    let server = format!(
        "[servers.client]\ncommand = {:?}\nargs = [\"demo-server\"]\n",
        binary()
    );
    workplace.file("ampoule.toml", server);
    for language in ["typescript", "python"] {
        let generate = ["tools", "generate", "--lang", language, "--out", "."];
        let ran = workplace.run(&generate).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let packages = workplace.path().join("node_modules");
    std::os::unix::fs::symlink(node.join("node_modules"), packages).expect("a link");
    let script =
        "import { getBusiness } from \"./servers/client\";\nreturn (await getBusiness()).name;";
    workplace.file("script.ts", script);
    let said = checked(&workplace, &["script.ts"]).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    let ran = workplace.run(&["run", "--quiet", "script.ts"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
