//! Servers that can't be used: one that is disabled by its entry, and one that does not start,
//! spoil none of the others.

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::terminal::Terminal;
use serde_json::json;

const SET: &str = "AMPOULE_TEST_UNSET";

/// A sound server, one with an unset variable, one with a misspelt key, and two whose names are
/// alike.
fn faulty() -> Workplace {
    let workplace = Workplace::default();
    let config = format!(
        "[servers.shop]\ncommand = {:?}\nargs = ['demo-server']\n\
        [servers.git]\ncommand = 'git'\nargs = ['--token', '${{{SET}}}']\n\
        [servers.typo]\ncomand = 'x'\n\
        [servers.my-files]\ncommand = 'x'\n[servers.myFiles]\ncommand = 'y'\n",
        binary()
    );
    workplace.file("ampoule.toml", config);
    workplace
}

const UNSET: &str = "the environment variable AMPOULE_TEST_UNSET is not set; set it, or give a default: `${AMPOULE_TEST_UNSET:-default}`";

#[tokio::test]
async fn a_faulty_entry_leaves_the_other_servers_to_scripts() {
    let workplace = faulty();
    let script = "const said = {}; for (const server of ['git', 'typo']) try { await tools[server].anything({}) } catch (error) { said[server] = [error.name, error.message] }
        return { total: (await tools.shop.listProducts({})).total, said }";
    let ran = workplace.run(&["run", "-e", script]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let value = ran.json();
    assert_eq!(value["total"], 40);
    for (server, reason) in [
        ("git", format!("line 6: servers.git.args[1]: {UNSET}")),
        (
            "typo",
            "unknown key `comand`; did you mean `command`?".to_owned(),
        ),
    ] {
        let said = value["said"][server][1].as_str().expect("a message");
        assert!(
            said.contains("is disabled") && said.contains(&reason),
            "{said}"
        );
    }
    let told = format!("server `git` is disabled: ampoule.toml:6:20: servers.git.args[1]: {UNSET}");
    assert!(ran.stderr.contains(&told), "{ran:?}");
    // A grant of other servers has no note about it, and a grant that names it is refused.
    let ran = workplace
        .run(&["run", "--tools", "shop", "-e", "return 1"])
        .await;
    assert_eq!(
        (ran.code, ran.stderr.contains("disabled")),
        (Some(0), false),
        "{ran:?}"
    );
    for grant in ["git", "shop,git.get_*"] {
        let ran = workplace
            .run(&["run", "--tools", grant, "-e", "return 1"])
            .await;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(&told), "{ran:?}");
    }
}

#[tokio::test]
async fn describing_a_tool_of_a_server_that_can_not_start_throws_what_calling_it_throws() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.absent]\ncommand = 'ampoule-no-such-program'\n",
    );
    // Where it failed several times in a row, a second line says when it is tried again.
    let javascript = "const said = []
        const heard = (error) => said.push([error instanceof ToolError, error.server, error.tool, error.message.split('\\n')[0], error.content])
        try { await tools.absent.get_it({}) } catch (error) { heard(error) }
        for (const of of ['absent.get_it', { server: 'absent', name: 'get_it' }, tools.absent.get_it]) try { said.push(tools.$describe(of)) } catch (error) { heard(error) }
        return said";
    let python = "said = []
def heard(error):
    said.append([isinstance(error, ToolError), error.server, error.tool, error.message.split('\\n')[0], error.content])
try: await tools.absent.get_it()
except Exception as error: heard(error)
for of in ['absent.get_it', {'server': 'absent', 'name': 'get_it'}, tools.absent.get_it]:
    try: said.append(tools.describe(of))
    except Exception as error: heard(error)
said";
    for (language, script) in [("javascript", javascript), ("python", python)] {
        let arguments = ["run", "-q", "--language", language, "-e", script];
        let said = workplace.run(&arguments).await.json();
        let [called, described @ ..] = &said.as_array().expect("a list")[..] else {
            panic!("{said}");
        };
        assert_eq!(called[0], true, "{said}");
        assert_eq!(
            (&called[1], &called[2]),
            (&json!("absent"), &json!("get_it"))
        );
        let reason = called[3].as_str().expect("a message");
        assert!(
            reason.contains("there is no command `ampoule-no-such-program` in PATH"),
            "{said}"
        );
        assert_eq!(described.len(), 3, "{said}");
        for described in described {
            assert_eq!(described, called, "{language}");
        }
        // The script did not catch it: the error has the line of the call.
        let (asks, line) = match language {
            "python" => ("\ntools.describe('absent.get_it')", "2 |"),
            _ => ("\ntools.$describe('absent.get_it')", "2 |"),
        };
        let ran = workplace
            .run(&["run", "-q", "--language", language, "-e", asks])
            .await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(reason), "{ran:?}");
        assert!(ran.stderr.contains(line), "{ran:?}");
    }
}

#[tokio::test]
async fn a_faulty_entry_is_told_by_serve_and_by_search() {
    let workplace = faulty();
    let mut served = Served::greeted(&workplace, &[]).await;
    let search = json!({"name": "search_tools", "arguments": {"query": "open a ticket"}});
    let found = served
        .ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search}))
        .await
        .to_string();
    assert!(
        found.contains("createTicket") && found.contains(UNSET),
        "{found}"
    );
    assert_eq!(served.close().await, Some(0));
    // A script that searches gets one note, beside the tools found.
    let script =
        "await tools.$search('ticket'); return (await tools.$search('open a ticket')).length";
    let ran = workplace.run(&["run", "--json", "-e", script]).await;
    let (ran, output) = (ran.json(), ran.json()["output"].to_string());
    assert!(ran["value"].as_u64() > Some(0), "{ran}");
    assert_eq!(output.matches(UNSET).count(), 1, "{output}");
    let log = workplace.run(&["serve"]).await;
    assert_eq!(log.code, Some(0), "{log:?}");
    let lines = log
        .stderr
        .lines()
        .filter(|line| line.starts_with("WARN server `") && line.contains("is disabled"));
    assert_eq!(lines.count(), 2, "{log:?}");
}

#[tokio::test]
async fn servers_are_listed_with_what_is_wrong_and_none_is_started() {
    let workplace = faulty();
    workplace.file(
        "marks.toml",
        "[servers.marks]\ncommand = 'sh'\nargs = ['-c', 'touch started', '${HOME:-nowhere}']",
    );
    let ran = workplace.run(&["servers", "--config", "marks.toml"]).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (
            Some(0),
            "marks: ready to start\n  sh -c 'touch started' ${HOME:-nowhere}\n"
        ),
        "{ran:?}"
    );
    assert!(!workplace.path().join("started").exists());
    let ran = workplace.run(&["servers"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let git = format!("git: disabled\n  ampoule.toml:6:20: servers.git.args[1]: {UNSET}\n");
    assert!(ran.stdout.starts_with(&git), "{ran:?}");
    assert!(ran.stdout.contains("shop: ready to start\n"), "{ran:?}");
    let document = workplace.run(&["servers", "--json"]).await.json();
    let servers = document["servers"].as_array().expect("a list");
    let states: Vec<_> = servers
        .iter()
        .map(|server| (&server["name"], &server["state"]))
        .map(|(name, state)| format!("{name} {state}"))
        .collect();
    assert_eq!(
        states.join(", ").replace('"', ""),
        "git disabled, my-files missing, myFiles missing, shop ready, typo disabled"
    );
    let missing = &servers[1]["problem"];
    assert_eq!(
        missing,
        "the command `x` is not in PATH: install it, or give its whole path in `command`"
    );
    let missing = format!(
        "my-files: can't start\n  x\n  {}\n",
        missing.as_str().unwrap()
    );
    assert!(ran.stdout.contains(&missing), "{ran:?}");
    let left = Terminal::start(&workplace, 40, &[], &binary(), &["servers"])
        .end()
        .await;
    assert!(!left.is_ragged(), "{}", left.text());
    assert_eq!(left.rows()[0], "git: disabled");
}

#[tokio::test]
async fn each_mistake_of_a_server_has_a_line() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.shop.tools.undo]\norder = 'cancel'\n",
    );
    for command in ["servers", "doctor"] {
        let ran = workplace.run(&[command]).await;
        let told = ran.stdout.lines().map(str::trim);
        let told: Vec<&str> = told.filter(|line| line.contains("ampoule.toml:")).collect();
        let [first, second] = told[..] else {
            panic!("{command}: {ran:?}")
        };
        assert!(first.contains("`command` is missing"), "{first}");
        let place = "ampoule.toml:2:9: servers.shop.tools.undo.order: ";
        assert!(second.starts_with(place), "{second}");
        assert!(second.contains("expected `(`"), "{second}");
    }
}

#[tokio::test]
async fn a_server_whose_program_or_folder_is_missing_is_not_ready() {
    let workplace = Workplace::default();
    workplace.file("plain", "no program");
    let config = "[servers.file]\ncommand = './tools/none'\n[servers.folder]\ncommand = 'sh'\ncwd = 'none'\n\
        [servers.plain]\ncommand = './plain'\n[servers.own-path]\ncommand = 'sh'\nenv = { PATH = '/nowhere' }\n";
    workplace.file("ampoule.toml", config);
    let ran = workplace.run(&["servers"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for (name, said) in [
        ("file", "does not exist: install it, or correct `command`"),
        ("folder", "does not exist: make it, or correct `cwd`"),
        ("plain", "may not be executed: make it executable"),
        ("own-path", "the command `sh` is not in PATH"),
    ] {
        let shown = ran.stdout.split_once(&format!("{name}: can't start\n"));
        let (_, shown) = shown.unwrap_or_else(|| panic!("{name}: {ran:?}"));
        let shown = shown.lines().take_while(|line| line.starts_with("  "));
        let shown = shown.map(str::trim).collect::<Vec<_>>().join(" ");
        assert!(shown.contains(said), "{name}: {shown}");
    }
}

/// A sound server and one that ends at once.
fn dead(workplace: &Workplace, dead: &str) {
    let config = format!(
        "[servers.shop]\ncommand = {:?}\nargs = ['demo-server']\n[servers.other-shop]\n{dead}\n",
        binary()
    );
    workplace.file("ampoule.toml", config);
}

#[tokio::test]
async fn a_dead_server_is_left_out_of_what_is_generated_and_its_files_stay() {
    let alive = format!("command = {:?}\nargs = ['demo-server']", binary());
    for (language, file, index) in [
        (
            "wit",
            "wit/deps/mcp-other-shop/tools.wit",
            Some(("wit/world.wit", "import mcp:other-shop/other-shop;")),
        ),
        (
            "typescript",
            "servers/otherShop/index.ts",
            Some(("tools.d.ts", "./servers/otherShop/")),
        ),
        (
            "python",
            "servers/other_shop/__init__.pyi",
            Some(("servers/__init__.pyi", "from . import other_shop")),
        ),
        (
            "rust",
            "wit/deps/mcp-other-shop/tools.wit",
            Some(("wit/world.wit", "import mcp:other-shop/other-shop;")),
        ),
    ] {
        let workplace = Workplace::default();
        let generate = ["tools", "generate", "--lang", language, "--out", "out"];
        dead(&workplace, "command = 'false'");
        let ran = workplace.run(&generate).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("skipped `other-shop`: "), "{ran:?}");
        assert!(ran.stdout.contains(" 0 unchanged, 0 removed"), "{ran:?}");
        let at = |file: &str| workplace.path().join("out").join(file);
        assert!(!at(file).exists());

        dead(&workplace, &alive);
        assert_eq!(workplace.run(&generate).await.code, Some(0));
        let written = std::fs::read_to_string(at(file)).expect("its file");

        for faulty in ["command = 'false'", "comand = 'x'"] {
            dead(&workplace, faulty);
            let ran = workplace.run(&generate).await;
            assert_eq!(ran.code, Some(1), "{ran:?}");
            assert!(ran.stdout.contains(" 0 removed"), "{ran:?}");
            assert_eq!(
                std::fs::read_to_string(at(file)).expect("it stays"),
                written
            );
            if let Some((index, line)) = index {
                let index = std::fs::read_to_string(at(index)).expect("an index");
                assert!(index.contains(line), "{index}");
            }
        }
        // It is still known as written: what is no longer configured goes.
        workplace.file("ampoule.toml", format!("[servers.shop]\n{alive}"));
        assert_eq!(workplace.run(&generate).await.code, Some(0));
        assert!(!at(file).exists());
    }
}

#[tokio::test]
async fn a_dead_server_does_not_spoil_a_list_or_a_search() {
    let workplace = Workplace::default();
    for faulty in ["command = 'false'", "command = 'x'\nargs = 5"] {
        dead(&workplace, faulty);
        for arguments in [&["tools"][..], &["tools", "search", "open", "a", "ticket"]] {
            let ran = workplace.run(arguments).await;
            assert_eq!(ran.code, Some(1), "{ran:?}");
            assert!(ran.stdout.contains("shop.createTicket "), "{ran:?}");
            assert!(ran.stderr.contains("`other-shop`"), "{ran:?}");
        }
        let ran = workplace.run(&["tools", "show", "shop.createTicket"]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let ran = workplace.run(&["tools", "show", "other-shop"]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }
}

#[tokio::test]
async fn a_configuration_without_servers_or_with_a_mistake_is_told() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[search]\nmeaning = false\n");
    let none = "no server is configured: add one with `ampoule servers add`";
    let doctor = workplace.run(&["doctor"]).await;
    assert!(doctor.stdout.contains(none), "{doctor:?}");
    for arguments in [&["tools"][..], &["tools", "search", "orders"]] {
        let told = workplace.run(arguments).await;
        assert!(told.stderr.contains(none), "{told:?}");
    }
    workplace.file("ampoule.toml", "[serch]\n");
    let broken = workplace.run(&["doctor", "--json"]).await;
    assert_eq!(broken.code, Some(2), "{broken:?}");
    let document: serde_json::Value = serde_json::from_str(&broken.stdout).expect("JSON");
    let problem = document["problem"].as_str().expect("a problem");
    assert!(problem.contains("unknown key `serch`"), "{problem}");
}
