//! The README's figures are those that were measured, as the pages on them have them.

use ampoule_tests::repository;

use super::read;

/// The README on one line.
fn readme() -> String {
    let text = read(&repository().join("README.md"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The README says how many tokens scripts save as the page on it has them.
#[test]
fn tokens_are_those_that_were_measured() {
    let page = read(&repository().join("docs/guides/tokens.md"));
    let rows = page
        .lines()
        .skip_while(|line| !line.starts_with("| task | less in the context"));
    let saved = rows.skip(2).take_while(|line| line.starts_with('|'));
    let saved = saved.filter_map(|line| line.split('|').nth(2)?.trim().strip_suffix(" %"));
    let saved: Vec<f64> = saved
        .map(|saved| saved.parse().expect("a number"))
        .collect();
    // The five tasks that scripts are for; the last two rows are a sixth, and all together.
    let five = &saved[..5];
    let least = five.iter().copied().fold(f64::INFINITY, f64::min).round();
    let most = five.iter().copied().fold(0.0, f64::max).round();
    let says = format!("scripts put {least} % to {most} % fewer tokens");
    assert!(readme().contains(&says), "the README does not say: {says}");
}

/// The cells of the row with this name, of the table with this heading.
fn cells<'a>(text: &'a str, heading: &str, row: &str) -> Vec<&'a str> {
    let begin = format!("| {heading} |");
    let lines = text.lines().skip_while(|line| !line.starts_with(&begin));
    let mut rows = lines.take_while(|line| line.starts_with('|'));
    let begin = format!("| {row} |");
    let found = rows.find(|line| line.starts_with(&begin));
    let found = found.unwrap_or_else(|| panic!("{heading}: {row}"));
    found.split('|').skip(2).map(str::trim).collect()
}

/// A figure in so many, without its fraction.
fn rounded(cell: &str, per: f64) -> String {
    let figure: f64 = cell.replace(',', "").parse().expect("a figure");
    format!("{:.0}", figure / per)
}

#[test]
fn times_are_those_that_were_measured_from_python_and_node() {
    let page = read(&repository().join("benches/README.md"));
    let small = cells(&page, "from Python, µs", "a trivial run");
    let calls = "1,000 calls of a function, one after the other";
    let calls = cells(&page, "from Python, µs", calls);
    let calls: Vec<_> = calls[..4]
        .iter()
        .map(|cell| rounded(cell, 1_000.0))
        .collect();
    let from_python = format!(
        "Called from Python, a trivial run takes {} µs (Monty {}, eryx {}), and 1,000 calls of a function take {} ms ({} and {}).",
        small[0], small[1], small[3], calls[0], calls[1], calls[3]
    );
    let small = cells(&page, "from Node", "a trivial run, µs");
    let calls = cells(&page, "from Node", "1,000 calls of a host function, ms");
    let calls: Vec<_> = calls[..4].iter().map(|cell| rounded(cell, 1.0)).collect();
    let from_node = format!(
        "From Node, these are {} µs (quickjs-emscripten {}, isolated-vm {}) and {} ms ({} and {}).",
        small[0], small[3], small[1], calls[0], calls[3], calls[1]
    );
    for says in [from_python, from_node] {
        assert!(readme().contains(&says), "the README does not say: {says}");
    }
}
