//! Answers that a script takes for something else.

use super::*;

/// What a script is told that goes on with `page`, an object with rows; with `text`, and with
/// `rows`, of which there are many.
fn told(source: &str) -> String {
    let answers = "const page = await tools.googleDrive.getDocument({ items: [{ id: 1, invoice: null }], total: 1, nextCursor: null }); \
        const text = await tools.googleDrive.slowSearch(); \
        const { items: rows, total } = await tools.googleDrive['get_document']({ items: Array.from({ length: 2000 }, () => ({ type: 'text', text: 'a' })), total: 7 });";
    thrown(&format!("{answers}\n{source}")).message
}

#[test]
fn an_answer_that_is_something_else_says_what_it_is() {
    for (source, said) in [
        (
            "const page = await tools.googleDrive.getDocument({ items: [1], total: 1 });\nreturn page.map((x) => x)",
            "page.map is not a function: `page` is an object with the keys items, total; its rows are in `page.items`",
        ),
        (
            "const page = await tools.googleDrive.getDocument({ items: [1], total: 1 });\nfor (const x of page) x",
            "page is not iterable: `page` is an object with the keys items, total; its rows are in `page.items`",
        ),
        (
            "let page;\npage = (await tools.googleDrive.getDocument({ items: [1] }));\nreturn page.orders.length",
            "cannot read property 'length' of undefined: `page` has no `orders`: its rows are in `page.items`. Its keys: items",
        ),
        (
            "const page = await tools.googleDrive.getDocument({ total_cents: 1 });\nreturn page.total.toFixed()",
            "cannot read property 'toFixed' of undefined: `page` has no `total`; did you mean `total_cents`? Its keys: total_cents",
        ),
        (
            "const answer = await tools.googleDrive.getDocument({ title: 'a' });\nreturn answer.content[0].text",
            "cannot read property '0' of undefined: `answer` has no `content`, for an answer is the value itself, \
             without what the protocol has around it: use `answer` as it is. Its keys: title",
        ),
        (
            "const answer = await tools.googleDrive.getDocument({ title: 'a' });\nconst { title } = answer.structuredContent",
            "Cannot destructure property 'title' of answer.structuredContent: it is undefined or null: \
             `answer` has no `structuredContent`, for an answer is the value itself, \
             without what the protocol has around it: use `answer` as it is. Its keys: title",
        ),
        (
            "const found = await tools.googleDrive.getDocument({ items: [{ id: 1 }] });\nreturn found[0].id",
            "cannot read property 'id' of undefined: `found` has no `0`: its rows are in `found.items`. Its keys: items",
        ),
        (
            "const order = await tools.googleDrive.getDocument({ invoice: null });\nreturn order.invoice.number",
            "cannot read property 'number' of null: `order.invoice` is null: write `order.invoice?.number`",
        ),
    ] {
        assert_eq!(thrown(source).message, said, "{source}");
    }
}

#[test]
fn texts_and_long_answers_are_told_too() {
    assert_eq!(
        told("text.map((line) => line)"),
        "text.map is not a function: `text` is a text; for its lines, write `text.split(\"\\n\")`"
    );
    assert_eq!(
        told("text.content[0]"),
        "cannot read property '0' of undefined: `text` is a text, without what the protocol has around it: use `text` as it is"
    );
    assert_eq!(
        told("rows.split('\\n')"),
        "rows.split is not a function: `rows` is a list of 2000 objects with the keys type, text; \
         for their texts, write `rows.map((item) => item.text)`"
    );
    assert_eq!(
        told("total.toLowerCase()"),
        "total.toLowerCase is not a function: `total` is a number or a boolean"
    );
}

#[test]
fn json_that_is_parsed_already_is_told() {
    let parsed = thrown("JSON.parse(await tools.googleDrive.getDocument({ title: 'a' }))");
    assert_eq!(
        parsed.message,
        "unexpected token: 'object': JSON.parse was given an object; a tool's answer is parsed already: use it as it is"
    );
    let text = thrown("JSON.parse(await tools.googleDrive.slowSearch())");
    assert!(
        text.message.ends_with(
            "the text is not JSON; a tool's answer is parsed already, and one that is text is used as it is"
        ),
        "{text:?}"
    );
}

#[test]
fn what_no_call_gave_is_told_as_ever() {
    for (source, said) in [
        (
            "const page = {};\npage.map(() => 1)",
            "page.map is not a function",
        ),
        ("JSON.parse({})", "unexpected token: 'object'"),
        (
            "await tools.googleDrive.getDocument({});\nconst page = { items: 1 };\npage.a.b",
            "cannot read property 'b' of undefined",
        ),
        // It has what is read.
        (
            "const page = await tools.googleDrive.getDocument({ items: 1 });\npage.items()",
            "page.items is not a function",
        ),
    ] {
        assert_eq!(thrown(source).message, said, "{source}");
    }
}

#[test]
fn a_result_that_lacks_what_no_answer_has_says_so() {
    let order = "const order = await tools.googleDrive.getDocument({ total_cents: 7, status: 'paid', lines: [1] });\n";
    for (source, result, told) in [
        (
            "return order.total",
            "none",
            "Warning: `order` has no `total`; did you mean `total_cents`? Its keys: total_cents, status, lines (line 2)",
        ),
        (
            "const paid = order.status;\nreturn { paid, sum: order.totalCents }",
            "{\"paid\":\"paid\"}",
            "Warning: `order` has no `totalCents`; did you mean `total_cents`? Its keys: total_cents, status, lines (line 3)",
        ),
        (
            "return [order.structuredContent]",
            "[null]",
            "Warning: `order` has no `structuredContent`, for an answer is the value itself, without what the protocol has around it: \
             use `order` as it is. Its keys: total_cents, status, lines (line 2)",
        ),
        // What was meant is read, too; or nothing like it is there; or the result lacks nothing.
        ("return order.total ?? order.total_cents", "7", ""),
        (
            "const cents = order.total_cents;\nreturn order.total",
            "none",
            "",
        ),
        ("return order.nextCursor", "none", ""),
        ("if (order.total) return 1;\nreturn 2", "2", ""),
        ("console.log(order.total)", "none", "undefined"),
    ] {
        assert_eq!(returned(&format!("{order}{source}")), result, "{source}");
        let output = native::with(|host| {
            host.output
                .iter()
                .map(|(_, text)| text.clone())
                .collect::<Vec<_>>()
        });
        assert_eq!(output.join("\n"), told, "{source}");
    }
}
