//! Authorization servers that give few tokens and refuse what others take.

use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{binary, repository};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Child;

/// Longer than its tokens live.
const A_LIFE: Duration = Duration::from_millis(3500);

struct Desk {
    workplace: Workplace,
    server: Child,
}

impl Desk {
    /// Signed in to a server in this mode.
    async fn signed_in(mode: &str) -> Self {
        let workplace = Workplace::default();
        let script = repository().join("tests/servers/refreshing.py");
        let mut command = workplace.command("python3", &[]);
        let mut server = command
            .arg(script)
            .arg(mode)
            .stdin(Stdio::null())
            .spawn()
            .expect("python3");
        let port = BufReader::new(server.stdout.as_mut().expect("a pipe"))
            .lines()
            .next_line()
            .await
            .expect("text")
            .expect("a line");
        let config = format!("[servers.t]\nurl = 'http://127.0.0.1:{port}/mcp'\n");
        workplace.file("ampoule.toml", config);
        let desk = Self { workplace, server };
        desk.login().await;
        desk
    }

    /// Opens the address that is printed, as a browser does.
    async fn login(&self) {
        let mut login = self
            .workplace
            .command(binary(), &["auth", "login", "t"])
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(login.stderr.take().expect("a pipe")).lines();
        let address = loop {
            let line = lines.next_line().await.expect("text").expect("an address");
            if line.starts_with("http://") {
                break line.trim().to_owned();
            }
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        let page = reqwest::get(address).await.expect("an answer");
        assert_eq!(page.status(), 200);
        assert!(login.wait().await.expect("it ends").success());
    }

    async fn run(&self, tool: &str) -> Ran {
        let code = format!("return await tools.t.{tool}({{}});");
        self.workplace.run(&["run", "--quiet", "-e", &code]).await
    }

    async fn works(&self, tool: &str) {
        let ran = self.run(tool).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stdout, format!("{tool} done\n"));
    }

    /// What the token endpoint got, when all is over.
    async fn forms(mut self) -> Vec<Value> {
        self.server.kill().await.expect("it ends");
        let mut said = String::new();
        let mut stderr = self.server.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).await.expect("text");
        let lines = said.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said}")))
            .collect()
    }
}

/// Two refreshes of a sign-in to a server in this mode, whose token endpoint is asked so often.
async fn is_refreshed(mode: &str, asked: usize) {
    let desk = Desk::signed_in(mode).await;
    desk.works("look").await;
    for _ in 0..2 {
        tokio::time::sleep(A_LIFE).await;
        desk.works("look").await;
    }
    // A token without an end is used until it is refused.
    desk.works("look").await;
    let forms = desk.forms().await;
    assert_eq!(forms.len(), asked, "{mode}: {forms:?}");
    let refreshes = &forms[1..];
    assert!(
        refreshes
            .iter()
            .all(|form| form["refresh_token"] == "refresh-0"),
        "{mode}: {refreshes:?}"
    );
    // What is refused is asked for once, and by no later process.
    let with_resource = refreshes
        .iter()
        .filter(|form| form.get("resource").is_some());
    let expected = if mode == "resource" {
        1
    } else {
        refreshes.len()
    };
    assert_eq!(with_resource.count(), expected, "{mode}: {refreshes:?}");
}

#[tokio::test]
async fn a_sign_in_is_refreshed_in_the_way_that_the_server_takes() {
    tokio::join!(
        is_refreshed("resource", 4),
        is_refreshed("scope", 3),
        is_refreshed("slash", 3),
        is_refreshed("forbidden", 3),
    );
}

#[tokio::test]
async fn more_rights_are_asked_of_a_person() {
    let desk = Desk::signed_in("forbidden").await;
    let refused = desk.run("delete").await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = "it asks for more rights (write); to sign in, run: ampoule auth login t";
    assert!(refused.stderr.contains(said), "{refused:?}");
    desk.login().await;
    desk.works("delete").await;
}

#[tokio::test]
async fn a_refusal_that_stays_is_told_with_what_to_do() {
    let desk = Desk::signed_in("never").await;
    desk.works("look").await;
    tokio::time::sleep(A_LIFE).await;
    for _ in 0..2 {
        let refused = desk.run("look").await;
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let said = "its sign-in can't be refreshed: the authorization server refused: app_suspended: ask the administrator about …; to sign in, run: ampoule auth login t";
        assert!(refused.stderr.contains(said), "{refused:?}");
        assert!(!refused.stderr.contains("later"), "{refused:?}");
    }
    // The sign-in helps.
    desk.login().await;
    desk.works("look").await;
}
