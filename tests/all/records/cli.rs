//! `ampoule run --record`, `ampoule runs` and `ampoule runs replay`.

use std::fs;

use ampoule_tests::command::Workplace;
use serde_json::Value;

const SCRIPT: &str = "const orders = (await tools.demo.listOrders()).items
console.log(orders.length, Math.random())
return (await tools.demo.getOrder({ orderId: orders[0].id })).id
";

#[tokio::test]
async fn a_run_is_recorded_listed_shown_replayed_and_removed() {
    let workplace = Workplace::default();
    workplace.file("report.ts", SCRIPT);
    let ran = workplace.run(&["run", "--record", "report.ts"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace
        .run(&["run", "--record", "--json", "report.ts"])
        .await;
    let outcome = ran.json();
    let id = outcome["record"].as_str().expect("it left a record");

    let rows = workplace.run(&["runs", "--json"]).await.stdout;
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["run"], id);
    assert_eq!(rows[0]["state"], "recorded");
    assert_eq!(rows[0]["ending"], "returned");
    assert_eq!(rows[0]["calls"], 2);
    let listed = workplace.run(&["runs"]).await;
    assert!(listed.stdout.starts_with("RUN "), "{listed:?}");
    assert!(listed.stdout.contains(id), "{listed:?}");
    assert!(!listed.stderr.contains("no runs"), "{listed:?}");

    let shown = workplace.run(&["runs", "show", id]).await;
    assert!(
        shown.stdout.contains("call 0: demo.list_orders({})"),
        "{shown:?}"
    );
    assert!(shown.stdout.contains("  const orders = "), "{shown:?}");

    // By the end of its id, as a model sees it.
    let at = id.find('-').unwrap() - 4;
    let replayed = workplace.run(&["runs", "replay", &id[at..]]).await;
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let printed = outcome["output"][0]["text"].as_str().unwrap();
    assert_eq!(
        replayed.stdout,
        format!("{printed}\nreplayed to the same bytes: 2 calls, 1 output\n")
    );
    let json = workplace
        .run(&["runs", "replay", id, "--json"])
        .await
        .json();
    assert_eq!(
        (&json["same"], &json["difference"]),
        (&true.into(), &Value::Null)
    );
    assert_eq!(json["outcome"]["value"], outcome["value"]);

    // Without an id, the newest.
    let newest = workplace.run(&["runs", "replay"]).await;
    assert_eq!(newest.stdout, replayed.stdout, "{newest:?}");
    assert!(newest.stderr.contains(id), "{newest:?}");

    let beyond = workplace.run(&["runs", "replay", id, "--until", "2"]).await;
    assert_eq!(beyond.code, Some(2), "{beyond:?}");
    assert!(
        beyond
            .stderr
            .contains("call 2 not found: the run made 2, counted from 0"),
        "{beyond:?}"
    );
    let until = workplace.run(&["runs", "replay", id, "--until", "1"]).await;
    assert!(
        until
            .stdout
            .contains("stopped before call 1: demo.get_order({"),
        "{until:?}"
    );

    workplace.file("other.ts", SCRIPT.replace("orders[0]", "orders[1]"));
    let edited = workplace
        .run(&["runs", "replay", id, "--edit", "other.ts"])
        .await;
    assert_eq!(edited.code, Some(1), "{edited:?}");
    assert!(
        edited
            .stdout
            .contains("call 1 has no recorded answer\n  now:      demo.get_order("),
        "{edited:?}"
    );
    assert!(edited.stderr.contains("--> other.ts:3:"), "{edited:?}");

    let failing = SCRIPT.replace("return", "throw new Error('no'); return");
    workplace.file("failing.ts", failing);
    let edited = workplace
        .run(&["runs", "replay", id, "--edit", "failing.ts"])
        .await;
    assert_eq!(edited.code, Some(1), "{edited:?}");
    assert!(edited.stderr.contains("--> failing.ts:3:"), "{edited:?}");
    workplace.file("shorter.ts", "return 1");
    let edited = workplace
        .run(&["runs", "replay", id, "--edit", "shorter.ts"])
        .await;
    assert_eq!(edited.code, Some(0), "{edited:?}");
    let typed = ["runs", "replay", id, "--edit", "-"];
    let piped = workplace.run_with_input(&typed, b"return 1").await;
    assert_eq!(piped.code, Some(0), "{piped:?}");
    workplace.file("report.py", "1");
    let edited = workplace
        .run(&["runs", "replay", id, "--edit", "report.py"])
        .await;
    assert_eq!(edited.code, Some(2), "{edited:?}");
    assert!(
        edited
            .stderr
            .contains("report.py: the file is in Python, and the recorded script in TypeScript"),
        "{edited:?}"
    );

    let removed = workplace.run(&["runs", "rm", id]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let gone = workplace.run(&["runs", "replay", id]).await;
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("no record of the run"), "{gone:?}");
}

#[tokio::test]
async fn the_configuration_says_which_runs_leave_a_record_and_its_secrets_are_not_in_it() {
    let workplace = Workplace::default();
    let program = ampoule_tests::binary().display().to_string();
    let config = format!(
        "[records]\nkeep = \"failures\"\nage = \"1h\"\n\n[servers.demo]\ncommand = {program:?}\nargs = [\"demo-server\"]\nenv = {{ TOKEN = \"hunter2-hunter2\" }}\n"
    );
    workplace.file("ampoule.toml", config);
    let ran = workplace.run(&["run", "-e", "return 1", "--json"]).await;
    assert!(ran.json().get("record").is_none(), "{ran:?}");
    let throws = "const it = 'hunter2-hunter2'; console.log(it, await tools.demo.listOrders()); throw new Error(it)";
    let ran = workplace.run(&["run", "-e", throws, "--json"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let id = ran.json()["record"]
        .as_str()
        .expect("it left a record")
        .to_owned();

    let mut files = vec![workplace.path().to_owned()];
    let mut record = None;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|end| end == "record") {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("hunter2"), "{text}");
            assert!(text.contains("***************"), "{text}");
            record = Some(path);
        }
    }
    let record = record.expect("a file");

    // On another machine, which has no such server.
    let elsewhere = Workplace::default();
    elsewhere.file("that.record", fs::read(&record).unwrap());
    elsewhere.file("ampoule.toml", "");
    let replayed = elsewhere
        .run(&["runs", "replay", "./that.record", "--json"])
        .await;
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    assert_eq!(replayed.json()["same"], true, "{id}: {replayed:?}");
    elsewhere.file("empty.record", "");
    elsewhere.file("other.record", "{\"head\":{}}\n");
    elsewhere.file("text", "no record");
    elsewhere.file("folder/that.record", "");
    for (named, said) in [
        ("./no.record", "./no.record: file not found"),
        ("no.record", "no.record: file not found"),
        ("text/no.record", "text/no.record: file not found"),
        ("empty.record", "empty.record: the file is empty"),
        (
            "./other.record",
            "./other.record: this is not a record of a run",
        ),
        ("text", "text: this is not a record of a run"),
        (
            "./folder",
            "./folder: this is a folder; name a record in the folder",
        ),
        (
            "folder",
            "folder: this is a folder; name a record in the folder",
        ),
        ("nothing", "no record of the run `nothing`"),
    ] {
        let refused = elsewhere.run(&["runs", "replay", named]).await;
        assert_eq!(refused.code, Some(2), "{named}: {refused:?}");
        assert!(refused.stderr.contains(said), "{named}: {refused:?}");
        assert!(!refused.stderr.contains("can't be used"), "{refused:?}");
    }
    let bytes = fs::read(&record).unwrap();
    let piped = ["runs", "replay", "-", "--json"];
    let piped = elsewhere.run_with_input(&piped, &bytes).await;
    assert_eq!(piped.json()["same"], true, "{id}: {piped:?}");
    // Nobody writes to it: a program that opened it would wait without end.
    let pipe = elsewhere.command("mkfifo", &["pipe.record"]).status().await;
    assert!(pipe.unwrap().success());
    let refused = elsewhere.run(&["runs", "replay", "./pipe.record"]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is not a file"), "{refused:?}");

    workplace.file("ampoule.toml", "[records]\nkeep = \"some\"\nages = 1\n");
    let wrong = workplace.run(&["run", "-e", "return 1"]).await;
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(
        wrong.stderr.contains("records.keep") && wrong.stderr.contains("ages"),
        "{wrong:?}"
    );
}
