use super::*;

fn base64(bytes: usize) -> String {
    let bytes: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 251) as u8).collect();
    STANDARD.encode(bytes)
}

#[test]
fn data_urls_are_told_by_their_type() {
    let data = base64(96 << 10);
    let text = format!("{{\"ok\":true,\"url\":\"data:image/png;base64,{data}\"}}");
    let ReadableText { text, media } = shown(&text);
    assert_eq!(text, r#"{"ok":true,"url":"[image/png, 96 KiB]"}"#);
    assert_eq!(media, [Media::new("image/png", data.clone())]);
    assert!(media[0].is_shown_by_clients());
    let text = format!("a data:audio/wav;codecs=1;base64,{data} b data:;base64,{data}");
    assert_eq!(
        shown(&text).text,
        "a [audio/wav, 96 KiB] b [base64, 96 KiB]"
    );
}

#[test]
fn long_base64_is_told_by_its_first_bytes() {
    let png = STANDARD.encode([&b"\x89PNG\r\n\x1a\n"[..], &[0; 3000]].concat());
    assert_eq!(
        shown(&format!("[\"{png}\"]")).text,
        "[\"[image/png, 3 KiB]\"]"
    );
    assert_eq!(shown(&base64(3000)).text, "[base64, 3 KiB]");
    let lines: Vec<String> = base64(3000)
        .as_bytes()
        .chunks(76)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    for line_break in ["\n", "\r\n", "\\n"] {
        let wrapped = format!("<{}>", lines.join(line_break));
        let ReadableText { text, media } = shown(&wrapped);
        assert_eq!(text, "<[base64, 3 KiB]>");
        assert_eq!(media[0].data, base64(3000));
    }
}

#[test]
fn what_a_console_left_out_counts() {
    let data = base64(9_000);
    let text = format!("{{ url: 'data:image/png;base64,{data}'... 1000 more characters }}");
    let ReadableText { text, media } = shown(&text);
    assert_eq!(text, "{ url: '[image/png, 10 KiB]' }");
    assert!(!media[0].is_shown_by_clients());
}

#[test]
fn lists_of_bytes_are_told_where_it_is_certain() {
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 2040]].concat();
    let list = |bytes: &[u8]| serde_json::to_string(bytes).unwrap();
    let shown = |json: String| shown_in(json.into()).text.into_owned();
    assert_eq!(
        shown(format!("[1,{{\"a\":{}}},[2]]", list(&png))),
        r#"[1,{"a":"[image/png, 2 KiB]"},[2]]"#
    );
    let buffer = |bytes: &[u8]| format!("{{\"type\":\"Buffer\",\"data\":{}}}", list(bytes));
    assert_eq!(shown(buffer(&[7; 2048])), "\"[base64, 2 KiB]\"");
    for json in [
        list(&[7; 2048]),
        buffer(&[1, 2]),
        "[256,1]".to_owned(),
        "[".repeat(300),
    ] {
        assert_eq!(shown(json.clone()), json);
    }
}

#[test]
fn other_texts_stay_as_they_are() {
    for text in [
        "x".repeat(5000),
        "0123456789abcdef".repeat(300),
        "ACGT".repeat(1000),
        format!("{}\n", "/usr/share/Some1/Path2".repeat(4)).repeat(40),
        base64(500),
        "data:text/html,<b>".to_owned(),
        "data:image/gif;base64,R0lGODlhAQABAAAAACw=".to_owned(),
        "é".repeat(3000),
    ] {
        assert_eq!(shown(&text).text, text);
    }
}
