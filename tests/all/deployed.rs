//! What the pages on operating put around `ampoule serve --http`: a proxy, systemd, a container.

use std::path::Path;

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{binary, installed, repository};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::documents::blocks_of;
use super::serving::{PATIENCE, Serving, client, script, text};

/// The blocks of the pages in this language.
fn blocks(language: &str) -> Vec<String> {
    let pages = ["docs/operate/deploy.md", "docs/operate/proxy-and-tls.md"];
    let blocks = pages
        .iter()
        .flat_map(|page| blocks_of(&repository().join(page)));
    let blocks = blocks.filter(|block| block.language == language);
    let found: Vec<_> = blocks.map(|block| block.text).collect();
    assert!(!found.is_empty(), "no {language} in {pages:?}");
    found
}

fn port_of(at: &str) -> &str {
    let at = at.trim_end_matches("/mcp");
    at.rsplit_once(':').expect("a port").1
}

/// nginx with the document's part of its configuration, before this server; and where it is.
fn nginx(program: &Path, workplace: &Workplace, server: &str) -> (Child, String) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    let location = blocks("nginx").remove(0);
    assert!(location.contains(":8080;"), "{location}");
    let location = location.replace(":8080;", &format!(":{};", port_of(server)));
    let folder = workplace.path().display().to_string();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("{kind}_temp_path {folder}/{kind};\n"))
        .collect();
    let configuration = format!(
        "daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr;\n\
         events {{}}\n\
         http {{ access_log off;\n{temporary}server {{ listen 127.0.0.1:{port};\n{location}}} }}"
    );
    let file = workplace
        .file("nginx.conf", configuration)
        .display()
        .to_string();
    drop(free);
    let mut nginx = workplace.command(program, &["-p", &folder, "-c", &file]);
    let nginx = nginx.spawn().expect("nginx");
    (nginx, format!("http://ampoule.example.com:{port}/mcp"))
}

#[tokio::test]
async fn nginx_passes_on_what_is_told_as_it_is_told() {
    let name = "nginx_passes_on_what_is_told_as_it_is_told";
    let Some(program) = installed(name, "nginx") else {
        return;
    };
    let workplace = Workplace::default();
    let config = "[serve]\nhosts = ['ampoule.example.com']\n[toolkits.some]\ntools = ['none']\n";
    workplace.file("ampoule.toml", config);
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let (mut nginx, at) = nginx(&program, &workplace, &server.at);
    let _ = client();
    let http = reqwest::Client::builder()
        .no_proxy()
        .resolve("ampoule.example.com", ([127, 0, 0, 1], 0).into())
        .build();
    let http = http.expect("a client");
    let reached = async {
        while http.get(&at).send().await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, reached).await.expect("nginx is there");
    assert_eq!(text(script(&http, &at, "return 6 * 7")).await, "42");
    let toolkit = format!("{at}/some");
    assert_eq!(text(script(&http, &toolkit, "return 6 * 7")).await, "42");
    // Of a run that has not ended, and would not for long.
    let code = "progress(0.5, 'half'); await new Promise(() => setTimeout(() => {}, 3_600_000))";
    let request = script(&http, &at, code).build().expect("a request");
    let body = request.body().and_then(|body| body.as_bytes());
    let mut message: Value = serde_json::from_slice(body.expect("a body")).expect("JSON");
    message["params"]["_meta"]["progressToken"] = json!("p");
    message["params"]["arguments"]["timeout_seconds"] = json!(600);
    let told = script(&http, &at, code).body(message.to_string()).send();
    let mut told = told.await.expect("an answer");
    assert_eq!(told.status(), StatusCode::OK);
    let mut said = String::new();
    let half = async {
        while !said.contains("half") {
            let chunk = told.chunk().await.expect("more").expect("not its end");
            said += &String::from_utf8_lossy(&chunk);
        }
    };
    timeout(PATIENCE, half).await.expect("half an answer");
    assert!(said.contains("notifications/progress"), "{said}");
    drop(told);
    nginx.kill().await.expect("it ends");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test]
async fn systemd_takes_the_units() {
    let Some(program) = installed("systemd_takes_the_units", "systemd-analyze") else {
        return;
    };
    let workplace = Workplace::default();
    let installed = "/usr/bin/ampoule";
    let packaged = repository().join("xtask/src/dist/files");
    let mut arguments = vec!["verify".to_owned(), "--man=no".to_owned()];
    let mut started = Vec::new();
    for unit in blocks("ini") {
        let (place, rest) = unit.split_once('\n').expect("lines");
        let name = place.rsplit_once('/').expect("a path").1;
        let in_package = std::fs::read_to_string(packaged.join(name)).expect("a unit");
        assert_eq!(rest, in_package, "the package has another {name}");
        let command = rest
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart="));
        started.extend(command.map(ToOwned::to_owned));
        let unit = rest.replace(installed, &binary().display().to_string());
        arguments.push(workplace.file(name, unit).display().to_string());
    }
    assert_eq!(arguments.len(), 4, "a service and a socket: {arguments:?}");
    let arguments: Vec<_> = arguments.iter().map(|argument| &**argument).collect();
    let verified = ended(workplace.command(&program, &arguments)).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(verified.stderr, "", "it has something to say");
    // What the unit starts is something that there is: only systemd is missing, and the file.
    let words: Vec<_> = started[0].split(' ').skip(1).collect();
    let ran = workplace.run_at_home(&words).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("/etc/ampoule/ampoule.toml"), "{ran:?}");
}

/// The image is not built here: that takes a network and a daemon. What its steps say is tried
/// without one.
#[tokio::test]
async fn the_steps_of_the_container_work() {
    let file = blocks("dockerfile").remove(0);
    let steps: Vec<(&str, &str)> = file
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let of = |wanted: &str| {
        let found = steps.iter().filter(move |(kind, _)| *kind == wanted);
        found.map(|(_, rest)| *rest).collect::<Vec<_>>()
    };
    // In the order in which each needs the one before.
    let user = of("USER")[0];
    assert!(
        of("RUN")
            .iter()
            .any(|run| run.ends_with(&format!(" {user}")))
    );
    let home = format!("/home/{user}");
    // A home of its own, where the configuration is where the image has it.
    let workplace = Workplace::default();
    let at_home = |arguments: &[&str]| {
        let mut command = workplace.command(binary(), arguments);
        workplace.at_home(&mut command);
        command.env_remove("XDG_CONFIG_HOME");
        command.env("HOME", workplace.path());
        command
    };
    let warm: Vec<_> = of("RUN")
        .into_iter()
        .filter_map(|run| run.strip_prefix("ampoule "))
        .collect();
    assert_eq!(warm, ["warm"]);
    let warmed = ended(at_home(&warm)).await;
    assert_eq!(warmed.code, Some(0), "{warmed:?}");
    let command: Vec<String> = serde_json::from_str(of("CMD")[0]).expect("JSON");
    let words: Vec<_> = command.iter().skip(1).map(String::as_str).collect();
    assert_eq!((&*command[0], words[0]), ("ampoule", "serve"));
    let words: Vec<_> = words
        .iter()
        .map(|word| word.replace(":8080", ":0"))
        .collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let open = ended(at_home(&words)).await;
    assert_eq!(open.code, Some(2), "{open:?}");
    assert!(open.stderr.contains("[serve.auth]"), "{open:?}");
    let made = ended(at_home(&[
        "auth", "token", "add", "ada", "--file", "tokens",
    ]))
    .await;
    let token = made.stdout.trim();
    let config = of("COPY")[1].split_once(' ').expect("from and to").1;
    let config = config.strip_prefix(&format!("{home}/")).expect("at home");
    let list = workplace.path().join("tokens").display().to_string();
    let auth =
        format!("[serve]\nhosts = ['ampoule.example.com']\n[serve.auth]\ntokens = '{list}'\n");
    workplace.file(config, auth);
    let server = Serving::of(at_home(&words).spawn().expect("a server")).await;
    let at = format!("http://127.0.0.1:{}/mcp", port_of(&server.at));
    let asked = script(&client(), &at, "return 6 * 7").bearer_auth(token);
    assert_eq!(
        text(asked.header("host", "ampoule.example.com")).await,
        "42"
    );
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
}

/// The image has no more than a C library, and what comes with every system.
#[tokio::test]
async fn the_binary_needs_a_c_library_and_nothing_else() {
    let Some(program) = installed("the_binary_needs_a_c_library_and_nothing_else", "ldd") else {
        return;
    };
    let needed = Command::new(program)
        .arg(binary())
        .output()
        .await
        .expect("ldd");
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    let libraries = needed
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    for library in libraries {
        let name = library.rsplit('/').next().unwrap_or_default();
        let known = ["linux-vdso.", "ld-linux", "libc.", "libm.", "libgcc_s."];
        assert!(
            known.iter().any(|known| name.starts_with(known)),
            "{needed}"
        );
        count += 1;
    }
    assert!(count > 1, "{needed}");
}
