//! Regular expressions with many alternatives and groups, which generated code has.

use ampoule_tests::command::Workplace;
use ampoule_tests::value;
use serde_json::json;

#[tokio::test]
async fn a_name_may_be_in_the_first_and_the_last_of_many_alternatives() {
    let code = r#"const out: any = {};
for (const n of [2, 256, 257, 258, 513, 4000]) {
  const parts = ["(?<a>X)"]; for (let i = 0; i < n - 2; i++) parts.push("z" + i); parts.push("(?<a>Y)");
  out[n] = new RegExp("^(?:" + parts.join("|") + ")$").exec("Y")?.groups?.a;
}
for (const twice of ["(?<a>X)(?<a>Y)", "(?<a>X)(?:Y|(?<a>Z))", "(?:(?<a>X)|Y)(?<a>Z)"]) {
  try { new RegExp(twice); out[twice] = "accepted"; } catch (e: any) { out[twice] = e.name; }
}
return out;"#;
    let expected = json!({
        "2": "Y", "256": "Y", "257": "Y", "258": "Y", "513": "Y", "4000": "Y",
        "(?<a>X)(?<a>Y)": "SyntaxError",
        "(?<a>X)(?:Y|(?<a>Z))": "SyntaxError",
        "(?:(?<a>X)|Y)(?<a>Z)": "SyntaxError",
    });
    assert_eq!(value(code).await, expected);
}

#[tokio::test]
async fn groups_beyond_the_255th_are_referred_to_and_replaced() {
    let code = r#"const names = Array.from({ length: 600 }, (_, at) => `(?<g${at}>[a-z])`);
const text = Array.from({ length: 600 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
const expression = new RegExp(names.join("") + "\\k<g599>\\258");
const whole = text + text[599] + text[257];
const found = expression.exec(whole)!;
return [found.length, found[600], found.groups!.g257, whole.replace(expression, "$<g599>$<g0>"), expression.test(text + "!!")];"#;
    assert_eq!(value(code).await, json!([601, "b", "x", "ba", false]));
}

#[tokio::test]
async fn the_limits_of_a_run_end_one_that_is_too_large() {
    let workplace = Workplace::default();
    for (code, limit) in [
        (
            r#"new RegExp("(?:" + "(?<a>x)|".repeat(60000) + ")" + "\\k<a>".repeat(100000))"#,
            &["--memory", "64MiB", "--fuel", "2000000000"],
        ),
        (
            r#"new RegExp("(?:" + "(x)|".repeat(60000) + "y)*").test("x".repeat(100000))"#,
            &["--memory", "64MiB", "--fuel", "2000000000"],
        ),
    ] {
        let mut arguments = vec!["run", "--quiet"];
        arguments.extend(limit);
        let code = format!("return {code}");
        arguments.extend(["-e", &code]);
        let ran = workplace.run(&arguments).await;
        assert!(ran.code.is_some_and(|code| code != 0), "{ran:?}");
        assert!(
            ["fuel", "memory"]
                .iter()
                .any(|limit| ran.stderr.contains(limit)),
            "{ran:?}"
        );
    }
}
