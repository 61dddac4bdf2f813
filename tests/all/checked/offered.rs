//! What servers have besides tools, of npm's `server-everything`: it is declared, and runs as it is
//! declared.

use std::collections::BTreeSet;

use ampoule_tests::prepared;

use super::{checked, compiled, generate, lines, python_checkers};
use crate::asks::{configured, everything};

const IN_TYPESCRIPT: &str = r#"
const x = tools.everything;
const [text] = await x.$read("demo://resource/dynamic/text/1");
const [blob] = await x.$read({ uri: "demo://resource/dynamic/blob/1" }, { signal: new AbortController().signal });
const { messages } = await x.$prompt("args-prompt", { city: "Oslo" });
const again = await x.$prompt({ name: "args-prompt", arguments: { city: "Oslo" } });
const content = messages[0]?.content;
const department = { name: "department", value: "S" };
const named = await x.$complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: department });
const value = {
  resources: (await x.$resources()).some((resource) => resource.uri.startsWith("demo://")),
  templates: (await x.$templates({})).map((template) => template.uriTemplate).length,
  prompts: (await x.$prompts()).find((prompt) => prompt.name === "args-prompt")?.arguments?.[0]?.name,
  text: text?.text?.slice(0, 8),
  blob: blob?.blob && new TextDecoder().decode(blob.blob).slice(0, 8),
  prompt: content?.type === "text" ? content.text : null,
  same: again.messages.length,
  completed: (await x.$complete("completable-prompt", department)).values,
  named: named.values.length,
};
"#;

/// Each line is wrong.
const WRONG_IN_TYPESCRIPT: &str = r#"await tools.everything.$read();
await tools.everything.$read(1);
(await tools.everything.$read("x"))[0]!.txt;
await tools.everything.$resources({ of: "x" });
await tools.everything.$prompt("x", { city: 1 });
await tools.everything.$complete("x");
await tools.everything.$subscribe("x");
"#;

const IN_PYTHON: &str = r#"
x = tools.everything
text = (await x._read("demo://resource/dynamic/text/1"))[0]
blob = (await everything._read({"uri": "demo://resource/dynamic/blob/1"}))[0]
prompt = await x._prompt("args-prompt", {"city": "Oslo"})
again = await x._prompt(name="args-prompt", arguments={"city": "Oslo"})
prompts = {"type": "ref/prompt", "name": "completable-prompt"}
named = await x._complete(ref=prompts, argument={"name": "department", "value": "S"})
return {
    "resources": any(resource.uri.startswith("demo://") for resource in await x._resources()),
    "templates": len([template.uriTemplate for template in await x._templates()]),
    "prompts": [each.arguments[0].name for each in await x._prompts() if each.name == "args-prompt"][0],
    "text": text.text[:8],
    "blob": blob.blob.decode()[:8],
    "prompt": prompt.messages[0].content.text,
    "same": len(again["messages"]),
    "completed": (await x._complete("completable-prompt", {"name": "department", "value": "S"}))["values"],
    "named": len(named["values"]),
}
"#;

/// Each line but the first three is wrong.
const WRONG_IN_PYTHON: &str = r#"import tools

async def main() -> None:
    await tools.everything._read()
    await tools.everything._read(1)
    (await tools.everything._read("x"))[0].text.nothing
    await tools.everything._read({"url": "x"})
    await tools.everything._resources("x")
    await tools.everything._prompt("x", {"city": 1})
    await tools.everything._complete("x")
    await tools.everything._subscribe("x")
    tools.everything._read("x")[0]
"#;

const VALUE: &str = r#"{"resources":true,"templates":2,"prompts":"city","text":"Resource","blob":"Resource","prompt":"What's weather in Oslo?","same":1,"completed":["Sales","Support"],"named":2}"#;

#[tokio::test]
async fn resources_and_prompts_are_declared_in_typescript() {
    let test = "resources_and_prompts_are_declared_in_typescript";
    let (Some(server), Some(node)) = (everything(test), prepared(test, "AMPOULE_TEST_NODE")) else {
        return;
    };
    let workplace = configured(&server);
    generate(&workplace, "typescript", &node).await;
    workplace.file("script.ts", format!("{IN_TYPESCRIPT}return value;\n"));
    let said = checked(&workplace, &["script.ts"]).await;
    assert_eq!(said.code, Some(0), "{}", said.stdout);
    let ran = workplace.run(&["run", "--quiet", "script.ts"]).await;
    let value: serde_json::Value = serde_json::from_str(VALUE).expect("JSON");
    assert_eq!((ran.code, ran.json()), (Some(0), value), "{}", ran.stderr);

    // As a module, for the compiler alone.
    workplace.file("package.json", "{ \"type\": \"module\" }");
    workplace.file(
        "script.ts",
        format!("{IN_TYPESCRIPT}export default value;\n"),
    );
    let nodenext = ["--module", "nodenext", "--moduleResolution", "nodenext"];
    for more in [&[] as &[&str], &nodenext] {
        let said = compiled(&workplace, more).await;
        assert_eq!(said.code, Some(0), "{more:?}: {}", said.stdout);
    }
    workplace.file("wrong.ts", WRONG_IN_TYPESCRIPT);
    let said = checked(&workplace, &["wrong.ts"]).await.stdout;
    for line in 1..=WRONG_IN_TYPESCRIPT.lines().count() {
        assert!(
            said.contains(&format!("wrong.ts({line},")),
            "{line}: {said}"
        );
    }
}

#[tokio::test]
async fn resources_and_prompts_are_declared_in_python() {
    let test = "resources_and_prompts_are_declared_in_python";
    let (Some(server), Some(node), Some(python)) = (
        everything(test),
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let workplace = configured(&server);
    generate(&workplace, "python", &node).await;
    let body = IN_PYTHON.lines().map(|line| format!("    {line}\n"));
    let script = format!(
        "import tools\nfrom servers import everything\n\nasync def main() -> object:\n{}",
        body.collect::<String>()
    );
    workplace.file("script.py", script);
    for said in python_checkers(&workplace, &python, &["script.py"]).await {
        assert_eq!(said.code, Some(0), "{}", said.stdout);
    }
    let ran = workplace.run(&["run", "--quiet", "script.py"]).await;
    let value: serde_json::Value = serde_json::from_str(VALUE).expect("JSON");
    assert_eq!((ran.code, ran.json()), (Some(0), value), "{}", ran.stderr);
    workplace.file("wrong.py", WRONG_IN_PYTHON);
    let wanted: BTreeSet<usize> = (4..=WRONG_IN_PYTHON.lines().count()).collect();
    for said in python_checkers(&workplace, &python, &["wrong.py"]).await {
        assert_eq!(lines(&said.stdout, "wrong.py"), wanted, "{}", said.stdout);
    }
    // The stubs themselves.
    for said in python_checkers(&workplace, &python, &["servers"]).await {
        assert_eq!(said.code, Some(0), "{}", said.stdout);
    }
}

#[tokio::test]
async fn what_is_not_granted_is_not_declared_and_what_is_shows_in_a_terminal() {
    let test = "what_is_not_granted_is_not_declared_and_what_is_shows_in_a_terminal";
    let Some(server) = everything(test) else {
        return;
    };
    let workplace = configured(&server);
    let some = "everything.echo,everything.$read";
    for (language, file, read, prompts) in [
        (
            "typescript",
            "servers/everything/tools.global.d.ts",
            "$read",
            "$prompts",
        ),
        (
            "python",
            "servers/everything/__init__.pyi",
            "_read",
            "_prompts",
        ),
    ] {
        let generate = [
            "tools",
            "generate",
            "--lang",
            language,
            "--out",
            ".",
            "--servers",
            some,
        ];
        let ran = workplace.run(&generate).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let text = std::fs::read_to_string(workplace.path().join(file)).expect("a file");
        assert!(text.contains(read) && !text.contains(prompts), "{text}");
    }
    for (arguments, says) in [
        (
            &["show", "everything"][..],
            "  function $read(args: { uri: string }): Promise<",
        ),
        (
            &["show", "everything", "--format", "py"],
            "\ndef _read(args: ReadArgs, /)",
        ),
        (
            &["search", "resource"],
            "\neverything also has: $resources(), $templates(), $read(uri), $prompts(), $prompt(name, arguments), $complete(ref, argument, context)\n",
        ),
        (
            &["search", "resource", "--language", "python"],
            "\neverything also has: _resources(), ",
        ),
    ] {
        let ran = workplace.run(&[&["tools"], arguments].concat()).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains(says), "{arguments:?}: {}", ran.stdout);
    }
}
