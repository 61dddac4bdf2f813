//! The cases in `tests/corpora/web`: what they print here is what they print in Node 20.
//!
//! `BLESS=1` writes the expected output anew, from Node. Where there is a Node 20, it must still
//! agree with what is written. `Temporal` it has by npm's `temporal-polyfill`, which is in the folder
//! that `AMPOULE_TEST_NODE` names.

use std::path::{Path, PathBuf};
use std::process::Command;

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, Ctx, Promise, Value};

use super::{ORIGIN, absent, timers};
use crate::host::{self, native};
use crate::realm::Realm;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpora/web")
}

fn cases() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of cases");
    let paths = entries.map(|entry| entry.expect("a case").path());
    let mut cases: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "no cases in {}", folder().display());
    cases
}

/// The output without lines of stacks, which name each engine's own functions.
fn normalized(output: &str) -> String {
    let is_frame = |line: &&str| {
        let text = line.trim_start_matches([' ', '[']);
        text.starts_with("at ") || text.ends_with("lines matching cause stack trace ...")
    };
    output
        .lines()
        .filter(|line| !is_frame(line))
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// Starts the script, and runs microtasks and timers until nothing is left.
fn run(realm: &Realm, source: &str) -> Result<(), String> {
    let promise = realm.context().with(|ctx| {
        let mut options = EvalOptions::default();
        options.promise = true;
        let promise: Promise = ctx
            .eval_with_options(source, options)
            .catch(&ctx)
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(rquickjs::Persistent::save(&ctx, promise))
    })?;
    loop {
        while realm.runtime().is_job_pending() {
            realm
                .runtime()
                .execute_pending_job()
                .map_err(|error| error.to_string())?;
        }
        let (ran, waits, due) = realm
            .context()
            .with(|ctx| turn(&ctx).catch(&ctx).map_err(|error| error.to_string()))?;
        if ran || realm.runtime().is_job_pending() {
            continue;
        }
        if !waits {
            break;
        }
        let due = due.expect("a timer that the run waits for");
        host::calls::wait(Some(due.saturating_sub(host::elapsed_ns())));
    }
    realm.context().with(|ctx| {
        let promise = promise.restore(&ctx).map_err(|error| error.to_string())?;
        let outcome = promise.result::<Value>().ok_or("the script never ended")?;
        outcome
            .catch(&ctx)
            .map(drop)
            .map_err(|error| error.to_string())
    })
}

fn turn(ctx: &Ctx<'_>) -> rquickjs::Result<(bool, bool, Option<u64>)> {
    Ok((
        timers::run_next(ctx)?,
        timers::has_ref(ctx)?,
        timers::next_due(ctx)?,
    ))
}

/// What the script prints, in an engine of its own.
fn printed(source: &str) -> String {
    native::with(|host| *host = native::Host::default());
    let realm = Realm::new().expect("a realm");
    // Well below what a test's thread has.
    realm.runtime().set_max_stack_size(512 << 10);
    let ended = run(&realm, source);
    let mut output = String::new();
    native::with(|host| {
        for (_, text) in &host.output {
            output.push_str(text);
            output.push('\n');
        }
    });
    if let Err(error) = ended {
        output.push_str(&format!("the script failed: {error}\n"));
    }
    output
}

/// Whether Node has what the case is of: `Temporal` is a package of npm's.
fn is_possible(case: &Path) -> bool {
    let name = case.file_name().expect("a case").to_string_lossy();
    let package = std::env::var_os("AMPOULE_TEST_NODE")
        .map(|folder| Path::new(&folder).join("node_modules/temporal-polyfill"));
    !name.starts_with("temporal") || package.is_some_and(|package| package.exists())
}

/// What Node 20 prints, if it is installed.
fn node(case: &Path) -> Option<String> {
    let version = Command::new("node").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).starts_with("v20.") {
        return None;
    }
    let run = Command::new("node")
        .arg("--no-warnings")
        .arg(folder().join("node.cjs"))
        .arg(case)
        .env("TZ", "UTC")
        .output()
        .ok()?;
    assert!(
        run.status.success(),
        "Node fails in {}: {}",
        case.display(),
        String::from_utf8_lossy(&run.stderr)
    );
    Some(String::from_utf8(run.stdout).expect("text"))
}

/// So many lines are shown of those that differ.
const SHOWN_LINES: usize = 12;

/// The first lines that differ, to find them in a long case.
fn difference(expected: &str, actual: &str) -> Option<String> {
    let pairs = expected
        .lines()
        .map(Some)
        .chain(std::iter::repeat(None))
        .zip(actual.lines().map(Some).chain(std::iter::repeat(None)));
    let count = expected.lines().count().max(actual.lines().count());
    let all = pairs.take(count).enumerate();
    let different: Vec<_> = all
        .filter(|(_, (wanted, got))| wanted != got)
        .take(SHOWN_LINES)
        .map(|(at, (wanted, got))| {
            format!(
                "line {}:\n  expected {wanted:?}\n  got      {got:?}",
                at + 1
            )
        })
        .collect();
    (!different.is_empty()).then(|| different.join("\n"))
}

#[test]
fn prints_what_node_prints() {
    let mut differences = Vec::new();
    for case in cases() {
        let expected_path = case.with_extension("expected");
        if std::env::var_os("BLESS").is_some() {
            let blessed = node(&case).expect("BLESS needs Node 20");
            std::fs::write(&expected_path, normalized(&blessed)).expect("writing what is expected");
        }
        let expected =
            std::fs::read_to_string(&expected_path).expect("what is expected; BLESS=1 writes it");
        let source = std::fs::read_to_string(&case).expect("the case");
        if let Some(difference) = difference(&expected, &normalized(&printed(&source))) {
            differences.push(format!("{}, {difference}", case.display()));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn node_still_prints_what_is_expected() {
    if std::env::var_os("BLESS").is_some() {
        return;
    }
    for case in cases().iter().filter(|case| is_possible(case)) {
        let Some(output) = node(case) else { return };
        let expected =
            std::fs::read_to_string(case.with_extension("expected")).expect("what is expected");
        assert_eq!(
            difference(&expected, &normalized(&output)),
            None,
            "{}",
            case.display()
        );
    }
}

/// What a script of `tests/corpora/web/hostile` prints. Each prints "survived" last.
fn survived(name: &str) -> String {
    let path = folder().join("hostile").join(name);
    let output = printed(&std::fs::read_to_string(&path).expect("the script"));
    assert_eq!(
        output.lines().last(),
        Some("survived"),
        "{}",
        path.display()
    );
    output
}

#[test]
fn a_number_or_date_as_a_text_is_its_parts_joined() {
    let script = r#"
        const joined = (parts) => parts.map((part) => part.value).join("");
        const check = (formatter, value, parts) => {
            const text = formatter.format(value);
            if (text !== parts) console.log(JSON.stringify([formatter.resolvedOptions(), String(value), text, parts]));
        };
        const locales = ["en-US", "de-DE", "de-AT", "fr", "hi-IN", "es", "pl", "ar-EG", "fa", "th", "ja-JP", "en-IN", "pt-PT", "bn"];
        const styles = [
            {}, { maximumFractionDigits: 0 }, { minimumFractionDigits: 2, maximumFractionDigits: 4 }, { minimumIntegerDigits: 5 },
            { useGrouping: false }, { useGrouping: "min2" }, { useGrouping: "always" }, { style: "percent", maximumFractionDigits: 1 },
            { style: "currency", currency: "EUR" }, { style: "currency", currency: "JPY", currencySign: "accounting" },
            { style: "currency", currency: "CHF", currencyDisplay: "code" }, { style: "currency", currency: "USD", currencyDisplay: "name" },
            { style: "unit", unit: "kilometer" }, { notation: "compact" }, { maximumSignificantDigits: 3 }, { roundingMode: "floor" },
            { signDisplay: "exceptZero" }, { numberingSystem: "deva" }, { trailingZeroDisplay: "stripIfInteger", minimumFractionDigits: 2 },
        ];
        const numbers = [
            0, -0, 1, -1, 0.5, 1.5, 2.5, 1.005, -1.005, 0.0005, 0.00049, 999.9995, 1234, 9999, 12345.678, -1234567.891, 1e15, 123456789012345680000,
            1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.07, 0.29, 1e300, NaN, Infinity, -Infinity, 12345678901234567890n,
        ];
        for (const locale of locales) {
            for (const style of styles) {
                const formatter = new Intl.NumberFormat(locale, style);
                for (const number of numbers) check(formatter, number, joined(formatter.formatToParts(number)));
            }
            for (const style of [{}, { dateStyle: "full", timeStyle: "long" }, { month: "short", weekday: "narrow", hour: "numeric" }]) {
                const formatter = new Intl.DateTimeFormat(locale, { ...style, timeZone: "America/New_York" });
                for (const date of [-62135596800001, -1, 0, 951782400000, 1764460800000]) {
                    check(formatter, date, joined(formatter.formatToParts(date)).replaceAll("\u202f", " "));
                }
            }
        }
        console.log("compared");
    "#;
    assert_eq!(printed(script).trim(), "compared");
}

#[test]
fn no_value_makes_the_console_throw_or_flood() {
    let output = survived("console.js");
    assert!(output.len() < 1 << 20, "{} bytes", output.len());
    assert!(output.contains("[not shown: inspecting it threw Error: custom]"));
}

#[test]
fn the_prelude_works_after_everything_was_replaced() {
    let output = survived("pollution.js");
    assert!(
        output.starts_with("string 1 -0 10n true null undefined\na 1 2 3\n"),
        "{output}"
    );
    assert!(output.contains("[ 1, 2, 3 ]\n"), "{output}");
    assert!(output.contains("\nbase64 x\n"), "{output}");
    assert!(output.contains("<2026-12-29>\n"), "{output}");
}

#[test]
fn what_is_absent_says_what_to_use_instead() {
    let output = printed(
        "for (const call of [() => fetch('http://x'), () => require('fs')]) try { call() } catch (e) { console.log(`${e}`) }
        console.log(typeof process, typeof Buffer, typeof Deno, typeof window)",
    );
    let lines: Vec<_> = output.lines().collect();
    assert!(
        lines[0].starts_with("Error: fetch is not available here: there is no network."),
        "{output}"
    );
    assert!(
        lines[1].starts_with("Error: There is no module \"fs\". There are no files here:"),
        "{output}"
    );
    assert_eq!(lines[2], "undefined undefined undefined undefined");
    assert!(absent::advice("process").is_some_and(|advice| advice.contains("`env`")));
    assert!(
        absent::module_advice("node:fs/promises")
            .is_some_and(|advice| advice.contains("granted tool"))
    );
    assert_eq!(absent::advice("sumOfAll"), None);
    assert_eq!(absent::module_advice("./mine.ts"), None);
}

#[test]
fn what_is_absent_says_where_files_are() {
    let advice = |files| {
        native::with(|host| host.files = files);
        let globals = ["fs", "Bun", "Deno", "__dirname"].map(absent::advice);
        let modules = ["fs-extra", "glob"].map(absent::module_advice);
        let all = globals.into_iter().chain(modules);
        let all = all.map(|advice| advice.expect("it is told"));
        all.collect::<Vec<_>>()
    };
    for told in advice(true) {
        assert!(told.contains("node:fs"), "{told}");
        assert!(!told.contains("no files"), "{told}");
    }
    for told in advice(false) {
        assert!(!told.contains("node:fs"), "{told}");
    }
}

#[test]
fn stacks_name_the_script_alone() {
    let output = printed(
        "function thrower() { throw new RangeError('far') }
        try { [1].forEach(thrower) } catch (e) { console.log(e.stack) }
        try { structuredClone(() => {}) } catch (e) { console.log(e.stack) }",
    );
    assert!(
        output.starts_with("RangeError: far\n    at thrower (eval_script:1:"),
        "{output}"
    );
    assert!(
        output.contains("\nDataCloneError: () => {} could not be cloned.\n    at "),
        "{output}"
    );
    assert!(!output.contains(ORIGIN), "{output}");
}
