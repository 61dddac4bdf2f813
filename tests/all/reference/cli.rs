//! `docs/reference/cli.md`: every command, by what its help says.

use ampoule_tests::command::Workplace;

use super::holds;

const HEAD: &str = "\
# Commands

`ampoule COMMAND --help` prints what this page has. Every command takes `--color`, `--log-format`,
`--help` and `--version`. [Exit codes](exit-codes.md) and [environment variables](environment.md)
have pages of their own.
";

/// What stands under every command's options.
const SHARED: [&str; 4] = ["--color ", "--log-format ", "-h, --help", "-V, --version"];

/// The help of a command, without what every command has.
async fn help(command: &[&str]) -> String {
    let workplace = Workplace::default();
    let arguments: Vec<_> = command.iter().copied().chain(["--help"]).collect();
    let ran = workplace.run_at_home(&arguments).await;
    assert_eq!(ran.code, Some(0), "{command:?}: {ran:?}");
    ran.stdout
}

/// The commands below a command.
fn below(help: &str) -> Vec<String> {
    let (_, commands) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    // The other lines of a description are indented deeper.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
    let names = names.map(|(name, _)| name).filter(|name| !name.is_empty());
    let names = names.filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// The help as a page shows it: what all commands have is left out.
fn shown(help: &str) -> String {
    let mut shown = String::new();
    let mut is_left_out = false;
    for line in help.lines() {
        let option = line.trim_start();
        let starts = option.starts_with('-') || (!line.starts_with(' ') && !line.is_empty());
        if starts {
            is_left_out = SHARED.iter().any(|shared| option.starts_with(shared));
        }
        if !is_left_out {
            shown += line.trim_end();
            shown.push('\n');
        }
    }
    while shown.contains("\n\n\n") {
        shown = shown.replace("\n\n\n", "\n\n");
    }
    let shown = shown.trim_end();
    shown
        .strip_suffix("\nOptions:")
        .unwrap_or(shown)
        .trim_end()
        .to_owned()
}

#[tokio::test]
async fn every_command_is_on_the_page() {
    let mut page = HEAD.to_owned();
    let first = help(&[]).await;
    let mut waiting: Vec<Vec<String>> = below(&first).into_iter().map(|name| vec![name]).collect();
    let hidden = [
        "dev",
        "audit",
        "python",
        "javascript",
        "warm",
        "completions",
        "demo-server",
    ];
    waiting.extend(hidden.map(|name| vec![name.to_owned()]));
    assert!(waiting.len() > 15, "{waiting:?}");
    waiting.reverse();
    while let Some(command) = waiting.pop() {
        let words: Vec<_> = command.iter().map(String::as_str).collect();
        let help = help(&words).await;
        let level = if words.len() == 1 { "##" } else { "###" };
        page += &format!(
            "\n{level} `ampoule {}`\n\n```text\n{}\n```\n",
            words.join(" "),
            shown(&help)
        );
        let mut deeper: Vec<_> = below(&help)
            .into_iter()
            .map(|name| command.iter().cloned().chain([name]).collect())
            .collect();
        deeper.reverse();
        waiting.append(&mut deeper);
    }
    holds("cli.md", &page);
}
