//! What scripts have of packages.

use ampoule::{Language, Limits, Script};
use ampoule_tests::runtime_builder;
use serde_json::json;

use super::{Tarball, greeting, run, value, with};

#[tokio::test]
async fn scripts_import_and_require_what_was_added() {
    let folder = tempfile::tempdir().unwrap();
    let old = Tarball::new("@scope/old", r#""main":"./lib/main""#).file(
        "lib/main.js",
        "exports.total = (list) => list.reduce((a, b) => a + b, 0); exports.size = Buffer.from('hi').length",
    );
    let runtime = with(folder.path(), &[greeting(), old]).build().unwrap();
    let tried = runtime.try_packages(Language::TypeScript).await;
    assert!(tried.unwrap().is_empty());
    let typed = "import greet, { loads, type Shape } from 'greeting';\nimport * as all from 'greeting';\nimport old, { total, size } from '@scope/old';\nconst name: string = 'Ada';\nconst late = await import('greeting/late/value');\nreturn [greet(name), loads, all.default === greet, total([1, 2]), old.total === total, size, late.VALUE, require('greeting').greet('you'), require('@scope/old').size]";
    assert_eq!(
        value(&runtime, typed).await,
        json!(["Hello, Ada", [1], true, 3, true, 2, 42, "Hello, you", 2])
    );
    let plain = Script::javascript("import { greet } from 'greeting'; return greet('you')");
    let outcome = runtime.isolate(plain).run().await.unwrap();
    assert_eq!(outcome.value::<String>().unwrap(), "Hello, you");
}

#[tokio::test]
async fn each_run_begins_with_the_packages_as_they_were_added() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = with(folder.path(), &[greeting()]).build().unwrap();
    let source = "import { loads } from 'greeting'; loads.push(2); globalThis.seen = (globalThis.seen ?? 0) + 1; return [loads, seen, Math.random(), crypto.randomUUID()]";
    let [first, second] = [value(&runtime, source).await, value(&runtime, source).await];
    assert_eq!((&first[0], &first[1]), (&json!([1, 2]), &json!(1)));
    assert_eq!((&second[0], &second[1]), (&json!([1, 2]), &json!(1)));
    assert_ne!(first[2], second[2], "random numbers are each run's own");
    assert_ne!(first[3], second[3], "random numbers are each run's own");
}

#[tokio::test]
async fn a_script_that_imports_no_package_pays_nothing_for_those_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let many = (0..200).fold(
        Tarball::new("many", r#""type":"module","main":"index.js""#),
        |many, at| {
            many.file(
                &format!("m{at}.js"),
                format!(
                    "export const v{at} = Array.from({{ length: 200 }}, (_, at) => ({{ at }}));"
                ),
            )
        },
    );
    let index: String = (0..200)
        .map(|at| format!("export * from './m{at}.js';\n"))
        .collect();
    let packaged = with(folder.path(), &[greeting(), many.file("index.js", index)]);
    let (packaged, bare) = (
        packaged.build().unwrap(),
        runtime_builder().build().unwrap(),
    );
    let mut fuel = Vec::new();
    for runtime in [&packaged, &bare] {
        let outcome = run(
            runtime,
            "const list: number[] = [1, 2, 3]; return list.map((n) => n * 2)",
        );
        fuel.push(outcome.await.unwrap().usage.fuel);
    }
    let (packaged_fuel, bare_fuel) = (fuel[0], fuel[1]);
    assert!(
        packaged_fuel <= bare_fuel + bare_fuel / 50,
        "{packaged_fuel} beside {bare_fuel}"
    );
    // Nor does one that imports them pay for their number.
    let source = "import { v199 } from 'many'; return v199.length";
    let used = run(&packaged, source).await.unwrap().usage.fuel;
    assert!(used < 4 * bare_fuel, "{used} beside {bare_fuel}");
}

#[tokio::test]
async fn errors_name_what_failed_in_a_package_and_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = with(folder.path(), &[greeting()]).build().unwrap();
    for (source, says) in [
        (
            "import { broken } from 'greeting'; return broken()",
            "inside",
        ),
        (
            "import { nothing } from 'greeting'; return nothing()",
            "nothing",
        ),
        (
            "import x from 'greeting/words.js'; return x",
            "the package greeting has nothing by that name",
        ),
        (
            "import pad from 'left-pad'; return pad('a')",
            "`ampoule javascript add left-pad`",
        ),
        (
            "const _ = require('lodash'); return _",
            "`ampoule javascript add lodash`",
        ),
    ] {
        let outcome = run(&runtime, source).await.unwrap();
        let said = outcome.ending.to_string();
        assert!(said.contains(says), "{source}: {said}");
    }
    let limits = Limits {
        fuel: 500_000_000,
        ..Limits::default()
    };
    let spin = Script::javascript("import { spin } from 'greeting'; spin()");
    let outcome = runtime
        .isolate(spin)
        .limits(limits)
        .unwrap()
        .run()
        .await
        .unwrap();
    assert_eq!(outcome.ending.name(), "limit", "{}", outcome.ending);
}
