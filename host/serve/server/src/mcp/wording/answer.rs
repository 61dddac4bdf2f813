//! What `search_tools` answers.

use ampoule::{FoundSkill, SKILLS_SERVER};
use ampoule_projection::Detail;
use ampoule_tools::{ResolvedTool, SearchResults};
use ampoule_untrusted::text::one_line;
use serde::Deserialize;

use crate::content::cut::shortened;
use crate::content::tokens;

/// The level of detail for each tool found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HitDetail {
    Names,
    Summaries,
    Declarations,
}

/// How many tokens declarations may take, with what is said of their servers. Where whole ones would
/// take more, each tool has a line.
const DECLARATION_TOKENS: usize = 1_400;

/// How many tools are declared at once where summaries were asked for.
const FEW: usize = 3;

/// How many servers without a shown tool are named.
const MAX_SERVERS_NAMED: usize = 20;

/// The answer of `search_tools`: how many tools there are, and the tools found, at this level of
/// detail.
pub(crate) fn found(
    searched: &SearchResults,
    skills: &[FoundSkill],
    detail: HitDetail,
    most: usize,
) -> String {
    let hits = &searched.hits;
    let mut text = counted(searched, skills);
    if hits.is_empty() && skills.is_empty() {
        text += "\nNo tool matches. Try other words, or no query to list all tools.";
    }
    let offered = searched.offered.iter();
    let offered: String = offered.map(|line| format!("\n\n{line}")).collect();
    let lines = |line: fn(&ResolvedTool) -> String| -> String {
        hits.iter()
            .map(|tool| format!("\n{}", line(tool)))
            .collect()
    };
    text += &match detail {
        HitDetail::Names => lines(ResolvedTool::qualified_name),
        // So few need not be searched for again.
        HitDetail::Summaries if hits.len() <= FEW => {
            declared(hits, &offered).unwrap_or_else(|| lines(summary))
        }
        HitDetail::Summaries => lines(summary),
        HitDetail::Declarations => {
            declared(hits, &offered).unwrap_or_else(|| lines(ResolvedTool::in_a_line_as_seen))
        }
    };
    text += &offered;
    text += &saved(skills, detail);
    for problem in &searched.problems {
        text += &format!("\nNot searched: {problem}");
    }
    for note in &searched.notes {
        text += &format!("\nNote: {note}");
    }
    shortened(&text, most)
}

/// Skills, as a script imports them.
fn saved(skills: &[FoundSkill], detail: HitDetail) -> String {
    let mut text = String::new();
    if !skills.is_empty() {
        text += "\n\nSkills, which scripts import:";
    }
    for FoundSkill { skill, notes, .. } in skills {
        let description = one_line(&skill.description);
        let import = skill.import();
        let import = import
            .unwrap_or_else(|| format!("import text from \"./skills/{}/SKILL.md\"", skill.name));
        if detail == HitDetail::Names {
            text += &format!("\n{}", skill.name);
            continue;
        }
        let comment = match skill.language.as_deref() {
            Some("python") => "#",
            _ => "//",
        };
        text += &format!("\n{import} {comment} skill: {description}");
        for function in &skill.functions {
            let about = one_line(&function.about);
            let about = match about.is_empty() {
                true => String::new(),
                false => format!(" {comment} {about}"),
            };
            text += &format!("\n  {}{about}", one_line(&function.signature));
        }
        for note in notes {
            text += &format!("\n  note: {}", one_line(note));
        }
    }
    text
}

/// How many tools are shown of how many, with how many skills, and which servers are not.
fn counted(searched: &SearchResults, skills: &[FoundSkill]) -> String {
    let (shown, all) = (
        searched.hits.len(),
        searched
            .searched
            .iter()
            .map(|(_, tools)| tools)
            .sum::<usize>(),
    );
    let hidden = searched.searched.iter().filter(|(server, tools)| {
        let is_shown = searched.hits.iter().any(|tool| tool.server() == server)
            || **server == *SKILLS_SERVER && !skills.is_empty();
        *tools > 0 && !is_shown
    });
    let hidden: Vec<&str> = hidden.map(|(server, _)| &**server).collect();
    let mut text = format!("{shown} of {all} tools");
    match skills.len() {
        0 => {}
        1 => text += ", 1 skill",
        many => text += &format!(", {many} skills"),
    }
    match hidden.len() {
        0 => text,
        1..=MAX_SERVERS_NAMED => format!("{text}; none of {}", hidden.join(", ")),
        many => format!("{text}; none of {many} other servers"),
    }
}

/// Whole declarations, if they are few and short, and so is what comes behind them.
fn declared(hits: &[ResolvedTool], behind: &str) -> Option<String> {
    let most = DECLARATION_TOKENS.saturating_sub(tokens::about(behind));
    let mut text = String::new();
    for tool in hits {
        text += &format!("\n\n{}", tool.declare(Detail::Brief).trim_end());
        if tokens::about(&text) > most {
            return None;
        }
    }
    Some(text)
}

fn summary(tool: &ResolvedTool) -> String {
    format!("{}: {}", tool.qualified_name(), tool.summary().description)
}
