//! `[python] data` and `data-guest` of a configuration, and what the command says of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ampoule::DataGuest;
use ampoule_tests::command::{Served, Workplace};
use serde_json::json;

use super::stand_in;

/// A workplace whose configuration says this of Python; the guest's file is in `parts`.
fn workplace(python: &str) -> Workplace {
    let workplace = Workplace::default();
    workplace.file(&format!("parts/{}", DataGuest::FILE), stand_in());
    workplace.file("ampoule.toml", format!("[python]\n{python}\n"));
    workplace
}

/// The key that names the file.
fn named() -> String {
    format!("data-guest = \"parts/{}\"", DataGuest::FILE)
}

async fn doctor(workplace: &Workplace) -> (Option<i32>, String) {
    let doctor = workplace.run(&["doctor"]).await;
    let words: Vec<&str> = doctor.stdout.split_whitespace().collect();
    (doctor.code, words.join(" "))
}

#[tokio::test]
async fn the_doctor_says_whether_numpy_and_pandas_are_there() {
    let (_, said) = doctor(&workplace("")).await;
    let says = "numpy and pandas: not there; put the file `ampoule-python-data.wasm.zst` beside the program to have them in Python";
    assert!(said.contains(says), "{said}");
    let (_, said) = doctor(&workplace(&format!("{}\ndata = false", named()))).await;
    let says = "numpy and pandas: left out, as `python.data` says";
    assert!(said.contains(says), "{said}");

    // The stand-in has neither, which a script shows as soon as its code is there.
    let place = workplace(&named());
    let warm = place.run(&["warm", "--language", "python"]).await;
    assert_eq!(warm.code, Some(0), "{warm:?}");
    assert!(
        warm.stdout
            .contains("the Python guest with numpy and pandas: "),
        "{warm:?}"
    );
    let (code, said) = doctor(&place).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("a script that uses them fails: "), "{said}");
}

#[tokio::test]
async fn a_file_that_cant_be_used_leaves_scripts_without_and_the_doctor_fails() {
    let place = workplace(&named());
    let file = place.path().join("parts").join(DataGuest::FILE);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("its mode");
    let (code, said) = doctor(&place).await;
    assert_eq!(code, Some(1), "{said}");
    let says = "numpy and pandas: not usable; python.data-guest: ";
    assert!(
        said.contains(says) && said.contains("others can write the file"),
        "{said}"
    );
    let ran = place
        .run(&["run", "-e", "return 1", "--language", "python"])
        .await;
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "1"), "{ran:?}");
    assert!(
        ran.stderr.contains("scripts have neither numpy nor pandas"),
        "{ran:?}"
    );

    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("its mode");
    let folder = file.parent().expect("a folder");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("its mode");
    let (_, said) = doctor(&place).await;
    assert!(said.contains("others can write to"), "{said}");
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut content = stand_in();
    content.truncate(content.len() / 2);
    fs::write(&file, content).expect("a file");
    let ran = place.run(&["doctor", "--json"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let problem = ran.json()["pythonData"]["problem"].clone();
    let problem = problem.as_str().expect("a problem").to_owned();
    assert!(problem.contains("is damaged, or was replaced"), "{problem}");
}

#[tokio::test]
async fn models_are_told_of_numpy_and_pandas_where_they_are_there() {
    for (python, is_there) in [(named(), true), ("data = false".to_owned(), false)] {
        let place = workplace(&python);
        let mut served = Served::greeted(&place, &[]).await;
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let text = served.ask(list).await.to_string();
        assert_eq!(
            text.contains("Python packages: numpy, pandas;"),
            is_there,
            "{text}"
        );
    }
}
