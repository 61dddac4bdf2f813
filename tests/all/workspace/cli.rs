//! `ampoule run --workspace`, `ampoule files`.

use ampoule_tests::command::Workplace;

fn read(workplace: &Workplace, name: &str) -> String {
    std::fs::read_to_string(workplace.path().join(name)).unwrap()
}

#[tokio::test]
async fn files_go_in_and_out_at_the_command_line() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[workspace]\nfolder = 'files'\n");
    workplace.file("in.csv", "a,b\n");
    let put = workplace
        .run(&["files", "put", "in.csv", "data/in.csv"])
        .await;
    assert_eq!(
        (put.code, put.stdout.trim()),
        (Some(0), "data/in.csv has 4 bytes")
    );
    let script = "import fs from 'fs'; fs.appendFileSync('data/in.csv', '1,2\\n'); fs.writeFileSync('x', ''); return fs.readFileSync('data/in.csv', 'utf8')";
    let run = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "a,b\n1,2\n\n"));
    let listed = workplace.run(&["files"]).await;
    assert_eq!(
        listed.stdout,
        "           8  data/in.csv\n           0  x\n"
    );
    let json = workplace.run(&["files", "ls", "--json"]).await;
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json[0]["path"], &json[0]["bytes"]),
        (&"data/in.csv".into(), &8.into())
    );
    let got = workplace.run(&["files", "get", "data/in.csv"]).await;
    assert_eq!(got.stdout, "a,b\n1,2\n");
    let got = workplace
        .run(&["files", "get", "data/in.csv", "out.csv"])
        .await;
    assert_eq!(
        (got.code, read(&workplace, "out.csv").as_str()),
        (Some(0), "a,b\n1,2\n")
    );
    let removed = workplace.run(&["files", "rm", "data"]).await;
    assert_eq!(removed.code, Some(0));
    let missing = workplace.run(&["files", "get", "data/in.csv"]).await;
    assert_eq!(
        (missing.code, missing.stderr.trim()),
        (Some(2), "ampoule: data/in.csv: no such file or folder")
    );
    let out = workplace.run(&["files", "get", "../ampoule.toml"]).await;
    assert_eq!(out.code, Some(2), "{out:?}");
    let other = workplace.run(&["files", "--principal", "ada"]).await;
    assert_eq!((other.code, other.stdout.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_run_is_given_a_folder() {
    let workplace = Workplace::default();
    let script = "open('x', 'w').write('made'); raise ValueError('no')";
    let run = [
        "run",
        "-q",
        "--language",
        "python",
        "--workspace",
        "w",
        "-e",
    ];
    let failed = workplace.run(&[&run[..], &[script]].concat()).await;
    assert_eq!(failed.code, Some(1));
    let made = workplace
        .run(&[&run[..], &["open('x', 'w').write('made')"]].concat())
        .await;
    assert_eq!(
        (made.code, read(&workplace, "w/x").as_str()),
        (Some(0), "made")
    );
    let none = workplace.run(&["files"]).await;
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("no workspace is configured"),
        "{none:?}"
    );
    let listed = workplace.run(&["files", "--workspace", "w"]).await;
    assert_eq!(listed.stdout, "           4  x\n");
}
