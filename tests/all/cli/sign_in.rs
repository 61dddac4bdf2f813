//! Signing in to a server, as people and their scripts do: npm's `oidc-provider`, and an MCP server
//! that takes its tokens alone.

use std::path::PathBuf;
use std::process::Stdio;

use ampoule_tests::command::{Ran, Served, Workplace, ended};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// How often processes refresh the same sign-in at once, and how many they are.
const RACES: usize = 3;
const RACING: usize = 3;

/// Who asks, and whether other servers go on.
const BOTH: &str = "let behind; try { behind = await tools.behind.whoami() } catch (error) { behind = error.message }
    return { behind, total: (await tools.shop.listProducts({})).total }";

/// A folder with two servers, one of them behind a sign-in.
struct Desk {
    workplace: Workplace,
    _servers: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// All that commands wrote.
    written: String,
}

fn server(file: &str) -> PathBuf {
    repository().join("tests/servers").join(file)
}

impl Desk {
    /// Access tokens live for so many seconds.
    async fn new(test: &str, life: u32) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let workplace = Workplace::default();
        let mut command = workplace.command("node", &[]);
        command.arg(server("behind-sign-in.mjs")).arg(node);
        let mut servers = command
            .arg(life.to_string())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node");
        let input = servers.stdin.take().expect("a pipe");
        let output = servers.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output).lines();
        let first = output.next_line().await.expect("text").expect("a line");
        let first: Value = serde_json::from_str(&first).expect("JSON");
        let config = format!(
            "[servers.behind]\nurl = {}\n[servers.shop]\ncommand = {:?}\nargs = ['demo-server']\n",
            first["url"],
            binary()
        );
        workplace.file("ampoule.toml", config);
        Some(Self {
            workplace,
            _servers: servers,
            input,
            output,
            written: String::new(),
        })
    }

    /// How the authorization server goes on from now on, and what happened there until now.
    async fn server(&mut self, mode: &str) -> Value {
        let line = format!("{mode}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .expect("it reads");
        let told = self.output.next_line().await.expect("text");
        serde_json::from_str(&told.expect("a line")).expect("JSON")
    }

    async fn run(&mut self, arguments: &[&str]) -> Ran {
        let ran = self.workplace.run(arguments).await;
        self.keep(ran)
    }

    /// The same, with everything in the log.
    async fn run_loudly(&mut self, arguments: &[&str]) -> Ran {
        let mut command = self.workplace.command(binary(), arguments);
        command.env("AMPOULE_LOG", "trace");
        let ran = ended(command).await;
        self.keep(ran)
    }

    fn keep(&mut self, ran: Ran) -> Ran {
        self.written += &ran.stdout;
        self.written += &ran.stderr;
        ran
    }

    /// What the script that asks both servers returns.
    async fn both(&mut self) -> Value {
        let ran = self.run(&["run", "-q", "-e", BOTH]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    }

    /// Signs in, with a browser here or elsewhere.
    async fn login(&mut self, browser: Browser) -> Ran {
        let mut command = self
            .workplace
            .command(binary(), &["auth", "login", "behind"]);
        let mut child = command
            .env("AMPOULE_LOG", "trace")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            let read = stderr.read_line(&mut line).await.expect("text");
            assert!(read > 0, "it ended: {said}");
            said += &line;
            if line.starts_with("http://") {
                break line.trim().to_owned();
            }
        };
        // What it says further is not waited for: the browser is answered when it has ended.
        let reading = tokio::spawn(async move {
            let mut rest = String::new();
            stderr.read_to_string(&mut rest).await.expect("text");
            rest
        });
        let file = server("browser.mjs");
        let file = file.to_str().expect("a path in UTF-8");
        let elsewhere = browser == Browser::Elsewhere;
        let stay: &[&str] = if elsewhere { &["stay"] } else { &[] };
        let arguments = [&[file, &address], stay].concat();
        let shown = ended(self.workplace.command("node", &arguments)).await;
        assert_eq!(shown.code, Some(0), "{shown:?}");
        if elsewhere {
            stdin.write_all(b"what?\n").await.expect("it reads");
            stdin
                .write_all(shown.stdout.as_bytes())
                .await
                .expect("it reads");
        } else {
            assert_eq!(
                shown.stdout,
                "200 You are signed in. This page can be closed.\n"
            );
        }
        let output = child.wait_with_output().await.expect("its output");
        let rest = reading.await.expect("it is read");
        self.keep(Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: said + &rest,
        })
    }

    async fn signed_in(&mut self) {
        let ran = self.login(Browser::Here).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Browser {
    Here,
    Elsewhere,
}

const TO_SIGN_IN: &str = "to sign in, run: ampoule auth login behind";

#[tokio::test]
async fn a_server_is_signed_in_to_and_out_of() {
    let Some(mut desk) = Desk::new("a_server_is_signed_in_to_and_out_of", 3600).await else {
        return;
    };
    for _ in 0..2 {
        let looked = desk.run(&["doctor"]).await;
        let state = "behind: needs a sign-in\n";
        assert!(looked.stdout.contains(state), "{looked:?}");
        let listed = desk.run(&["tools"]).await;
        assert!(listed.stderr.contains(TO_SIGN_IN), "{listed:?}");
        assert!(listed.stdout.contains("shop"), "{listed:?}");
        let both = desk.both().await;
        assert_eq!(both["total"], 40);
        assert_eq!(
            both["behind"],
            format!("behind: it asks for a sign-in; {TO_SIGN_IN}")
        );

        let ran = desk.login(Browser::Here).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let whose = "signed in as ada, at http://127.0.0.1:";
        assert!(
            ran.stdout.starts_with(&format!("behind: {whose}")),
            "{ran:?}"
        );
        let looked = desk.run(&["doctor"]).await;
        assert!(looked.stdout.contains(whose), "{looked:?}");
        for arguments in [&["servers"][..], &["servers", "--json"]] {
            let listed = desk.run(arguments).await;
            assert!(listed.stdout.contains(whose), "{listed:?}");
        }
        assert_eq!(desk.both().await, json!({"behind": "ada", "total": 40}));
        let listed = desk.run(&["tools"]).await;
        assert!(listed.stdout.contains("behind"), "{listed:?}");

        let ran = desk.run(&["auth", "logout", "behind"]).await;
        assert_eq!(ran.stdout, "signed out of behind; its tokens are revoked\n");
        let ran = desk.run(&["auth", "logout", "behind"]).await;
        assert_eq!(ran.stdout, "not signed in to behind\n");
        let listed = desk.run(&["servers"]).await;
        assert!(!listed.stdout.contains("signed in"), "{listed:?}");
    }
    assert!(
        desk.both().await["behind"]
            .as_str()
            .is_some_and(|why| why.contains(TO_SIGN_IN))
    );
    let told = desk.server("works").await;
    // Signing out forgets the client too.
    assert_eq!(
        (&told["revocations"], &told["clients"]),
        (&json!(2), &json!(2))
    );
}

#[tokio::test]
async fn the_address_is_pasted_where_the_browser_is_elsewhere() {
    let test = "the_address_is_pasted_where_the_browser_is_elsewhere";
    let Some(mut desk) = Desk::new(test, 3600).await else {
        return;
    };
    let ran = desk.login(Browser::Elsewhere).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("that is not an address"), "{ran:?}");
    assert_eq!(desk.both().await["behind"], "ada");
}

#[tokio::test]
async fn processes_that_refresh_at_once_lose_no_sign_in() {
    let test = "processes_that_refresh_at_once_lose_no_sign_in";
    // It is due at every start, and within each run.
    let Some(mut desk) = Desk::new(test, 1).await else {
        return;
    };
    desk.signed_in().await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let source = "const said = []
        for (let n = 0; n < 3; n++) { said.push(await tools.behind.whoami()); await new Promise((on) => setTimeout(on, 1100)) }
        return said";
    let arguments = ["run", "-q", "-e", source];
    for _ in 0..RACES {
        let runs = (0..RACING).map(|_| desk.workplace.run(&arguments));
        for ran in futures::future::join_all(runs).await {
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert_eq!(ran.json(), json!(["ada", "ada", "ada"]));
        }
    }
    let told = desk.server("works").await;
    let refreshes = told["refreshes"].as_u64().expect("a number");
    assert!(refreshes >= RACES as u64 * 3, "{refreshes}");
    assert_eq!(
        (&told["refusals"], &told["clients"]),
        (&json!(0), &json!(1))
    );
}

#[tokio::test]
async fn a_rejected_refresh_needs_a_sign_in_and_a_failing_one_does_not() {
    let test = "a_rejected_refresh_needs_a_sign_in_and_a_failing_one_does_not";
    let Some(mut desk) = Desk::new(test, 1).await else {
        return;
    };
    desk.signed_in().await;
    // The server still takes the old token.
    desk.server("fails").await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(desk.both().await, json!({"behind": "ada", "total": 40}));
    // It has ended there too.
    desk.server("ended fails").await;
    let both = desk.both().await;
    assert_eq!(both["total"], 40);
    let behind = both["behind"].as_str().expect("a text");
    assert!(
        behind.contains("can't be refreshed now") && !behind.contains("ampoule auth login"),
        "{behind}"
    );
    desk.server("rejects").await;
    let both = desk.both().await;
    assert_eq!(both["total"], 40);
    let lost = "behind: the sign-in is no longer accepted";
    let behind = both["behind"].as_str().expect("a text");
    assert!(
        behind.starts_with(lost) && behind.contains(TO_SIGN_IN),
        "{behind}"
    );
    // Nobody asks again, and nothing is registered but by a sign-in.
    let before = desk.server("works").await;
    assert!(
        desk.both().await["behind"]
            .as_str()
            .is_some_and(|why| why.starts_with(lost))
    );
    let after = desk.server("works").await;
    assert_eq!(before["refusals"], after["refusals"]);
    desk.signed_in().await;
    assert_eq!(desk.both().await["behind"], "ada");
    assert_eq!(desk.server("works").await["clients"], 1);
}

/// A script that tells all that it can find out: of what a server says that repeats the token, of
/// its environment, and of its globals.
const TELLS: &str = "const said = []
    for (const call of [tools.behind.whoami, tools.behind.leak, tools.behind.repeat]) try { said.push(await call({})) } catch (error) {
        for (const name of Object.getOwnPropertyNames(error)) said.push([name, String(error[name]), JSON.stringify(error[name])])
    }
    for (const name of Object.getOwnPropertyNames(globalThis)) try { said.push([name, JSON.stringify(globalThis[name])]) } catch {}
    return [said, Object.entries(env)]";

#[tokio::test]
async fn nothing_that_is_written_or_read_has_a_token_in_it() {
    let test = "nothing_that_is_written_or_read_has_a_token_in_it";
    let Some(mut desk) = Desk::new(test, 1).await else {
        return;
    };
    desk.signed_in().await;
    let mut served = Served::greeted(&desk.workplace, &[]).await;
    for mode in ["works", "fails", "works", "rejects"] {
        desk.server(mode).await;
        for arguments in [
            &["run", "-e", TELLS][..],
            &["run", "--json", "-e", TELLS],
            &["tools"],
            &["tools", "--json"],
            &["servers"],
            &["servers", "--json"],
            &["doctor"],
            &["doctor", "--json"],
        ] {
            desk.run_loudly(arguments).await;
        }
        let arguments = json!({"name": "execute_code", "arguments": {"code": TELLS}});
        let call =
            json!({"jsonrpc": "2.0", "id": mode, "method": "tools/call", "params": arguments});
        desk.written += &served.ask(call).await.to_string();
    }
    desk.server("works").await;
    desk.login(Browser::Elsewhere).await;
    desk.run_loudly(&["auth", "logout", "behind"]).await;
    desk.written += &format!("{:?}", served.closed().await);

    let told = desk.server("works").await;
    assert!(desk.written.contains("TRACE "));
    assert!(desk.written.contains("the token") && desk.written.contains("is strange"));
    let close = desk
        .written
        .replace(|it: char| it.is_whitespace() || it == '\\', "");
    assert!(close.contains(r#""[redacted]":["[redacted]"]"#));
    let secrets: Vec<&str> = told["secrets"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // How often a token was renewed depends on how long all of it took.
    assert!(secrets.len() >= 8, "{}", secrets.len());
    for secret in secrets {
        assert!(!desk.written.contains(secret), "{secret} is written");
    }
}
