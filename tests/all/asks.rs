//! What npm's `server-everything` asks and offers besides tools: forms, addresses, a model, roots,
//! resources, prompts; answered by a program that embeds runs, and a client of `ampoule serve`.

use std::fs;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Abilities, Ask, AskKind, Grant, Notice, Respondent, Runtime, Script};
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{binary, prepared, repository};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

pub(crate) fn everything(test: &str) -> Option<String> {
    let folder = prepared(test, "AMPOULE_TEST_NODE")?;
    let file = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    Some(folder.join(file).to_str().expect("UTF-8").to_owned())
}

/// Says yes to everything.
#[derive(Debug)]
struct Agreeable;

impl Respondent for Agreeable {
    fn abilities(&self) -> Abilities {
        let mut abilities = Abilities::default();
        (abilities.form, abilities.url, abilities.sampling) = (true, true, true);
        abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>> {
        let answer = match ask.kind {
            AskKind::Sampling => json!({
                "role": "assistant",
                "model": "none",
                "content": { "type": "text", "text": "sampled here" },
            }),
            AskKind::Url => json!({ "action": "accept" }),
            _ => json!({ "action": "accept", "content": { "name": "Ada", "check": true } }),
        };
        std::future::ready(Ok(answer.as_object().cloned().unwrap_or_default())).boxed()
    }

    fn hear(&self, _: Notice) -> bool {
        true
    }
}

fn runtime(server: &str) -> Runtime {
    let command = ServerCommand::new("node").args([server.to_owned(), "stdio".to_owned()]);
    let options = UpstreamOptions {
        roots: vec!["/srv/documents".to_owned()],
        ..UpstreamOptions::default()
    };
    let runtime = Runtime::builder()
        .binding(Upstream::stdio("everything", command, options))
        .build()
        .expect("a runtime");
    let tools = runtime.tools(Grant::all()).expect("tools");
    tools.can_be_answered(Agreeable.abilities());
    runtime
}

async fn value(runtime: &Runtime, script: Script, grant: &str) -> Value {
    let isolate = runtime
        .isolate(script)
        .grant(grant.parse().expect("a grant"));
    let outcome = isolate.respondent(Agreeable).run().await;
    let outcome = outcome.expect("no host fault");
    outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}\n{}", outcome.output))
}

#[tokio::test]
async fn a_program_answers_what_a_server_asks() {
    let Some(server) = everything("a_program_answers_what_a_server_asks") else {
        return;
    };
    let runtime = runtime(&server);
    let source = r#"
        const text = (value: unknown) => JSON.stringify(value);
        return {
            form: text(await everything.triggerElicitationRequest()),
            sampled: text(await everything.triggerSamplingRequest({ prompt: "x", maxTokens: 5 })),
            roots: text(await everything.getRootsList()),
        };"#;
    let value = value(&runtime, Script::typescript(source), "everything").await;
    for (part, says) in [
        ("form", "Ada"),
        ("sampled", "sampled here"),
        ("roots", "file:///srv/documents"),
    ] {
        let said = value[part].as_str().expect("a text");
        assert!(said.contains(says), "{part}: {said}");
    }
    runtime.close().await;
}

#[tokio::test]
async fn resources_and_prompts_are_within_reach_of_scripts() {
    let Some(server) = everything("resources_and_prompts_are_within_reach_of_scripts") else {
        return;
    };
    let runtime = runtime(&server);
    let typescript = r#"
        const x = tools.everything;
        const [blob] = await x.$read("demo://resource/dynamic/blob/1");
        const [text] = await x.$read({ uri: "demo://resource/dynamic/text/1" });
        const prompt = await x.$prompt("args-prompt", { city: "Oslo" });
        return {
            resources: (await x.$resources()).length > 0,
            templates: (await x.$templates()).map((template) => template.uriTemplate),
            blob: [blob.blob instanceof Uint8Array, new TextDecoder().decode(blob.blob).slice(0, 9)],
            text: text.text.slice(0, 9),
            prompts: (await x.$prompts()).map((prompt) => prompt.name).includes("args-prompt"),
            prompt: prompt.messages[0].content.text,
            completed: (await x.$complete("completable-prompt", { name: "department", value: "S" })).values,
        };"#;
    let python = r#"
x = tools.everything
[blob] = await x._read("demo://resource/dynamic/blob/1")
[text] = await x["$read"](uri="demo://resource/dynamic/text/1")
prompt = await x._prompt("args-prompt", {"city": "Oslo"})
completed = await x._complete("completable-prompt", {"name": "department", "value": "S"})
return {
    "resources": len(await x._resources()) > 0,
    "templates": [template.uriTemplate for template in await x._templates()],
    "blob": [isinstance(blob.blob, bytes), blob.blob.decode()[:9]],
    "text": text.text[:9],
    "prompts": "args-prompt" in [prompt.name for prompt in await x._prompts()],
    "prompt": prompt.messages[0].content.text,
    "completed": completed["values"],
}"#;
    let expected = json!({
        "resources": true,
        "templates": ["demo://resource/dynamic/text/{resourceId}", "demo://resource/dynamic/blob/{resourceId}"],
        "blob": [true, "Resource "],
        "text": "Resource ",
        "prompts": true,
        "prompt": "What's weather in Oslo?",
        "completed": ["Sales", "Support"],
    });
    for script in [Script::typescript(typescript), Script::python(python)] {
        assert_eq!(value(&runtime, script, "everything").await, expected);
    }
    // They are granted like tools, under their own names.
    let both = "const can = async (call) => { try { await call(); return true } catch { return false } };
        return [await can(() => tools.everything.$prompts()), await can(() => tools.everything.$resources())]";
    for (grant, granted) in [
        ("everything.$prompts, everything.echo", [true, false]),
        ("everything.prompts, everything.echo", [false, false]),
        ("everything.$*", [true, true]),
        ("everything", [true, true]),
    ] {
        let script = Script::javascript(both);
        assert_eq!(
            value(&runtime, script, grant).await,
            json!(granted),
            "{grant}"
        );
    }
    runtime.close().await;
}

#[tokio::test]
async fn bytes_are_returned_as_content_blocks() {
    let runtime = Runtime::builder().build().expect("a runtime");
    let png = json!({ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" });
    let bytes = "0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a";
    for script in [
        Script::javascript(format!("return image(new Uint8Array([{bytes}]))")),
        Script::javascript("return image('iVBORw0KGgo=', 'image/png')"),
        Script::python(format!("return image(bytes([{bytes}]))")),
        Script::python("return image('iVBORw0KGgo=', 'image/png')"),
    ] {
        assert_eq!(value(&runtime, script, "*").await, png);
    }
    let wav = json!({ "type": "audio", "data": "AAE=", "mimeType": "audio/wav" });
    for script in [
        Script::javascript("return audio({ blob: new Uint8Array([0, 1]), mimeType: 'audio/wav' })"),
        Script::python("return audio(b'\\0\\1', 'audio/wav')"),
    ] {
        assert_eq!(value(&runtime, script, "*").await, wav);
    }
    for script in [
        Script::javascript("try { image([1]) } catch (error) { return error.message }"),
        Script::python("try:\n    image([1])\nexcept TypeError as error:\n    return str(error)"),
    ] {
        let said = value(&runtime, script, "*").await;
        assert_eq!(said, "image takes bytes, or their base64, and a MIME type");
    }
}

/// A folder whose configuration has the server alone.
pub(crate) fn configured(server: &str) -> Workplace {
    let workplace = Workplace::default();
    let file =
        format!("[servers.everything]\ncommand = \"node\"\nargs = [{server:?}, \"stdio\"]\n");
    fs::write(workplace.path().join("ampoule.toml"), file).expect("a configuration");
    workplace
}

#[tokio::test]
async fn the_official_client_answers_through_serve() {
    let test = "the_official_client_answers_through_serve";
    let (Some(server), Some(python)) = (everything(test), prepared(test, "AMPOULE_TEST_PYTHON"))
    else {
        return;
    };
    let workplace = configured(&server);
    let mut command = workplace.command(python.join("venv/bin/python"), &[]);
    command
        .arg(repository().join("tests/servers/asked.py"))
        .arg(binary());
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let saw = ran.json();
    let said = |part: &str| saw[part].as_str().expect("a text").to_owned();
    assert_eq!(
        saw["asked"],
        json!(vec![
            "everything asks: Please provide inputs for the following fields:";
            2
        ])
    );
    assert!(said("form").contains("Ada"), "{saw}");
    assert!(said("sampled").contains("sampled there"), "{saw}");
    assert!(said("declined").contains("declined"), "{saw}");
    let progress = saw["progress"].as_array().expect("a list");
    let is_tool_s = |message: &Value| {
        let message = message.as_str().unwrap_or_default();
        message.contains("; everything.trigger-long-running-operation: ")
    };
    assert!(progress.iter().any(is_tool_s), "{saw}");
    // The run waits while a client of 2026-07-28 answers with a request of its own.
    assert_eq!(saw["version"], "2026-07-28");
    assert!(said("modern").contains("Ada"), "{saw}");
}

#[tokio::test]
async fn nobody_is_asked_in_a_pipe() {
    let Some(server) = everything("nobody_is_asked_in_a_pipe") else {
        return;
    };
    let workplace = configured(&server);
    // Lists are cached for each command line, and another client may have seen more tools.
    let file = workplace.path().join("ampoule.toml");
    let config = fs::read_to_string(&file).expect("the configuration");
    let unattended = format!(r#""stdio", "unattended-{}"]"#, std::process::id());
    let config = config.replace(r#""stdio"]"#, &unattended);
    fs::write(&file, config).expect("a configuration");
    let names = "return (await tools.$search('', { limit: 99 })).map((tool) => tool.name)";
    let ran = ended(workplace.command(binary(), &["run", "-q", "-e", names])).await;
    let names: Vec<String> = serde_json::from_str(&ran.stdout).expect("names");
    assert!(names.contains(&"echo".to_owned()), "{names:?}");
    assert!(
        !names.contains(&"trigger-elicitation-request".to_owned()),
        "{names:?}"
    );
}
