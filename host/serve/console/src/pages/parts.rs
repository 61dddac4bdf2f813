//! Small parts that all pages are made of. Text from elsewhere goes through here: what can't be seen
//! in it is made visible, and the template escapes it.

use ampoule_untrusted::text::{one_line, visible};
use maud::{Markup, html};
use serde_json::Value;

use super::source;
pub(super) use crate::download::encoded;

/// How much of a text a page shows, in bytes.
const SHOWN: usize = 64 << 10;

/// Text from elsewhere in a line: a name, a reason.
pub(super) fn text(text: &str) -> Markup {
    html! { bdi { (one_line(text)) } }
}

/// Text of several lines, a paragraph each.
pub(super) fn lines(whole: &str) -> Markup {
    html! { @for line in whole.lines() { p { (text(line)) } } }
}

/// A name as code.
pub(super) fn name(name: &str) -> Markup {
    html! { code { bdi { (one_line(name)) } } }
}

/// The beginning of a text, at most so many bytes, and whether that is all.
pub(super) fn beginning(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, true);
    }
    (&text[..text.floor_char_boundary(most)], false)
}

/// Text of several lines.
pub(super) fn block(text: &str, label: &str) -> Markup {
    let (shown, is_all) = beginning(text, SHOWN);
    html! {
        pre.wrap tabindex="0" role="group" aria-label=(label) { (visible(shown)) }
        @if !is_all { p.small.quiet { "The rest is not shown: " (bytes(text.len() as u64)) " in all." } }
    }
}

/// A value, indented and coloured.
pub(super) fn json(value: &Value, label: &str) -> Markup {
    let whole = match value {
        Value::String(text) => return block(text, label),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    let (shown, is_all) = beginning(&whole, SHOWN);
    html! {
        pre.wrap tabindex="0" role="group" aria-label=(label) { code { (source::tokens(&visible(shown), source::Language::JavaScript)) } }
        @if !is_all { p.small.quiet { "The rest is not shown: " (bytes(whole.len() as u64)) " in all." } }
    }
}

/// A time as "3 minutes ago", in the reader's zone once the script has run.
pub(super) fn since(time: &str) -> Markup {
    html! { time datetime=(time) data-form="since" { (plain_time(time)) } }
}

/// A time in full.
pub(super) fn time(time: &str) -> Markup {
    html! { time datetime=(time) { (plain_time(time)) } }
}

/// A time in UTC, for browsers without scripts.
fn plain_time(time: &str) -> String {
    let (day, rest) = time.split_once('T').unwrap_or((time, ""));
    match rest.get(..8) {
        Some(clock) => format!("{day} {clock} UTC"),
        None => day.to_owned(),
    }
}

/// A size, in units that people read.
pub(super) fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, &["bytes", "kB", "MB", "GB", "TB"], 1000.0)
}

/// A large number, in few digits.
pub(super) fn short(number: u64) -> String {
    scaled(number as f64, &["", "k", "M", "G", "T"], 1000.0)
        .trim_end()
        .to_owned()
}

fn scaled(mut number: f64, units: &[&str], step: f64) -> String {
    let mut unit = 0;
    while number >= step && unit + 1 < units.len() {
        number /= step;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && number < 99.95);
    format!("{number:.digits$} {}", units[unit])
}

/// A number with its digits in groups.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with a noun: `1 call`, `2 calls`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// A duration in milliseconds, as people read it.
pub(super) fn millis(ms: f64) -> String {
    match ms {
        ms if ms < 9.95 => format!("{ms:.1} ms"),
        ms if ms < 999.5 => format!("{ms:.0} ms"),
        ms if ms < 59_950.0 => format!("{:.1} s", ms / 1000.0),
        ms if ms < 3_600_000.0 => format!(
            "{:.0} min {:.0} s",
            (ms / 60_000.0).floor(),
            (ms % 60_000.0 / 1000.0).floor()
        ),
        ms => format!("{:.1} h", ms / 3_600_000.0),
    }
}

/// How a state, an ending or a decision looks.
pub(super) fn tone(state: &str) -> &'static str {
    match state {
        "running" | "starting" => "live",
        "returned" | "ready" | "allowed" | "allow" | "answered" | "created" | "holds" => "ok",
        "threw" | "trapped" | "limit" | "failed" | "denied" | "deny" | "error" | "removed" => "bad",
        "asks" | "parked" | "kept alive" | "waiting" | "asked" | "ask" | "open"
        | "needs-sign-in" | "left" | "warning" | "changed" => "wait",
        _ => "",
    }
}

/// A state as a small label. It says the word: colour alone says nothing.
pub(super) fn tag(state: &str) -> Markup {
    let words = state.replace('-', " ");
    html! { span class={ "tag " (tone(state)) } { (one_line(&words)) } }
}

/// A page's heading, with what it is about and what can be done.
pub(super) fn head(title: &Markup, about: Option<&str>, deeds: &Markup) -> Markup {
    html! {
        div.head {
            h1 { (title) }
            @if !deeds.0.is_empty() { div.deeds { (deeds) } }
            @if let Some(about) = about { p { (about) } }
        }
    }
}

/// A page's heading in plain words.
pub(super) fn heading(title: &str, about: &str) -> Markup {
    head(&html! { (title) }, Some(about), &html! {})
}

/// The way back to a list.
pub(super) fn back(address: &str, label: &str) -> Markup {
    html! { p.crumbs { a href=(address) { "← " (label) } } }
}

/// What stands where a list is empty: what that means, and what to do.
pub(super) fn empty(what: &str, advice: &Markup) -> Markup {
    html! { div.empty { strong { (what) } p { (advice) } } }
}

/// A message above the content.
pub(super) fn notice(tone: &str, content: &Markup) -> Markup {
    html! { div class={ "notice " (tone) } { (content) } }
}

/// Problems of a list, a sentence each.
pub(super) fn problems(problems: &[String]) -> Markup {
    html! {
        @if !problems.is_empty() {
            div.notice.wait { ul { @for problem in problems { li { (lines(problem)) } } } }
        }
    }
}

/// The link to the next page of a list, and to the first.
pub(super) fn pager(address: &str, cursor: Option<&str>, next: Option<&str>) -> Markup {
    let with = |cursor: &str| {
        let mark = if address.contains('?') { '&' } else { '?' };
        format!("{address}{mark}cursor={}", encoded(cursor))
    };
    html! {
        @if cursor.is_some() || next.is_some() {
            nav.pager aria-label="Parts of the list" {
                @if cursor.is_some() { a.button href=(address) { "First page" } } @else { span {} }
                @if let Some(next) = next { a.button rel="next" href=(with(next)) { "Next page" } }
            }
        }
    }
}

/// A figure with its name.
pub(super) fn figures(figures: &[(&str, String)]) -> Markup {
    html! {
        dl.figures { @for (name, figure) in figures { div { dt { (name) } dd { (figure) } } } }
    }
}

/// An address with a query. What is empty is left out.
pub(super) fn address(path: &str, query: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (name, value) in query.iter().filter(|(_, value)| !value.is_empty()) {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&format!("{name}={}", encoded(value)));
    }
    address
}

/// The field in which an operator names whose things are shown.
pub(super) fn whose_field(is_operator: bool, principal: &str) -> Markup {
    html! {
        @if is_operator {
            form.filters role="search" aria-label="Whose" {
                div { label for="principal" { "Of principal" } input #principal type="text" name="principal" value=(principal) autocomplete="off"; }
                div { button { "Show" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_paragraph() {
        let shown = lines("It can't be started\nIt failed <b>6 times</b>").into_string();
        let paragraphs = "<p><bdi>It can't be started</bdi></p>\
            <p><bdi>It failed &lt;b&gt;6 times&lt;/b&gt;</bdi></p>";
        assert_eq!(shown, paragraphs);
    }
}
