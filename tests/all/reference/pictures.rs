//! Pictures of the documents: a terminal's screen as it is, and tokens as bars.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use ampoule_tests::terminal::Terminal;

/// A picture in both of the colours that a reader may have.
const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',monospace;fill:#1f2328;white-space:pre}\
.name{font-family:-apple-system,'Segoe UI','Noto Sans',Arial,sans-serif}.small{fill:#59636e}\
.page{fill:#fff;stroke:#d1d9e0}.direct{fill:#59636e}.script{fill:#0969da}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.page{fill:#0d1117;stroke:#3d444d}\
.direct{fill:#9198a1}.script{fill:#4493f8}}";

/// The picture of a terminal.
const TERMINAL: &str = "docs/explain/terminal.svg";

/// Holds a picture against what it must be.
fn holds(path: &str, picture: &str) {
    let file = repository().join(path);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, picture).expect("the picture is written");
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(there, picture, "{path}: BLESS=1 writes it");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn svg(width: u32, height: u32, title: &str, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{content}</svg>\n",
        width - 1,
        height - 1
    )
}

/// A row without what differs from run to run: how long it took, and the last digit of its fuel,
/// which is the drawn row's where the two are near.
fn same_each_time(row: &str, drawn: &str) -> String {
    let mut words: Vec<_> = row.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        let number = word.trim_end_matches(',').strip_suffix('s');
        let number = number.map(|number| number.strip_suffix('m').unwrap_or(number));
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            *word = "82ms,".to_owned();
        }
    }
    let Some(unit) = words.iter().position(|word| word == "million") else {
        return words.join(" ");
    };
    let taken = words[unit - 1].parse::<f64>().expect("units of fuel");
    if let Some(there) = fuel(drawn)
        && (there / taken - 1.0).abs() < 0.02
    {
        words[unit - 1] = there.to_string();
    }
    words.join(" ")
}

/// Millions of units of fuel that a picture shows.
fn fuel(picture: &str) -> Option<f64> {
    let (before, _) = picture.split_once(" million units of fuel")?;
    before.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn the_terminal_is_what_a_first_run_shows() {
    const COLUMNS: u16 = 86;
    let workplace = Workplace::default();
    let examples = repository().join("examples");
    std::os::unix::fs::symlink(examples, workplace.path().join("examples")).expect("a link");
    let arguments = ["run", "examples/quarterly-report.ts"];
    let terminal = Terminal::start(&workplace, COLUMNS, &[], &binary(), &arguments);
    let ended = terminal.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.text());
    let drawn = std::fs::read_to_string(repository().join(TERMINAL)).unwrap_or_default();
    let shown = ended.rows();
    let mut rows = vec!["$ ampoule run examples/quarterly-report.ts".to_owned()];
    // The value that follows is for programs.
    let (report, rest) = (shown.iter().take_while(|row| !row.starts_with('{')), &shown);
    rows.extend(report.cloned());
    let usage = rest
        .iter()
        .filter(|row| row.starts_with("ampoule: ") && !row.contains("no ampoule.toml"));
    let usage: Vec<_> = usage.map(|row| same_each_time(row, &drawn)).collect();
    assert!(usage.len() >= 2, "{shown:?}");
    rows.push("…".to_owned());
    let from = rest
        .iter()
        .position(|row| row.starts_with("ampoule: ") && row.contains("calls"))
        .expect("the usage");
    rows.extend(rest[from..].iter().map(|row| same_each_time(row, &drawn)));
    let mut content = String::new();
    for (number, row) in rows.iter().enumerate() {
        let class = if row.starts_with("ampoule: ") {
            " class=\"small\""
        } else {
            ""
        };
        let y = 26 + 18 * number;
        content += &format!("<text{class} x=\"16\" y=\"{y}\">{}</text>\n", escaped(row));
    }
    let height = u32::try_from(34 + 18 * rows.len()).expect("a screen");
    let title = "A terminal: ampoule run examples/quarterly-report.ts";
    holds(TERMINAL, &svg(720, height, title, &content));
}

/// The tasks of the page on tokens: what each puts into the context, by direct calls and by a script.
fn tasks() -> Vec<(String, u32, u32)> {
    let page = repository().join("docs/guides/tokens.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let cells = |line: &str| -> Vec<String> {
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<_> = page
        .lines()
        .map(cells)
        .filter(|cells| cells.len() == 11)
        .collect();
    let of = |way: &str| {
        rows.iter()
            .filter(|cells| cells[2] == way)
            .cloned()
            .collect::<Vec<_>>()
    };
    let tokens = |cells: &[String]| cells[8].parse().expect("tokens");
    let both = of("directly").into_iter().zip(of("one script"));
    let tasks = both.map(|(direct, script)| {
        assert_eq!(direct[1], script[1], "a task has two rows");
        (direct[1].clone(), tokens(&direct), tokens(&script))
    });
    tasks.collect()
}

#[test]
fn the_bars_are_what_tasks_take() {
    const WIDTH: u32 = 430;
    let tasks = tasks();
    assert!(tasks.len() >= 6, "{tasks:?}");
    let most = tasks
        .iter()
        .map(|(_, direct, script)| *direct.max(script))
        .max();
    let most = most.expect("tasks");
    let mut content =
        "<text class=\"name\" x=\"16\" y=\"28\">Tokens in the context at the end of a task: \
        direct calls, and one script</text>\n"
            .to_owned();
    for (number, (task, direct, script)) in tasks.iter().enumerate() {
        let y = u32::try_from(number).expect("a few") * 62 + 52;
        content += &format!(
            "<text class=\"name\" x=\"16\" y=\"{}\">{}</text>\n",
            y + 4,
            escaped(task)
        );
        for (at, class, tokens) in [(y + 12, "direct", direct), (y + 29, "script", script)] {
            let width = (tokens * WIDTH / most).max(2);
            content += &format!(
                "<rect class=\"{class}\" x=\"16\" y=\"{at}\" width=\"{width}\" height=\"13\"/>\
                 <text class=\"small\" x=\"{}\" y=\"{}\">{tokens}</text>\n",
                width + 24,
                at + 11
            );
        }
    }
    let height = u32::try_from(tasks.len()).expect("a few") * 62 + 60;
    let title = "Tokens in the context, by direct calls and by one script, for each task";
    holds("docs/guides/tokens.svg", &svg(560, height, title, &content));
}
