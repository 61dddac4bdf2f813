//! Python scripts, checked before anything of them runs. The files `right` have scripts in which
//! nothing is proved to be wrong, however odd they are; `wrong.txt` has scripts whose mistakes are,
//! each with a comment of its line, its class and a part of what is said.

mod modules;
mod sessions;
mod shop;

use std::fmt::Write as _;
use std::sync::LazyLock;

use ampoule::{Check, Ending, Grant, Outcome, Runtime, Script, Thrown};
use ampoule_tests::runtime_builder;
use futures::StreamExt;
use futures::stream;

use shop::Shop;

const RIGHT: &str = concat!(
    include_str!("right.txt"),
    include_str!("right_once_refused.txt"),
    include_str!("right_literals.txt"),
    include_str!("right_statements.txt"),
    include_str!("right_values.txt"),
);
const WRONG: &str = include_str!("wrong.txt");

/// How many scripts run at once.
const AT_ONCE: usize = 8;

/// What begins a script.
const MARK: &str = "=== ";

/// What ends the name of a wrong script that may not come to its mistake.
const PERHAPS: &str = "(perhaps)";

/// What is said where a script was checked first.
const NOTHING_CALLED: &str = "Nothing was called";

fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| runtime_builder().build().expect("a runtime"));
    &RUNTIME
}

/// The scripts of a file, with what each is about.
fn scripts(file: &'static str) -> Vec<(&'static str, &'static str)> {
    let scripts = file.split(MARK).skip(1);
    scripts
        .map(|script| script.split_once('\n').expect("a name and a script"))
        .collect()
}

async fn run(source: &str, check: Check) -> (Outcome, usize) {
    let shop = Shop::default();
    let script = Script::python(source).check(check);
    let isolate = runtime().isolate(script).grant(Grant::all());
    let outcome = isolate.binding(shop.stub()).run().await;
    (outcome.expect("no host fault"), shop.calls())
}

/// Looks at each script; what is wrong with any fails the test.
async fn each(file: &'static str, look: impl AsyncFn(&str, &str) -> Option<String>) {
    let look = &look;
    let wrong: Vec<Option<String>> = stream::iter(scripts(file))
        .map(async |(name, source)| {
            Some(format!("{name}: {}\n{source}", look(name, source).await?))
        })
        .buffered(AT_ONCE)
        .collect()
        .await;
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} scripts:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// An error with its place, as a line.
fn shown(thrown: &Thrown) -> String {
    let line = thrown.location.as_ref().map_or(0, |location| location.line);
    format!("{line}: {}: {}", thrown.name, thrown.message)
}

#[tokio::test]
async fn nothing_is_said_of_what_is_not_proved() {
    each(RIGHT, async |_, source| {
        let (outcome, calls) = run(source, Check::Alone).await;
        let is_silent = matches!(outcome.ending, Ending::Returned(None)) && calls == 0;
        (!is_silent).then(|| format!("{:?}, {calls} calls", outcome.ending))
    })
    .await;
}

#[tokio::test]
async fn right_scripts_run_as_ever() {
    each(RIGHT, async |_, source| {
        let (checked, calls) = run(source, Check::First).await;
        let (unchecked, same_calls) = run(source, Check::Off).await;
        let [checked, unchecked] =
            [checked, unchecked].map(|outcome| format!("{:?}", outcome.ending));
        let is_same = checked == unchecked && calls == same_calls;
        (!is_same).then(|| format!("{checked}, not {unchecked}"))
    })
    .await;
}

#[tokio::test]
async fn mistakes_are_told_before_any_call() {
    each(WRONG, async |_, source| {
        let lines = source.lines();
        let expected: Vec<&str> = lines.map_while(|line| line.strip_prefix("# ")).collect();
        // The lines are counted without the comments.
        let source: String =
            source
                .lines()
                .skip(expected.len())
                .fold(String::new(), |mut source, line| {
                    let _ = writeln!(source, "{line}");
                    source
                });
        let (outcome, calls) = run(&source, Check::First).await;
        let Ending::Threw(thrown) = &outcome.ending else {
            return Some(format!("{:?}", outcome.ending));
        };
        let mut said = shown(thrown);
        let mut wrong = String::new();
        for mistake in &expected {
            let (place, rest) = mistake.split_once(": ").expect("a line");
            let (class, part) = rest.split_once(": ").expect("a class");
            let begin = format!("{place}: {class}: ");
            let listed = |line: &str| {
                let place = line.strip_prefix(&format!("line {place}, column "));
                place.is_some_and(|place| place.contains(&format!(": {class}: ")))
            };
            let found = said
                .lines()
                .any(|line| (line.starts_with(&begin) || listed(line)) && line.contains(part));
            if !found {
                let _ = write!(wrong, "not {mistake:?}; ");
            }
        }
        if calls > 0 || !said.contains(NOTHING_CALLED) || !outcome.output.lines().is_empty() {
            wrong.push_str("it ran; ");
        }
        if !wrong.is_empty() {
            said.push('\n');
            return Some(format!("{wrong}{said}"));
        }
        None
    })
    .await;
}

/// The first mistake is the error that the script ends with where it is not checked.
#[tokio::test]
async fn the_error_is_that_of_run_time() {
    each(WRONG, async |name, source| {
        let (checked, _) = run(source, Check::First).await;
        let (unchecked, _) = run(source, Check::Off).await;
        let (checked, unchecked) = match (&checked.ending, &unchecked.ending) {
            (Ending::Threw(checked), Ending::Threw(unchecked)) => (checked, unchecked),
            (Ending::Threw(_), Ending::Returned(_)) if name.ends_with(PERHAPS) => return None,
            (checked, unchecked) => {
                return Some(format!("{checked:?}, and unchecked {unchecked:?}"));
            }
        };
        let place = |thrown: &Thrown| {
            let location = thrown.location.as_ref();
            location.map(|location| (location.line, location.column))
        };
        let first = first_message(&checked.message);
        // What is said of an answer has the keys that it may have, and not those that it has.
        let is_same = checked.name == unchecked.name
            && place(checked) == place(unchecked)
            && (first.contains("` has no `") || first == unchecked.message);
        (!is_same).then(|| format!("{checked:?}\n{unchecked:?}"))
    })
    .await;
}

/// What is said of the first mistake.
fn first_message(message: &str) -> &str {
    let mistakes = message.rsplit_once('\n').expect("several lines").0;
    match mistakes.strip_prefix("The script has ") {
        Some(listed) => {
            let first = listed.lines().nth(1).expect("a line");
            first.splitn(3, ": ").nth(2).expect("a message")
        }
        None => mistakes,
    }
}

#[tokio::test]
async fn a_script_without_mistakes_is_only_checked() {
    let (outcome, calls) = run("print('a')\nawait shop.get_order(id='a')", Check::Alone).await;
    assert!(
        matches!(outcome.ending, Ending::Returned(None)),
        "{:?}",
        outcome.ending
    );
    assert_eq!((calls, outcome.output.lines().len()), (0, 0));
}

/// As most scripts are that make ten calls.
const TEN_CALLS: &str = r#"
async def load(id):
    return await shop.get_order(id=id)

pending = await shop.list_orders(status=["pending"], limit=5)
paid = await shop.list_orders(status=["paid"], limit=20)
rows = []
for order in pending["items"]:
    rows.append({"id": order["id"], "customer": order["customer"]["name"], "status": order["status"]})
first = await load("a")
second = await load(paid["items"][0]["id"])
created = await shop.create_order(customer=first["customer"]["name"], items=[{"sku": "x", "quantity": 2}], note=None)
third = await shop.get_order(id="b")
fourth = await shop.get_order({"id": "c"})
names = sorted({row["customer"] for row in rows if row["status"] != "lost"})
await shop.put(value={"names": names, "count": len(rows)})
fifth = await shop.get_order("d")
try:
    await shop.get_order(id=f"order-{len(names)}")
except ToolError as error:
    print(error.message)
last = await shop.list_orders(customer=names[0], limit=1)
{"total": pending["total"] + paid["total"], "names": names, "last": last["items"][0]["id"]}
"#;

/// The same without tools.
const NO_CALLS: &str = r#"
def load(id):
    return {"id": id, "customer": {"name": "Ada"}, "status": "paid"}

rows = []
for order in [load(id) for id in "abcde"]:
    rows.append({"id": order["id"], "customer": order["customer"]["name"], "status": order["status"]})
names = sorted({row["customer"] for row in rows if row["status"] != "lost"})
first = load("a")
second = load(rows[0]["id"])
print(len(rows), first["status"].upper(), ",".join(names))
{"total": len(rows), "names": names, "last": second["id"]}
"#;

/// The fuel of a script, with the check and without.
async fn fuel(source: &str) -> [f64; 2] {
    let (checked, _) = run(source, Check::First).await;
    let (unchecked, _) = run(source, Check::Off).await;
    for outcome in [&checked, &unchecked] {
        assert!(
            matches!(outcome.ending, Ending::Returned(Some(_))),
            "{:?}",
            outcome.ending
        );
    }
    [checked, unchecked].map(|outcome| outcome.usage.fuel as f64)
}

#[tokio::test]
async fn a_check_takes_little() {
    let [checked, unchecked] = fuel(TEN_CALLS).await;
    assert!(checked <= unchecked * 1.05, "{checked} of {unchecked}");
    let [checked, unchecked] = fuel(NO_CALLS).await;
    assert!(
        checked <= unchecked * 1.01,
        "{checked} of {unchecked}, without calls"
    );
}
