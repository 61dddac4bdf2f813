use super::*;
use crate::schema::Direction;

/// The schema of what an operation with these responses answers, and the header `Accept`.
fn results(responses: &str) -> (Value, String) {
    let documents = Documents::of("openapi: 3.1.0\n");
    let operation: Value =
        serde_json::from_str(&format!(r#"{{"responses": {responses}}}"#)).unwrap();
    let results = Results::of(&documents, 0, operation.as_object().unwrap());
    let schema = results.schema(&mut Schemas::new(&documents, Direction::Response), None);
    (schema, results.accept)
}

/// Each status that says that all is well has its own type.
#[test]
fn results_have_the_types_of_all_statuses_that_mean_success() {
    let json =
        |schema: &str| format!(r#"{{"content": {{"application/json": {{"schema": {schema}}}}}}}"#);
    let (pet, job) = (json(r#"{"title": "Pet"}"#), json(r#"{"title": "Job"}"#));
    let (schema, accept) = results(&format!(
        r#"{{"200": {pet}, "202": {job}, "204": {{}}, "2XX": {pet}, "404": {job}, "default": {job}}}"#
    ));
    assert_eq!(
        schema,
        json!({ "anyOf": [{ "title": "Pet" }, { "title": "Job" }, { "type": "null" }] })
    );
    assert_eq!(accept, "application/json, */*;q=0.1");
    // Where no status says so, what holds for all does.
    let (schema, _) = results(&format!(r#"{{"404": {job}, "default": {pet}}}"#));
    assert_eq!(schema, json!({ "title": "Pet" }));
    assert_eq!(results(r#"{"204": {}}"#).0, json!({ "type": "null" }));
    // Nothing is said of a body, which may be there all the same.
    assert_eq!(results(r#"{"200": {}}"#).0, json!({}));
}

#[test]
fn results_have_the_types_of_media() {
    for (kinds, expected, asked) in [
        (
            r#"{"text/csv": {}, "application/problem+json": {"schema": {"title": "Json"}}}"#,
            json!({ "title": "Json" }),
            "application/problem+json, text/csv, */*;q=0.1",
        ),
        (
            r#"{"text/plain": {}}"#,
            json!({ "type": "string" }),
            "text/plain, */*;q=0.1",
        ),
        (r#"{"image/png": {}}"#, bytes(), "image/png, */*;q=0.1"),
        (
            r#"{"*/*": {"schema": {"title": "Any"}}}"#,
            json!({ "title": "Any" }),
            "*/*, */*;q=0.1",
        ),
    ] {
        let (schema, accept) = results(&format!(r#"{{"200": {{"content": {kinds}}}}}"#));
        assert_eq!((schema, &*accept), (expected, asked), "{kinds}");
    }
}
