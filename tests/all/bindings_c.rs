//! Ampoule for C, by programs in C: those of `host/bind/c/tests`, the example, and those of its document.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{installed, repository, runtime_builder};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::bindings_programs::{Program, programs};
use crate::documents::blocks_of;

/// Longer than anything here takes on a slow machine, but for what is asked to run long.
const PATIENCE: Duration = Duration::from_secs(600);
/// What a process that ends with runs under way may take for it; the runs would take a minute.
const SOON: Duration = Duration::from_secs(30);
/// How many runs are made one after the other, unless `AMPOULE_TEST_RUNS` says otherwise.
const RUNS: u32 = 3_000;
/// What these may leave, in KiB: allocators keep some of what they were given back.
const LEFT_KIB: i64 = 1 << 10;

/// A place where programs in C are compiled, by one of this machine's compilers.
pub(crate) struct C {
    workplace: Workplace,
    compiler: PathBuf,
}

impl C {
    /// None without a compiler.
    pub(crate) fn of(test: &str, compiler: &str) -> Option<Self> {
        let compiler = installed(&format!("bindings_c::{test}"), compiler)?;
        // The guests are compiled by another process, once for all.
        drop(runtime_builder());
        Some(Self {
            workplace: Workplace::default(),
            compiler,
        })
    }

    /// Compiles a program, linked with the shared library, without a warning.
    pub(crate) async fn compiled(&self, source: &Path, flags: &[&str]) -> PathBuf {
        let library = library();
        let folder = library.parent().expect("a folder").to_string_lossy();
        let linked = [
            format!("-L{folder}"),
            "-lampoule_c".to_owned(),
            "-lpthread".to_owned(),
            format!("-Wl,-rpath,{folder}"),
        ];
        let include = format!("-I{}", repository().join("host/bind/c/include").display());
        let out = self.workplace.path().join("program");
        let warnings = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", &include];
        let mut command = self.workplace.command(&self.compiler, &warnings);
        command.args(flags).arg(source).args(linked);
        let ran = ended({
            command.arg("-o").arg(&out);
            command
        });
        let ran = ran.await;
        assert_eq!(ran.code, Some(0), "{}: {}", source.display(), ran.stderr);
        out
    }

    /// Runs a program with this input.
    async fn ran(&self, program: &Path, arguments: &[&str], input: &str) -> Output {
        let mut command = self.workplace.command(program, arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
        let mut stdin = child.stdin.take().expect("standard input");
        let input = input.to_owned();
        // What it answers is read meanwhile: it may be more than a pipe holds.
        let written = tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
        let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await;
        let output = output.expect("it ends").expect("it runs");
        drop(written);
        output
    }

    /// Runs a case of `cases.c`, which must hold, and gives what it prints.
    async fn case(test: &str, name: &str, arguments: &[&str]) -> Option<String> {
        let place = Self::of(test, "gcc")?;
        let source = repository().join("host/bind/c/tests/cases.c");
        let program = place.compiled(&source, &["-std=c11"]).await;
        let arguments = [&[name], arguments].concat();
        let output = place.ran(&program, &arguments, "").await;
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{output:?}\n{complained}");
        assert!(!complained.contains("panicked"), "{complained}");
        Some(text(&output))
    }
}

/// The shared library beside this test's own program.
fn library() -> PathBuf {
    let this = std::env::current_exe().expect("this test's path");
    let library = this.with_file_name("libampoule_c.so");
    assert!(
        library.exists(),
        "{} is not there: run `cargo xtask test`, or `cargo build --workspace --lib --bins --tests` first",
        library.display()
    );
    library
}

/// What a program printed that ended well.
fn text(output: &Output) -> String {
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {complained}", output.status);
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The options of a program.
fn options(program: &Program) -> Value {
    json!({
        "code": program.code,
        "language": program.language,
        "env": program.table("env"),
        "strings": program.table("strings"),
        "limits": program.table("limits"),
    })
}

/// How `programs.c` is to run a program.
fn ways(program: &Program) -> Vec<String> {
    match program.cancelled_on() {
        Some(line) => vec![format!("\"text\":{}", json!(line))],
        None => vec!["run".to_owned(), "start".to_owned()],
    }
}

/// Brings programs to their ends by `programs.c`, compiled with these flags.
async fn come_to_their_ends(place: &C, flags: &[&str], programs: &[Program]) {
    let source = repository().join("host/bind/c/tests/programs.c");
    let compiled = place.compiled(&source, flags).await;
    let (mut input, mut asked) = (String::new(), Vec::new());
    for program in programs {
        let ways = ways(program);
        for _ in 0..program.times() {
            for way in &ways {
                writeln!(input, "{way}\n{}", options(program)).expect("a text grows");
                asked.push(program);
            }
        }
    }
    let tools = repository().join("tests/bindings/tools.json");
    let tools = tools.to_str().expect("a path in UTF-8");
    let answered = text(&place.ran(&compiled, &[tools], &input).await);
    let answered: Vec<&str> = answered.lines().collect();
    assert_eq!(answered.len(), asked.len());
    let each = asked.iter().zip(answered);
    let mistakes: Vec<String> = each
        .flat_map(|(program, outcome)| program.mistakes(outcome))
        .collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[tokio::test]
async fn programs_come_to_their_ends() {
    let Some(place) = C::of("programs_come_to_their_ends", "gcc") else {
        return;
    };
    come_to_their_ends(&place, &["-std=c11"], &programs()).await;
}

/// The same, where each access to memory of C's is checked, and what nobody has any more at the end is
/// a mistake, also where the library allocated it.
#[tokio::test]
async fn nothing_is_lost_on_the_way_to_their_ends() {
    let Some(place) = C::of("nothing_is_lost_on_the_way_to_their_ends", "gcc") else {
        return;
    };
    let flags = ["-std=c11", "-fsanitize=address"];
    come_to_their_ends(&place, &flags, &programs()).await;
}

/// The example's lines: an outcome, and a fault.
fn check_report(printed: &str) {
    let (outcome, fault) = printed.trim_end().split_once('\n').expect("two lines");
    let outcome: Value = serde_json::from_str(outcome).expect("JSON");
    assert_eq!(outcome["ending"], "returned", "{outcome}");
    assert_eq!(
        outcome["value"],
        json!({ "Ada": 953.125, "Grace": 900 }),
        "{outcome}"
    );
    assert_eq!(outcome["output"][0]["text"], "3 orders");
    let calls = outcome["usage"]["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), 4, "{outcome}");
    let fault: Value = serde_json::from_str(fault).expect("JSON");
    assert_eq!(fault["kind"], "usage");
    let said = "unknown language `cobol`; the languages are typescript, javascript, python";
    assert_eq!(fault["message"], said);
}

#[tokio::test]
async fn the_example_reports_in_c_and_in_c_plus_plus() {
    for (compiler, flags) in [
        ("gcc", ["-std=c11", "-xc"]),
        ("g++", ["-std=c++17", "-xc++"]),
    ] {
        let test = "the_example_reports_in_c_and_in_c_plus_plus";
        let Some(place) = C::of(test, compiler) else {
            return;
        };
        let source = repository().join("examples/report.c");
        let program = place.compiled(&source, &flags).await;
        check_report(&text(&place.ran(&program, &[], "").await));
    }
}

/// The command of the document by which the example is linked with the shared library.
#[tokio::test]
async fn it_is_linked_as_the_document_says() {
    linked("it_is_linked_as_the_document_says", ".so").await;
}

/// The same with the static library, which `cargo xtask test --deep` builds.
#[tokio::test]
async fn statically_it_is_linked_as_the_document_says() {
    linked("statically_it_is_linked_as_the_document_says", ".a").await;
}

/// Runs the document's command that links with this kind of library.
async fn linked(test: &str, kind: &str) {
    let Some(place) = C::of(test, "cc") else {
        return;
    };
    let out = place.workplace.path().join("report");
    let library = library();
    // Cargo leaves both beside the programs; in the tests' own folder is the shared one alone.
    let folders = library.ancestors().skip(1);
    let folder = folders
        .take(2)
        .find(|folder| folder.join(format!("libampoule_c{kind}")).exists());
    let folder = folder.unwrap_or_else(|| panic!("libampoule_c{kind} is not built"));
    let blocks = blocks_of(&repository().join("docs/guides/c.md"));
    let lines = blocks.iter().flat_map(|block| block.text.lines());
    let lines = lines.filter_map(|line| line.strip_prefix("cc "));
    let is_static = |line: &&str| line.contains("libampoule_c.a");
    let lines: Vec<_> = lines
        .filter(|line| is_static(line) == (kind == ".a"))
        .collect();
    let [line] = *lines else {
        panic!("{kind}: {lines:?}");
    };
    let words = line
        .replace("target/release", &folder.to_string_lossy())
        .replace("-o report", &format!("-o {}", out.display()));
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = place.workplace.command(&place.compiler, &words);
    command.current_dir(repository());
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
    check_report(&text(&place.ran(&out, &[], "").await));
}

#[tokio::test]
async fn the_documents_programs_run() {
    let Some(place) = C::of("the_documents_programs_run", "gcc") else {
        return;
    };
    let pages = ["docs/start/c.md", "docs/guides/c.md"];
    let pages = pages.iter().map(|page| blocks_of(&repository().join(page)));
    let mut blocks: Vec<_> = pages.flatten().collect();
    blocks.retain(|block| block.language == "c");
    assert!(blocks.len() >= 4);
    for block in &blocks {
        let source = place.workplace.file("program.c", &block.text);
        let program = place.compiled(&source, &["-std=c11"]).await;
        let printed = text(&place.ran(&program, &[], "").await);
        let shown = r#"{"ending":"returned","value":42,"output":[],"usage":"#;
        let is_first = block.text.contains("return 6 * 7");
        let expected = if is_first { shown } else { "" };
        assert!(
            printed.starts_with(expected) && printed.is_empty() == expected.is_empty(),
            "{}: {printed}",
            block.place()
        );
    }
}

#[tokio::test]
async fn a_process_ends_with_runs_under_way() {
    for name in [
        "returns-with-runs-under-way",
        "frees-with-runs-under-way",
        "closes-with-runs-under-way",
        "exits-while-a-thread-waits",
    ] {
        let began = Instant::now();
        if C::case("a_process_ends_with_runs_under_way", name, &[])
            .await
            .is_none()
        {
            return;
        }
        assert!(began.elapsed() < SOON, "{name}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_fork_says_what_it_lacks() {
    C::case("a_fork_says_what_it_lacks", "fork-says-what-it-lacks", &[]).await;
}

#[tokio::test]
async fn a_fork_may_come_first() {
    C::case("a_fork_may_come_first", "fork-may-come-first", &[]).await;
}

#[tokio::test]
async fn one_call_is_a_run_of_its_own() {
    C::case("one_call_is_a_run_of_its_own", "one-call", &[]).await;
}

#[tokio::test]
async fn values_for_the_person_are_in_the_outcome() {
    let test = "values_for_the_person_are_in_the_outcome";
    C::case(test, "values-for-the-person", &[]).await;
}

#[tokio::test]
async fn there_may_be_two_runtimes() {
    C::case("there_may_be_two_runtimes", "two-runtimes", &[]).await;
}

#[tokio::test]
async fn mistakes_are_told_in_a_sentence() {
    C::case("mistakes_are_told_in_a_sentence", "mistakes", &[]).await;
}

#[tokio::test]
async fn a_configuration_governs() {
    let test = "a_configuration_governs";
    let Some(place) = C::of(test, "gcc") else {
        return;
    };
    let source = repository().join("host/bind/c/tests/cases.c");
    let program = place.compiled(&source, &["-std=c11"]).await;
    text(&place.ran(&program, &["configuration-governs"], "").await);
    // What was done is on record, signed.
    let config = place.workplace.path().join("ampoule.toml");
    let config = config.to_str().expect("a path in UTF-8");
    let verify = ["audit", "verify", "--json", "--config", config];
    let verified = place.workplace.run(&verify).await;
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    let verified: Value = serde_json::from_str(&verified.stdout).expect("JSON");
    assert_eq!(verified["unsigned"], 0, "{verified}");
}

#[tokio::test]
async fn a_tool_may_run_scripts() {
    C::case("a_tool_may_run_scripts", "a-tool-runs-scripts", &[]).await;
}

#[tokio::test]
async fn memory_is_bounded_over_many_runs() {
    let runs = std::env::var("AMPOULE_TEST_RUNS").unwrap_or_else(|_| RUNS.to_string());
    let test = "memory_is_bounded_over_many_runs";
    let Some(printed) = C::case(test, "many-runs", &[&runs]).await else {
        return;
    };
    let kibibytes: Vec<i64> = printed
        .split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect();
    let left = kibibytes[1] - kibibytes[0];
    assert!(left < LEFT_KIB, "{runs} runs left {left} KiB: {printed}");
}
