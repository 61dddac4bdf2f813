//! Files and folders that are not what Ampoule left there, and processes that want the same ones at
//! once.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::components::component;
use futures::future::join_all;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

use super::server::make_pipe;

const COMPILES: &str = "compiling for all processes";
const WAITS: &str = "waiting for another process";

/// Something other than a file, and how it is made.
type Way<'a> = (&'a str, &'a dyn Fn(&Path));
/// What a process says on standard error.
type Said = Lines<BufReader<ChildStderr>>;

/// `ampoule run` of a trivial script, telling what it compiles: the guest, which takes long.
fn command(workplace: &Workplace) -> Command {
    let mut command = workplace.command(
        binary(),
        &["run", "--language", "javascript", "-e", "return 42"],
    );
    command.env("AMPOULE_LOG", "info");
    command
}

/// Runs the trivial script.
async fn run(workplace: &Workplace) -> Ran {
    let ran = ended(command(workplace)).await;
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "42"), "{ran:?}");
    ran
}

/// Runs a component that gives its arguments back. Its code is kept as that of a guest is, and is
/// compiled at once.
async fn run_component(workplace: &Workplace) -> Ran {
    let echo = component("(call $return (i32.const 0) (local.get $at) (local.get $length))");
    workplace.file("echo.wasm", echo);
    let mut command = workplace.command(binary(), &["run", "echo.wasm"]);
    command.env("AMPOULE_LOG", "info");
    let ran = ended(command).await;
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "{}"), "{ran:?}");
    ran
}

fn code(workplace: &Workplace) -> PathBuf {
    workplace.path().join("cache/ampoule/code")
}

/// The names in the folder of compiled code.
fn names(workplace: &Workplace) -> Vec<String> {
    let entries = fs::read_dir(code(workplace)).into_iter().flatten();
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("text")
    };
    entries.map(name).collect()
}

fn only_file(workplace: &Workplace) -> PathBuf {
    let names = names(workplace);
    assert!(
        names.len() == 1 && names[0].ends_with(".cwasm"),
        "{names:?}"
    );
    code(workplace).join(&names[0])
}

/// Starts one, and waits until it says that.
async fn started(workplace: &Workplace, until: &str) -> (Child, Said) {
    let mut child = command(workplace)
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    let said = async {
        while let Some(line) = lines.next_line().await.expect("text") {
            if line.contains(until) {
                return;
            }
        }
        panic!("it ended without saying: {until}");
    };
    tokio::time::timeout(Duration::from_secs(120), said)
        .await
        .expect("it says so in time");
    (child, lines)
}

async fn exit_code(mut child: Child) -> Option<i32> {
    let status = tokio::time::timeout(Duration::from_secs(120), child.wait()).await;
    status.expect("it ends").expect("a status").code()
}

#[tokio::test]
async fn of_four_cold_processes_one_compiles() {
    let workplace = Workplace::without_compiled_code();
    let ran = join_all((0..4).map(|_| run(&workplace))).await;
    let compiled = ran
        .iter()
        .filter(|ran| ran.stderr.contains(COMPILES))
        .count();
    assert_eq!(compiled, 1, "{ran:?}");
    only_file(&workplace);
}

#[tokio::test]
async fn who_waits_for_a_compiler_can_be_stopped_and_goes_on_where_it_was_killed() {
    let workplace = Workplace::without_compiled_code();
    let (mut compiler, _lines) = started(&workplace, COMPILES).await;
    compiler.kill().await.expect("it is killed");
    let names = names(&workplace);
    let [draft] = &names[..] else {
        panic!("{names:?}")
    };
    // From here on this test has the turn, as a process that compiles forever would.
    let turn = File::open(code(&workplace).join(draft)).expect("a draft");
    turn.lock().expect("nobody else has it");
    let (stopped, _lines) = started(&workplace, WAITS).await;
    let pid = stopped.id().expect("it runs").to_string();
    let told = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(told.expect("kill").success());
    assert_eq!(exit_code(stopped).await, Some(130));
    let (next, _lines) = started(&workplace, WAITS).await;
    drop(turn);
    assert_eq!(exit_code(next).await, Some(0));
    only_file(&workplace);
}

#[tokio::test]
async fn what_a_killed_compiler_left_is_swept_at_the_next_start() {
    let workplace = Workplace::without_compiled_code();
    run_component(&workplace).await;
    for left in [".0123-.part", ".tmpAbCdEf.cwasm"] {
        fs::write(code(&workplace).join(left), "half").expect("a file");
    }
    run_component(&workplace).await;
    only_file(&workplace);
}

#[tokio::test]
async fn what_is_no_file_under_the_name_of_one_is_replaced_once() {
    let workplace = Workplace::without_compiled_code();
    let ran = run_component(&workplace).await;
    assert!(ran.stderr.contains(COMPILES), "{ran:?}");
    let file = only_file(&workplace);
    let folder = |path: &Path| fs::create_dir_all(path.join("full")).expect("a folder");
    let ways: [Way<'_>; 2] = [("pipe", &make_pipe), ("folder", &folder)];
    for (way, make) in ways {
        fs::remove_file(&file).expect("a file");
        make(&file);
        let ran = run_component(&workplace).await;
        assert!(
            ran.stderr.contains("is not trusted, and is built again"),
            "{way}: {ran:?}"
        );
        let ran = run_component(&workplace).await;
        assert!(
            !ran.stderr.contains("WARN") && !ran.stderr.contains(COMPILES),
            "{way}: {ran:?}"
        );
        assert!(file.is_file());
    }
}

#[tokio::test]
async fn code_is_neither_kept_nor_loaded_where_others_can_swap_its_folder() {
    let workplace = Workplace::without_compiled_code();
    run_component(&workplace).await;
    let file = only_file(&workplace);
    // Were it loaded, it would be noticed.
    fs::write(&file, "native code of somebody else's").expect("a file");
    let parent = workplace.path().join("cache");
    fs::set_permissions(&parent, Permissions::from_mode(0o777)).expect("it is ours");
    let ran = run_component(&workplace).await;
    let parent = parent.canonicalize().expect("a folder");
    let advice = format!(
        "others can write to {0}, and so put other files in its place; chmod go-w {0}",
        parent.display()
    );
    assert!(ran.stderr.contains(&advice), "{ran:?}");
    assert_eq!(
        fs::read_to_string(&file).expect("a file"),
        "native code of somebody else's"
    );
    fs::set_permissions(&parent, Permissions::from_mode(0o755)).expect("it is ours");
    assert!(
        run_component(&workplace)
            .await
            .stderr
            .contains("the file is damaged")
    );
    only_file(&workplace);
}

#[tokio::test]
async fn a_pipe_in_place_of_a_list_of_tools_keeps_nobody_waiting() {
    let workplace = Workplace::without_compiled_code();
    let tools = ["tools"];
    assert_eq!(workplace.run(&tools).await.code, Some(0));
    let folder = workplace.path().join("cache/ampoule/servers/tools");
    let lists: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let [list] = &lists[..] else {
        panic!("{lists:?}")
    };
    fs::remove_file(list).expect("a file");
    make_pipe(list);
    let ran = workplace.run(&tools).await;
    assert!(
        ran.code == Some(0) && ran.stdout.contains("listOrders"),
        "{ran:?}"
    );
    assert!(list.is_file(), "it was not replaced");
}
