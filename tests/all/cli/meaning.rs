//! Search by meaning: where the model is found, and what it finds.

use ampoule_tests::command::Workplace;
use ampoule_tests::{binary, prepared};

/// The file in the folder that `cargo xtask test` prepares.
const MODEL: &str = "ampoule-model.safetensors";

/// How often a search is made again until it goes by meaning, each after some ten seconds.
const TRIES: usize = 10;

fn configuration(search: &str) -> String {
    let server = format!("[servers.demo]\ncommand = {:?}", binary());
    format!("[search]\n{search}\n{server}\nargs = [\"demo-server\"]\n")
}

#[tokio::test]
async fn tools_are_found_by_what_they_mean() {
    let test = "cli::meaning::tools_are_found_by_what_they_mean";
    let Some(folder) = prepared(test, "AMPOULE_TEST_MODEL") else {
        return;
    };
    let workplace = Workplace::without_compiled_code();
    let model = format!("model = {:?}", folder.join(MODEL));
    workplace.file("ampoule.toml", configuration(&model));
    let search = ["tools", "search", "bill someone's credit"];
    let mut found = workplace.run(&search).await;
    // Tools are embedded in the background. Where all processors are busy, a search doesn't wait for
    // it; what was embedded by then is kept, and the next search goes on from there.
    for _ in 0..TRIES {
        if !found.stderr.contains("words alone") {
            break;
        }
        found = workplace.run(&search).await;
    }
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.contains("demo.chargeCard "), "{found:?}");
    assert!(!found.stderr.contains("words alone"), "{found:?}");
    // The next process reads the vectors.
    let vectors = workplace.path().join("cache/ampoule/meaning");
    let kept = || {
        let files = std::fs::read_dir(&vectors).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let before = kept();
    assert!(before.len() >= 2, "{before:?}");
    assert_eq!(workplace.run(&search).await.stdout, found.stdout);
    assert_eq!(kept(), before);
    let doctor = workplace.run(&["doctor"]).await;
    assert!(
        doctor.stdout.contains("search: by words and by meaning, "),
        "{doctor:?}"
    );
}

#[tokio::test]
async fn without_a_model_words_answer_and_the_doctor_says_so() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", configuration("meaning = false"));
    let doctor = workplace.run(&["doctor"]).await;
    let said = "search: by words alone, as `search.meaning` says";
    assert!(doctor.stdout.contains(said), "{doctor:?}");
    let found = workplace.run(&["tools", "search", "open a ticket"]).await;
    assert!(found.stdout.starts_with("demo.createTicket "), "{found:?}");
    assert!(!found.stderr.contains("words alone"), "{found:?}");
}

#[tokio::test]
async fn a_file_that_is_not_a_model_leaves_words_and_the_doctor_fails() {
    let workplace = Workplace::default();
    workplace.file("model", "not a model");
    workplace.file("ampoule.toml", configuration("model = \"model\""));
    let found = workplace.run(&["tools", "search", "open a ticket"]).await;
    assert!(found.stdout.starts_with("demo.createTicket "), "{found:?}");
    let doctor = workplace.run(&["doctor"]).await;
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    let said = doctor
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        said.contains("search: by words alone; search.model: "),
        "{said}"
    );
}

/// Its start looks like that of a model: only a word that is embedded shows that it is none.
#[tokio::test]
async fn the_doctor_embeds_a_word_to_see_that_the_model_works() {
    let workplace = Workplace::default();
    workplace.file("model", "\u{2}\0\0\0\0\0\0\0{}");
    workplace.file("ampoule.toml", configuration("model = \"model\""));
    let doctor = workplace.run(&["doctor", "--json"]).await;
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    let document: serde_json::Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    assert_eq!(document["searchModel"], serde_json::Value::Null);
    let problem = document["searchProblem"].as_str().expect("a problem");
    assert!(
        problem.starts_with("search.model: ") && problem.contains("not a model for search"),
        "{problem}"
    );
    let said = workplace.run(&["doctor"]).await.stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("the file is not a model for search"),
        "{said}"
    );
    // Searches go on, and say it.
    let found = workplace.run(&["tools", "search", "open a ticket"]).await;
    assert!(found.stdout.starts_with("demo.createTicket "), "{found:?}");
    assert!(found.stderr.contains("found by words alone: "), "{found:?}");
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_so_and_what_to_do() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", configuration("meaning = false"));
    let found = workplace.run(&["tools", "search", "xyzzy"]).await;
    assert_eq!((found.code, &*found.stdout), (Some(0), ""), "{found:?}");
    let said = found
        .stderr
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        said.contains(
            " tools fits `xyzzy`; search with other words, or list all tools with `ampoule tools`"
        ),
        "{found:?}"
    );
    let found = (workplace.run(&["tools", "--json", "search", "xyzzy"])).await;
    let document: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!(document["tools"], serde_json::json!([]));
    assert!(!found.stderr.contains("xyzzy"), "{found:?}");
}
