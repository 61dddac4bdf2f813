//! `ampoule run --workspace`, `ampoule files`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::skipped;

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
        (Some(0), "wrote data/in.csv (4 bytes)")
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
    let removed = workplace.run(&["files", "rm", "data", "--json"]).await;
    assert_eq!(removed.code, Some(0));
    assert_eq!(removed.json()["removed"], "data");
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

#[tokio::test]
async fn a_folder_that_is_not_there_is_not_made_to_be_looked_at() {
    let workplace = Workplace::default();
    let files = |rest: &[&'static str]| [&["files", "--workspace", "w"][..], rest].concat();
    for rest in [&[][..], &["ls", "--json"], &["get", "x"], &["rm", "x"]] {
        let none = workplace.run(&files(rest)).await;
        assert_eq!((none.code, none.stdout.as_str()), (Some(2), ""), "{rest:?}");
        assert!(
            none.stderr.contains("--workspace w: folder not found"),
            "{none:?}"
        );
        assert!(!workplace.path().join("w").exists(), "{rest:?}");
    }
    workplace.file("file", "x");
    let file = workplace.run(&["files", "--workspace", "file"]).await;
    assert_eq!(file.code, Some(2));
    assert!(
        file.stderr.contains("this is a file; name a folder"),
        "{file:?}"
    );
    // What is put needs a folder.
    let put = workplace.run(&files(&["put", "file"])).await;
    assert_eq!(put.code, Some(0), "{put:?}");
    let listed = workplace.run(&files(&[])).await;
    assert_eq!(listed.stdout, "           1  file\n");
}

#[tokio::test]
async fn a_folder_that_can_only_be_read_is_listed_and_read() {
    let workplace = Workplace::default();
    let mut arguments = vec!["run", "-q", "--workspace", "w", "-e"];
    arguments.push("import fs from 'fs'; fs.writeFileSync('x', 'made')");
    assert_eq!(workplace.run(&arguments).await.code, Some(0));
    let mounted = |command: &str| {
        let script = format!("mount --bind w w && mount -o remount,bind,ro w && cd . && {command}");
        workplace.command("unshare", &["-rm", "sh", "-c", &script])
    };
    if ended(mounted("true")).await.code != Some(0) {
        return skipped(
            "workspace::cli::a_folder_that_can_only_be_read_is_listed_and_read",
            "the system gives no mounts of one's own",
        );
    }
    let ampoule = ampoule_tests::binary().display().to_string();
    for lock in ["there", "gone"] {
        let listed = ended(mounted(&format!("'{ampoule}' files --workspace w"))).await;
        assert_eq!(listed.stdout, "           4  x\n", "{lock}: {listed:?}");
        let got = ended(mounted(&format!("'{ampoule}' files --workspace w get x"))).await;
        assert_eq!((got.code, got.stdout.as_str()), (Some(0), "made"), "{lock}");
        let removed = ended(mounted(&format!("'{ampoule}' files --workspace w rm x"))).await;
        assert_ne!(removed.code, Some(0), "{lock}: {removed:?}");
        let _ = std::fs::remove_file(workplace.path().join("w/.ampoule/lock"));
    }
}

#[tokio::test]
async fn a_folder_of_somebody_else_is_listed_and_read() {
    let workplace = Workplace::default();
    let mut arguments = vec!["run", "-q", "--workspace", "w", "-e"];
    arguments.push("import fs from 'fs'; fs.writeFileSync('x', 'made')");
    assert_eq!(workplace.run(&arguments).await.code, Some(0));
    std::fs::set_permissions(workplace.path(), Permissions::from_mode(0o755)).unwrap();
    let ampoule = ampoule_tests::binary();
    let other = |arguments: &[&str]| {
        let user = ["--reuid=65534", "--clear-groups", "--regid=65534", "--"];
        workplace.command("setpriv", &[&user[..], arguments].concat())
    };
    // The binary may be where others can't go, so it is tried first.
    let ampoule = ampoule.display().to_string();
    if ended(other(&[&ampoule, "--version"])).await.code != Some(0) {
        return skipped(
            "workspace::cli::a_folder_of_somebody_else_is_listed_and_read",
            "no other user can run the binary here",
        );
    }
    let listed = ended(other(&[&ampoule, "files", "--workspace", "w"])).await;
    assert_eq!(listed.stdout, "           4  x\n", "{listed:?}");
    let got = ended(other(&[&ampoule, "files", "--workspace", "w", "get", "x"])).await;
    assert_eq!(
        (got.code, got.stdout.as_str()),
        (Some(0), "made"),
        "{got:?}"
    );
}
