use super::{Language, Mark, script, tokens};

#[test]
fn words_are_coloured_and_markup_is_text() {
    let shown = tokens("const a = '<b>' + 12; // <i>", Language::JavaScript).0;
    assert!(shown.contains("<span class=\"k\">const</span>"), "{shown}");
    assert!(
        shown.contains("<span class=\"s\">'&lt;b&gt;'</span>"),
        "{shown}"
    );
    assert!(shown.contains("<span class=\"n\">12</span>"), "{shown}");
    assert!(
        shown.contains("<span class=\"c\">// &lt;i&gt;</span>"),
        "{shown}"
    );
}

#[test]
fn strings_of_several_lines_stay_strings() {
    let shown = script("x = \"\"\"a\nb\"\"\"\ny", Language::Python, Mark::Failed(2)).0;
    assert!(
        shown.contains("<span class=\"line wrong\" id=\"L2\"><span class=\"s\">b"),
        "{shown}"
    );
    assert!(shown.contains("id=\"L3\""), "{shown}");
}

#[test]
fn all_of_a_text_is_there_whatever_it_is() {
    for text in [
        "", "'", "`a", "/*", "é\"\\", "0x", "\u{202e}", "'\\\n'", "a(b)c",
    ] {
        for language in [Language::JavaScript, Language::Python] {
            let whole: String = super::scan(text, language)
                .iter()
                .map(|it| it.text)
                .collect();
            assert_eq!(whole, text);
        }
    }
}
