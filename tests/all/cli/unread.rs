//! `ampoule run` whose output nobody reads, or reads slowly.

use std::process::Stdio;
use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

/// Half a megabyte, which no pipe holds, on standard output or standard error.
const PRINT: &str = "for (let i = 0; i < 50; i++) console.log(`${i} `.padEnd(10_000, 'x'))";
const WARN: &str = "for (let i = 0; i < 50; i++) console.warn(`${i} `.padEnd(10_000, 'x'))";
/// The same until the wall time is over.
const PRINT_ON: &str = "for (;;) { console.log('x'.repeat(10_000)); await new Promise((done) => setTimeout(done, 20)) }";

/// Longer than any of these runs may take beyond its wall time, on a busy machine.
const SOON: Duration = Duration::from_secs(20);

fn run(workplace: &Workplace, wall_time: &str, script: &str) -> Child {
    let arguments = ["run", "-q", "--timeout", wall_time, "-e", script];
    let mut command = workplace.command(binary(), &arguments);
    command.spawn().expect("a process")
}

async fn code(child: &mut Child) -> Option<i32> {
    let status = tokio::time::timeout(SOON, child.wait()).await;
    status.expect("it ends soon").expect("a status").code()
}

#[tokio::test]
async fn a_run_that_nobody_reads_ends_with_its_wall_time() {
    let workplace = Workplace::default();
    // The guest is compiled.
    assert_eq!(workplace.run(&["run", "-e", "return 1"]).await.json(), 1);
    for script in [PRINT, WARN, PRINT_ON, &format!("{PRINT}; {WARN}")] {
        let started = Instant::now();
        let mut child = run(&workplace, "2s", script);
        assert_eq!(code(&mut child).await, Some(3), "{script}");
        assert!(
            started.elapsed() >= Duration::from_secs(2),
            "{script}: {started:?}"
        );
    }
}

#[tokio::test]
async fn what_nobody_read_is_told_on_standard_error() {
    let workplace = Workplace::default();
    let mut child = run(&workplace, "1s", PRINT);
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("standard error");
    let (code, read) = tokio::join!(code(&mut child), stderr.read_to_string(&mut said));
    read.expect("text");
    assert_eq!(code, Some(3));
    assert!(
        said.contains(
            "bytes of output were lost: nobody read them before the wall time of 1s ran out"
        ),
        "{said}"
    );
}

#[tokio::test]
async fn a_run_that_nobody_reads_can_be_stopped() {
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let workplace = Workplace::default();
        let mut child = run(&workplace, "5min", &format!("{WARN}; {PRINT_ON}"));
        // It prints by then, and the pipe is full.
        let mut stdout = child.stdout.take().expect("standard output");
        let mut first = [0; 1];
        stdout.read_exact(&mut first).await.expect("some output");
        let pid = child.id().expect("it runs").to_string();
        let mut kill = Command::new("kill");
        kill.args([signal, &pid]).stdout(Stdio::null());
        assert_eq!(ended(kill).await.code, Some(0));
        assert_eq!(code(&mut child).await, Some(expected));
    }
}

#[tokio::test]
async fn a_slow_reader_gets_everything() {
    let workplace = Workplace::default();
    let mut child = run(&workplace, "1s", PRINT);
    let mut stdout = child.stdout.take().expect("standard output");
    let (mut all, mut page) = (Vec::new(), [0; 8192]);
    let started = Instant::now();
    loop {
        let read = stdout.read(&mut page).await.expect("output");
        if read == 0 {
            break;
        }
        all.extend_from_slice(&page[..read]);
        // This is what it is to be slow.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(started.elapsed() > Duration::from_secs(2), "{started:?}");
    assert_eq!(code(&mut child).await, Some(0));
    let lines = String::from_utf8(all).expect("text");
    let numbers: Vec<usize> = lines
        .lines()
        .map(|line| {
            line.split(' ')
                .next()
                .and_then(|n| n.parse().ok())
                .expect("a number")
        })
        .collect();
    assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    assert_eq!(lines.len(), 50 * 10_001);
}
