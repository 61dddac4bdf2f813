//! Which runs are kept, and what is each run's own.

use ampoule::{Ending, Grant, Language, Limits, Quota, Script, Workspace};
use serde_json::{Value, json};

use super::{Kept, session};

use Language::{Python, TypeScript};

#[tokio::test]
async fn a_run_that_throws_leaves_the_session_as_it_was_and_says_so() {
    let kept = Kept::new();
    for (language, first, throws, look) in [
        (
            TypeScript,
            "const list = [1]",
            "list.push(2); let more = 1; throw new Error('no')",
            "return [list, typeof more]",
        ),
        (
            Python,
            "list_ = [1]",
            "list_.append(2)\nmore = 1\nraise ValueError('no')",
            "[list_, 'undefined' if 'more' not in globals() else '?']",
        ),
    ] {
        let name = language.name();
        kept.value(name, language, first).await;
        let outcome = kept.run(name, language, throws).await;
        assert!(matches!(outcome.ending, Ending::Threw(_)));
        assert!(!session(&outcome).kept);
        assert_eq!(session(&outcome).run, 1);
        assert_eq!(session(&outcome).notes, ["the script threw an error"]);
        let value = kept.value(name, language, look).await;
        assert_eq!(value, json!([[1], "undefined"]));
    }
}

#[tokio::test]
async fn the_strings_of_a_run_are_its_own() {
    let kept = Kept::new();
    for (language, declares, look) in [
        (
            TypeScript,
            "const first = strings.text",
            "return [first, typeof strings]",
        ),
        (
            Python,
            "first = strings.text",
            "[first, 'strings' in dir(__builtins__) or 'strings' in globals()]",
        ),
    ] {
        let name = language.name();
        let script = Script::new(language, declares).string("text", "a text");
        let isolate = kept.runtime.isolate(script).grant(Grant::all());
        let outcome = isolate.session(name).run().await.unwrap();
        assert!(session(&outcome).kept, "{}", outcome.ending);
        let absent = match language {
            Python => json!(false),
            _ => json!("undefined"),
        };
        let value = kept.value(name, language, look).await;
        assert_eq!(value, json!(["a text", absent]));
    }
}

#[tokio::test]
async fn who_wants_it_keeps_what_a_run_left_that_threw() {
    let kept = Kept::new();
    for (language, throws, look) in [
        (
            TypeScript,
            "const a = 1; const b = [2]; if (a) throw new Error('no'); const c = 3",
            "let c = 4; return [a, b, c]",
        ),
        (
            Python,
            "a = 1\nb = [2]\nraise ValueError('no')",
            "c = 4\n[a, b, c]",
        ),
    ] {
        let name = language.name();
        let isolate = kept.isolate(name, language, throws).keep_always();
        let outcome = isolate.run().await.unwrap();
        assert!(matches!(outcome.ending, Ending::Threw(_)));
        assert!(session(&outcome).kept);
        let value = kept.value(name, language, look).await;
        assert_eq!(value, json!([1, [2], 4]));
    }
}

#[tokio::test]
async fn limits_and_cancelling_leave_it_as_it_was() {
    let kept = Kept::new();
    kept.typescript("let n = 1").await;
    let limits = Limits {
        fuel: 50_000_000,
        ..*kept.runtime.limits()
    };
    let endless = kept.isolate("it", TypeScript, "n = 2; while (true) n++");
    let endless = endless.keep_always().limits(limits).unwrap();
    let outcome = endless.run().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Limit(_)));
    assert_eq!(
        session(&outcome).notes,
        ["the script hit a limit, in the middle of something"]
    );

    let waits = "n = 3; await tools['test-tools'].hang()";
    let run = kept.isolate("it", TypeScript, waits).start().await.unwrap();
    run.canceller().cancel();
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Cancelled));
    assert_eq!(kept.typescript("return n").await, json!(1));
}

#[tokio::test]
async fn a_second_run_waits_for_the_first() {
    let kept = Kept::new();
    kept.typescript("const order = []").await;
    let slow = "order.push(1); await tools['test-tools'].sleep({ ms: 100 }); order.push(2)";
    let first = kept.isolate("it", TypeScript, slow).start().await.unwrap();
    tokio::task::yield_now().await;
    let second = kept.isolate("it", TypeScript, "order.push(3)").run();
    let (first, second) = tokio::join!(first.outcome(), second);
    let kept_both = [first, second].map(|outcome| session(&outcome.unwrap()).kept);
    assert_eq!(kept_both, [true, true]);
    let order = kept.typescript("return order").await;
    assert!(
        order == json!([1, 2, 3]) || order == json!([3, 1, 2]),
        "{order}"
    );
}

#[tokio::test]
async fn entropy_and_clocks_are_each_runs_own() {
    let kept = Kept::new();
    kept.typescript("Math.random()").await;
    kept.value("py", Python, "import random, secrets\nrandom.random()")
        .await;
    let sessions = kept.runtime.sessions(None).unwrap();
    let mut drawn = Vec::new();
    for fork in ["one", "two"] {
        sessions.take("it").unwrap().fork(fork).unwrap();
        let py = format!("{fork}-py");
        sessions.take("py").unwrap().fork(&py).unwrap();
        let script = "return [Math.random(), crypto.randomUUID(), performance.now() < 1000]";
        drawn.push(kept.value(fork, TypeScript, script).await);
        let script = "import time\n[random.random(), secrets.token_hex(8), time.monotonic() < 1]";
        drawn.push(kept.value(&py, Python, script).await);
    }
    let [one, py_one, two, py_two] = &drawn[..] else {
        panic!("{drawn:?}");
    };
    for (one, two) in [(one, two), (py_one, py_two)] {
        assert_ne!(one[0], two[0]);
        assert_ne!(one[1], two[1]);
        assert_eq!((&one[2], &two[2]), (&json!(true), &json!(true)));
    }
}

#[tokio::test]
async fn the_grant_is_that_of_each_run() {
    let kept = Kept::new();
    for (language, keeps, calls) in [
        (
            TypeScript,
            "const echo = tools['test-tools'].echo; await echo({ value: 1 }); const server = tools['test-tools']; await server.add({ a: 1, b: 1 })",
            "const errors = [];
             for (const call of [() => echo({ value: 1 }), () => server.echo({ value: 1 })]) {
                 try { await call(); errors.push('called') } catch (error) { errors.push(error.message.includes('echo')) }
             }
             return [...errors, (await server.add({ a: 1, b: 2 })).sum]",
        ),
        (
            Python,
            "echo = tools.test_tools.echo\nserver = tools.test_tools\nawait echo(value=1)\nawait server.add(a=1, b=1)",
            "errors = []
for call in (lambda: echo(value=1), lambda: server['echo'](value=1)):
    try:
        await call()
        errors.append('called')
    except Exception as error:
        errors.append('echo' in str(error))
[*errors, (await server.add(a=1, b=2)).sum]",
        ),
    ] {
        let name = language.name();
        kept.value(name, language, keeps).await;
        let script = Script::new(language, calls);
        let grant: Grant = "test-tools.add".parse().unwrap();
        let isolate = kept.runtime.isolate(script).grant(grant).session(name);
        let outcome = isolate.run().await.unwrap();
        let value: Value = outcome.value().unwrap();
        assert_eq!(value[0], json!(true), "{value}");
        assert_eq!(value[1], json!(true), "{value}");
        assert_eq!(value[2].as_f64(), Some(3.0), "{value}");
    }
}

#[tokio::test]
async fn files_that_a_run_imports_are_there_in_the_next() {
    let kept = Kept::new();
    let run = async |source: &str| {
        let folder = kept.folder.path().join("workspace");
        let workspace = Workspace::workspace(&folder, Quota::default()).unwrap();
        let isolate = kept.isolate("it", TypeScript, source).workspace(workspace);
        let outcome = isolate.run().await.unwrap();
        let value: Value = outcome.value().unwrap();
        value
    };
    run("import fs from 'node:fs'; import { readFile } from 'node:fs/promises'; return 1").await;
    let script = "fs.mkdirSync('a'); fs.writeFileSync('a/b', 'text'); return [await readFile('a/b', 'utf8'), require('fs') === fs]";
    assert_eq!(run(script).await, json!(["text", true]));
    let script =
        "return ['.', 'a/', './a/../a/b', '/workspace/.'].map((path) => fs.realpathSync(path))";
    let expected = json!(["/workspace", "/workspace/a", "/workspace/a/b", "/workspace"]);
    assert_eq!(run(script).await, expected);
}

#[tokio::test]
async fn a_script_forks_and_rewinds_its_session() {
    let kept = Kept::new();
    kept.typescript("let n = 1").await;
    kept.typescript("n = 2").await;
    let outcome = kept
        .run(
            "it",
            TypeScript,
            "n = 3; session.fork('copy'); return session.name",
        )
        .await;
    assert_eq!(outcome.value::<String>().unwrap(), "it");
    assert_eq!(session(&outcome).notes, ["`copy` is a copy of it"]);
    assert_eq!(kept.value("copy", TypeScript, "return n").await, json!(3));

    // Itself left out, and the one before.
    let outcome = kept.run("it", TypeScript, "n = 4; session.rewind(1)").await;
    assert!(!session(&outcome).kept);
    assert_eq!(session(&outcome).run, 2);
    assert_eq!(kept.typescript("return n").await, json!(2));

    let wrong = "const e = []; for (const f of [() => session.rewind(9), () => session.fork('../x')]) try { f() } catch (error) { e.push(error.name) } return e";
    assert_eq!(
        kept.typescript(wrong).await,
        json!(["RangeError", "TypeError"])
    );

    kept.value("py", Python, "n = 1").await;
    let script = "n = 2\nsession.fork('py-copy')\nsession.rewind()\nsession.name";
    let outcome = kept.run("py", Python, script).await;
    assert_eq!(outcome.value::<String>().unwrap(), "py");
    assert_eq!(kept.value("py", Python, "n").await, json!(1));
    // A copy of what is kept, which this run is not.
    assert_eq!(kept.value("py-copy", Python, "n").await, json!(1));
}

#[tokio::test]
async fn without_a_session_nothing_of_it_is_there() {
    let kept = Kept::new();
    for (script, language) in [
        ("return typeof session", TypeScript),
        (
            "'undefined' if 'session' not in dir(__builtins__) else '?'",
            Python,
        ),
    ] {
        let isolate = kept.runtime.isolate(Script::new(language, script));
        let outcome = isolate.run().await.unwrap();
        assert_eq!(outcome.value::<String>().unwrap(), "undefined");
        assert_eq!(outcome.session, None);
    }
    assert!(
        kept.runtime
            .sessions(None)
            .unwrap()
            .list()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn an_error_says_in_which_runs_source_it_is() {
    let kept = Kept::new();
    kept.typescript("function fails() {\n  return missing.x\n}")
        .await;
    let outcome = kept.run("it", TypeScript, "\n\nreturn fails()").await;
    let told = outcome.ending.to_string();
    assert!(told.contains("script.ts:2:10"), "{told}");
    assert!(told.contains("return missing.x"), "{told}");
    assert!(told.contains("script.2.ts:3:8"), "{told}");

    kept.value("py", Python, "def fails():\n    return missing.x")
        .await;
    let outcome = kept.run("py", Python, "\n\nfails()").await;
    let told = outcome.ending.to_string();
    assert!(told.contains("script.py:2"), "{told}");
    assert!(told.contains("return missing.x"), "{told}");
    assert!(told.contains("\"script.2.py\", line 3"), "{told}");
}

#[tokio::test]
async fn functions_are_declared_for_later_and_main_is_called() {
    let kept = Kept::new();
    let outcome = kept
        .run("it", TypeScript, "function only() { return 1 }")
        .await;
    assert_eq!(outcome.value::<Value>().unwrap(), Value::Null);
    assert_eq!(outcome.output.to_string(), "");
    let main = "async function main() { return only() + 1 }";
    assert_eq!(kept.typescript(main).await, json!(2));
    let outcome = kept.run("py", Python, "def only(a):\n    return a").await;
    assert_eq!(outcome.value::<Value>().unwrap(), Value::Null);
    assert_eq!(outcome.output.to_string(), "");
    let main = "def main():\n    return only(1) + 1";
    assert_eq!(kept.value("py", Python, main).await, json!(2));
}

#[tokio::test]
async fn what_is_kept_is_told_by_name() {
    let kept = Kept::new();
    kept.typescript("const list = [1, 2], text = 'abc', n = 1, when = new Date(0); let empty = null; class A { x = 1 } const a = new A(), m = new Map([[1, 2]]), f = () => 1; function* g() {} const it = g(); const p = new Proxy({}, {})").await;
    kept.value("py", Python, "import math\nlist_ = [1, 2]\ntext = 'abc'\nn = 1\nclass A: pass\na = A()\ndef f(): pass\nit = iter(())")
        .await;
    let told = |name: &str| {
        let sessions = kept.runtime.sessions(None).unwrap();
        let head = sessions.take(name).unwrap().newest().unwrap().unwrap();
        let names = head.about.names.into_iter();
        let told = names.map(|kept| match kept.size {
            Some(size) => format!("{}: {} {size}", kept.name, kept.kind),
            None => format!("{}: {}", kept.name, kept.kind),
        });
        told.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(
        told("it"),
        "list: Array 2, text: string 3, n: number, when: Date, empty: null, A: function, a: A 1, m: Map 1, f: function, g: generatorFunction, it: generator, p: proxy"
    );
    assert_eq!(
        told("py"),
        "math: module, list_: list 2, text: str 3, n: int, A: class, a: A, f: function, it: tuple_iterator"
    );
}
