//! Words that mean the same where tools are spoken of: what people ask for, and what servers call
//! it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stem;

/// How much a word counts that stands for the one that was asked for: a thing by another name, and
/// a deed, of which tools are distinguished less surely.
const THING: f32 = 0.75;
const DEED: f32 = 0.5;

/// Words that stand for each other; before a `>`, words that those behind it may be meant by, and
/// not the other way round.
const DEEDS: &[&str] = &[
    "get read show view fetch retrieve display see look inspect load download dump contents describe",
    "list enumerate browse show get all",
    "search find look locate discover lookup query",
    "create make new add start begin generate insert build",
    "delete remove drop erase clear wipe discard trash throw rid destroy forget take close",
    "update edit change modify alter patch set adjust correct fix write rename put",
    "write save store put persist record insert edit",
    "move drag relocate transfer shift",
    "copy duplicate clone fork",
    "send post submit publish write trigger",
    "run execute trigger start launch kick invoke perform evaluate retry rerun",
    "stop cancel abort end halt close terminate shut",
    "upload attach push import insert put",
    "download export save",
    "compare diff differ difference changed",
    "verify assert check expect ensure validate",
    "reply respond answer comment",
    "merge combine join",
    "approve accept review",
    "press hit key",
    "remember note > add observation entity create",
    "open go visit > navigate load",
    "close abandon reopen open draft > state update",
    "assign > assignee",
    "connect link > relation create",
    "mark > update set",
    "mock fake stub intercept simulate > route",
    "unmock > unroute",
    "wait hold until pause > wait",
    "freeze bold color hide align width > format layout",
    "resolve done dealt settle > resolve",
    "react thumb emoji > reaction",
    "propose > create",
    "report file complain > create issue",
    "ask > request",
    "simulate offline > state",
    "enter fill type > write type fill",
    "fetch > query",
];

const THINGS: &[&str] = &[
    "pr > pull request",
    "mr > pull request",
    "request > pull",
    "repo repository codebase",
    "project > repository",
    "issue ticket bug epic task",
    "comment remark feedback message reply note",
    "user person people member account colleague teammate developer",
    "member > team",
    "org organization organisation company",
    "directory folder dir",
    "layout structure hierarchy > tree",
    "file document doc",
    "page document doc note site website",
    "spreadsheet workbook excel xlsx",
    "sheet worksheet tab",
    "header row column > layout row column property",
    "block cell range figure",
    "formula calculation",
    "name call > defined name",
    "chart graph graphic pie plot diagram",
    "image picture photo graphic media logo icon",
    "screenshot snapshot capture",
    "video screencast recording",
    "web website site url browser page",
    "web website > browser navigate",
    "browser > playwright",
    "internet offline connection http call request api response json > network",
    "js javascript script code",
    "label tag",
    "version release published",
    "notification inbox unread",
    "unread > list",
    "mute watch subscribe > notification subscription",
    "workflow pipeline ci cd action build job deploy",
    "log output > log",
    "secret token key credential leaked password",
    "vulnerability security alert advisory warning cve vulnerable",
    "dependency library package npm > dependabot dependency",
    "board project card kanban",
    "database db sql table",
    "notion > page",
    "table database > data source",
    "row record entry > data source page",
    "graph memory knowledge remember fact",
    "entity node person people",
    "relation link edge connect",
    "observation fact note",
    "time timezone hour clock",
    "now today current > current",
    "sum plus total calculate",
    "echo repeat",
    "permission access collaborator",
    "size big large biggest",
    "sort order rank",
    "dedupe already earlier duplicate > duplicate",
    "forum community > discussion",
    "blame touched author > blame",
    "attribute field property custom",
    "subtask child > sub",
    "depend blocked before > dependency",
    "scroll > wheel",
    "dropdown choice > select option validation",
    "status state",
    "headline heading > title",
    "colour color style bold > format conditional",
    "back return previous",
    "hover over > hover",
    "me myself logged self > me",
    "element ref accessibility > snapshot",
    "popup modal alert confirm > dialog",
    "favourite favorite bookmark > star",
    "source content text > contents",
    "many several batch bulk five > multiple",
    "draft > draft",
    "local workspace checkout > git",
    "stage staged index",
    "stage > add",
    "unstage > reset",
    "edited uncommitted working unadded > unstaged",
    "pivot cross > pivot",
    "newest recent last > latest",
    "teammate colleague > assignee reviewer",
    "ai bot > copilot",
    "reviewer look > reviewer review",
    "mobile viewport window size > resize",
    "session login cookie auth > storage cookie",
    "scanning codeql > code scanning",
    "threshold rule > conditional",
    "goal target > goal seek",
    "visible screen seen > visible",
    "zip artifact > artifact",
    "completion llm model > sampling",
    "input form > elicitation form",
    "account signed > me",
    "error warning print > console",
    "mouse pointer over > hover",
    "pm noon o'clock > time convert",
    "fresh blank empty > create post",
    "seen unread > read",
    "origin precedent feed derive > trace",
    "column field schema > data source",
    "sample example small > tiny",
];

/// The words that one may stand for, each with how much that counts.
static MEANT: LazyLock<HashMap<String, Vec<(String, f32)>>> = LazyLock::new(|| {
    let mut meant: HashMap<String, Vec<(String, f32)>> = HashMap::new();
    let lines = |lines: &'static [&str], counts| lines.iter().map(move |line| (line, counts));
    for (line, counts) in lines(THINGS, THING).chain(lines(DEEDS, DEED)) {
        let (asked, said) = line.split_once('>').unwrap_or((line, line));
        for asked in asked.split_whitespace().map(stem) {
            let known = meant.entry(asked.clone()).or_default();
            for said in said.split_whitespace().map(stem) {
                if said != asked && !known.iter().any(|(word, _)| *word == said) {
                    known.push((said, counts));
                }
            }
        }
    }
    meant
});

/// What a word, without its endings, may stand for beside itself.
pub(super) fn of(word: &str) -> &'static [(String, f32)] {
    MEANT.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(word: &str, other: &str) -> Option<f32> {
        let (_, counts) = of(&stem(word))
            .iter()
            .find(|(said, _)| *said == stem(other))?;
        Some(*counts)
    }

    #[test]
    fn words_stand_for_each_other_or_one_way() {
        assert_eq!(counts("folder", "directory"), Some(THING));
        assert_eq!(counts("directories", "folder"), Some(THING));
        assert_eq!(counts("drop", "delete"), Some(DEED));
        assert_eq!(counts("pr", "pull"), Some(THING));
        assert_eq!(counts("pull", "pr"), None);
        assert_eq!(of("unheard"), []);
    }

    #[test]
    fn no_word_stands_for_very_many() {
        let most = MEANT.values().map(Vec::len).max().unwrap();
        assert!((10..=40).contains(&most), "{most}");
    }
}
