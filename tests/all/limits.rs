//! Limits at their ends: the least values that there are, and nothing below them.

use ampoule::{Functions, Grant, Limit, Limits, Outcome, Runtime, Script};
use ampoule_tests::command::Workplace;
use ampoule_tests::{runtime, runtime_builder, verdict};

/// The limits with another value for one of them; of wall time, milliseconds.
fn with(limit: Limit, value: u64) -> Limits {
    let mut limits = Limits::default();
    let field = match limit {
        Limit::WallTime => {
            limits.wall_time = std::time::Duration::from_millis(value);
            return limits;
        }
        Limit::Fuel => &mut limits.fuel,
        Limit::Memory => &mut limits.memory_bytes,
        Limit::TableElements => &mut limits.table_elements,
        Limit::Stack => &mut limits.stack_bytes,
        Limit::HostBytes => &mut limits.host_bytes,
        Limit::OutputBytes => &mut limits.output_bytes,
        Limit::Calls => &mut limits.calls,
        Limit::CallsAtOnce => &mut limits.calls_at_once,
        Limit::ArgumentBytes => &mut limits.argument_bytes,
        Limit::ResultBytes => &mut limits.result_bytes,
    };
    *field = value;
    limits
}

async fn ran(script: Script, limits: Limits) -> Result<Outcome, String> {
    let isolate = runtime().isolate(script).grant(Grant::all());
    let isolate = isolate.limits(limits).map_err(|error| {
        assert!(error.is_request());
        error.to_string()
    })?;
    isolate.run().await.map_err(|error| {
        assert!(error.is_request(), "{error}");
        error.to_string()
    })
}

fn trivial() -> [Script; 2] {
    [Script::javascript("return 1"), Script::python("return 1")]
}

#[tokio::test]
async fn no_limit_is_below_its_least_value() {
    for limit in Limit::ALL {
        let least = limit.least();
        if least == 0 {
            continue;
        }
        let problem = format!(
            "{} {} is too little for any run; the least is {least}",
            least - 1,
            limit.unit()
        );
        let below = with(limit, least - 1);
        let error = ran(Script::javascript("return 1"), below)
            .await
            .unwrap_err();
        assert_eq!(error, format!("the limit `{limit}`: {problem}"));
        let built = [
            ("limits", Runtime::builder().limits(below).build()),
            ("ceilings", Runtime::builder().ceilings(below).build()),
        ];
        for (of, built) in built {
            let error = built.err().expect("refused").to_string();
            assert_eq!(error, format!("{of}.{limit}: {problem}"));
        }
        for script in trivial() {
            let outcome = ran(script, with(limit, least)).await.unwrap();
            let ended = verdict(&outcome);
            let expected = ["returned", &format!("limit:{limit}")];
            assert!(expected.contains(&&*ended), "{limit}: {ended}");
        }
    }
}

#[tokio::test]
async fn the_least_room_for_an_interpreter_is_told_and_is_enough() {
    for script in trivial() {
        for limit in [Limit::Memory, Limit::TableElements] {
            let refusal = |value: u64, least: u64| {
                format!(
                    "the limit `{limit}` is {value} {}, and the interpreter takes {least} before a script begins; allow at least that",
                    limit.unit()
                )
            };
            let error = ran(script.clone(), with(limit, 0)).await.unwrap_err();
            let least = error
                .split("the interpreter takes ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next()?.parse().ok())
                .unwrap_or_else(|| panic!("{error}"));
            assert_eq!(error, refusal(0, least));
            let error = ran(script.clone(), with(limit, least - 1))
                .await
                .unwrap_err();
            assert_eq!(error, refusal(least - 1, least));
            let outcome = ran(script.clone(), with(limit, least)).await.unwrap();
            assert_eq!(
                verdict(&outcome),
                "returned",
                "{limit} {least}: {}",
                outcome.ending
            );
        }
    }
}

/// A limit's value as it is written in the configuration or behind a flag.
fn written(limit: Limit, value: u64) -> String {
    match limit {
        Limit::WallTime => format!("{value}ms"),
        _ => value.to_string(),
    }
}

#[tokio::test]
async fn a_configured_limit_below_its_least_value_is_refused_where_it_stands() {
    let workplace = Workplace::default();
    let run: &[&str] = &["run", "-e", "1"];
    for limit in Limit::ALL.into_iter().filter(|limit| limit.least() > 0) {
        let (least, unit) = (limit.least(), limit.unit());
        for table in ["limits", "ceilings"] {
            for value in [0, least - 1] {
                let content = format!("[{table}]\n{limit} = '{}'\n", written(limit, value));
                workplace.file("ampoule.toml", content);
                let column = format!("{limit} = ").len() + 1;
                let expected = format!(
                    "ampoule: ampoule.toml:2:{column}: {table}.{limit}: {value} {unit} is too little for any run; the least is {least}\n"
                );
                for command in [run, &["serve"], &["tools"]] {
                    let ran = workplace.run(command).await;
                    assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
                    assert_eq!(ran.stderr, expected, "{command:?}");
                }
            }
            let content = format!("[{table}]\n{limit} = '{}'\n", written(limit, least));
            workplace.file("ampoule.toml", content);
            let ran = workplace.run(&["tools"]).await;
            assert_eq!(ran.code, Some(0), "{table}.{limit}: {ran:?}");
        }
    }
}

#[tokio::test]
async fn a_flag_below_the_least_value_is_refused_with_that_value() {
    let workplace = Workplace::default();
    let flags = [("--fuel", Limit::Fuel), ("--timeout", Limit::WallTime)];
    for (flag, limit) in flags {
        let value = written(limit, 0);
        let ran = workplace.run(&["run", flag, &value, "-e", "1"]).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        let unit = limit.unit();
        let expected = format!(
            "ampoule: the limit `{limit}`: 0 {unit} is too little for any run; the least is 1\n"
        );
        assert_eq!(ran.stderr, expected, "{flag}");
    }
}

/// The number behind these words.
fn number_after(text: &str, words: &str) -> u64 {
    let number = text.split(words).nth(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse()
    });
    let number = number.unwrap_or_else(|| panic!("{text}"));
    number.unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn memory_without_room_for_the_interpreter_is_refused_with_what_is_enough() {
    let workplace = Workplace::default();
    for language in ["javascript", "python"] {
        let run = async |memory: u64| {
            let memory = memory.to_string();
            let script = ["-q", "--language", language, "-e", "return 1"];
            let arguments = [&["run", "--memory", &memory][..], &script].concat();
            workplace.run(&arguments).await
        };
        let least = number_after(&run(0).await.stderr, "the interpreter takes ");
        for memory in [0, least - 1] {
            let ran = run(memory).await;
            let expected = format!(
                "ampoule: the limit `memory` is {memory} bytes, and the interpreter takes {least} before a script begins; allow at least that\n"
            );
            assert_eq!((ran.code, ran.stderr), (Some(2), expected));
            assert_eq!(ran.stdout, "");
        }
        let ran = run(least).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "1\n"), "{ran:?}");
    }
}

#[tokio::test]
async fn a_ceiling_without_room_for_the_guest_is_told_in_one_line() {
    let workplace = Workplace::default();
    for language in ["javascript", "python"] {
        for limit in [Limit::Memory, Limit::TableElements] {
            let run = async |ceiling: u64| {
                workplace.file("ampoule.toml", format!("[ceilings]\n{limit} = {ceiling}\n"));
                let arguments = ["run", "-q", "--language", language, "-e", "return 1"];
                workplace.run(&arguments).await
            };
            let least = number_after(&run(0).await.stderr, "the guest alone takes ");
            for ceiling in [0, least - 1] {
                let ran = run(ceiling).await;
                let expected = format!(
                    "ampoule: ceilings.{limit} is {ceiling} {}; the guest alone takes {least}\n",
                    limit.unit()
                );
                assert_eq!((ran.code, ran.stderr), (Some(2), expected));
                assert_eq!(ran.stdout, "");
            }
            let ran = run(least).await;
            assert!(!ran.stderr.contains("the guest alone"), "{ran:?}");
        }
    }
}

#[tokio::test]
async fn a_limit_of_zero_means_none() {
    let cases = [
        (Limit::HostBytes, "return 1", "limit:host-bytes"),
        (Limit::OutputBytes, "return 1", "limit:output-bytes"),
        (Limit::OutputBytes, "console.log('')", "limit:output-bytes"),
        (Limit::OutputBytes, "let a = 1", "returned"),
        (
            Limit::Calls,
            "return await testTools.add({ a: 1, b: 2 })",
            "limit:calls",
        ),
        (Limit::Calls, "return 1", "returned"),
        (
            Limit::ArgumentBytes,
            "return await testTools.add({ a: 1, b: 2 })",
            "limit:argument-bytes",
        ),
        (Limit::ArgumentBytes, "return 1", "returned"),
        (
            Limit::ResultBytes,
            "return await testTools.add({ a: 1, b: 2 })",
            "limit:result-bytes",
        ),
        (Limit::ResultBytes, "return 1", "returned"),
    ];
    for (limit, source, expected) in cases {
        let outcome = ran(Script::javascript(source), with(limit, 0))
            .await
            .unwrap();
        assert_eq!(
            verdict(&outcome),
            expected,
            "{limit}: {source}: {}",
            outcome.ending
        );
    }
    let covered = |limit: Limit| cases.iter().any(|(of, ..)| *of == limit);
    for limit in Limit::ALL {
        let is_room = matches!(limit, Limit::Memory | Limit::TableElements);
        assert_eq!(limit.least() == 0 && !is_room, covered(limit), "{limit}");
    }
}

#[tokio::test]
async fn the_stack_is_what_the_limit_says() {
    let deep =
        "let deep = 0; const down = () => { deep++; down() }; try { down() } catch {} return deep";
    let mut before = 0;
    for bytes in [Limits::LEAST_STACK_BYTES, 64 << 10, 128 << 10, 256 << 10] {
        let outcome = ran(Script::javascript(deep), with(Limit::Stack, bytes))
            .await
            .unwrap();
        let reached: u64 = outcome.value().unwrap();
        assert!(
            reached > before,
            "{bytes}: {reached}, not more than {before}"
        );
        before = reached;
    }
}

#[tokio::test]
async fn a_run_that_went_on_and_on_says_what_it_did() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Page {
        limit: u32,
        cursor: Option<String>,
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let rows = Functions::new("rows")
        .tool("list", "Gives rows.", async |page: Page| {
            Ok::<_, String>((page.limit, page.cursor))
        })
        .tool("count", "Counts the rows.", async |_: Nothing| {
            Ok::<_, String>(7)
        });
    let runtime = runtime_builder().binding(rows).build().expect("a runtime");
    let calls = with(Limit::Calls, 40);
    let fuel = with(Limit::Fuel, 20_000_000);
    let computed = |since| {
        format!(
            "most of the fuel was used {since}, by code that only computes: look for a loop there whose condition never changes\n"
        )
    };
    let paged = "40 equal calls of rows.list({\"limit\":5}): pass `cursor`, as the answers give it, and end the loop when there are no more\n";
    let equal = "40 equal calls of rows.count({}): an equal call gives an equal answer unless something else changes it, so end the loop\n";
    for (source, limits, output) in [
        (
            "for (;;) await tools.rows.list({ limit: 5 })",
            calls,
            paged.to_owned(),
        ),
        ("for (;;) await tools.rows.count()", calls, equal.to_owned()),
        (
            "for (let n = 0; ; n++) await tools.rows.list({ limit: n })",
            calls,
            String::new(),
        ),
        (
            "for (let n = 0; ; n++) await tools.rows.list({ limit: n })",
            fuel,
            String::new(),
        ),
        ("for (;;) ;", fuel, computed("without a call of a tool")),
        (
            "await tools.rows.count(); for (;;) ;",
            fuel,
            computed("after its last call of a tool"),
        ),
    ] {
        let isolate = runtime
            .isolate(Script::javascript(source))
            .grant(Grant::all());
        let isolate = isolate.limits(limits).expect("limits below the ceilings");
        let outcome = isolate.run().await.expect("no host fault");
        assert!(
            verdict(&outcome).starts_with("limit:"),
            "{source}: {}",
            outcome.ending
        );
        assert_eq!(outcome.output.to_string(), output, "{source}");
    }
}
