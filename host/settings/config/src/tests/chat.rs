//! The model of a chat: what is read, and what is said of what is wrong.

use super::*;

#[test]
fn a_model_has_an_endpoint_a_key_and_prices() {
    let config = parse(
        "[chat]\nmodel = 'm'\nendpoint = 'http://127.0.0.1:1/v1'\nkey = '${keyring:models/me}'\n\
         prices = { input = '2.5', cache-write = '3.1', output = ' 10 ' }\n",
    );
    let chat = config.unwrap().chat;
    assert_eq!(chat.model.as_deref(), Some("m"));
    assert_eq!(chat.endpoint.as_deref(), Some("http://127.0.0.1:1/v1"));
    let key = chat.key.as_ref().unwrap();
    assert!(ampoule_secrets::is_sealed(&key.0));
    let prices = chat.prices.as_ref().unwrap();
    assert!((prices.input.amount() - 2.5).abs() < 1e-9);
    assert!((prices.output.amount() - 10.0).abs() < 1e-9);
    assert_eq!(prices.cached, None);
    assert!((prices.cache_write.unwrap().amount() - 3.1).abs() < 1e-9);
    assert!(!format!("{chat:?}").contains("127.0.0.1"));
}

#[test]
fn a_key_of_the_environment_is_never_shown() {
    let chat = parse("[chat]\nendpoint = 'openai'\nkey = '${TOKEN}'\n");
    let chat = chat.unwrap().chat;
    assert_eq!(chat.key.as_ref().unwrap().0, "hunter2-hunter2");
    assert!(!format!("{chat:?}").contains("hunter2"));
}

#[test]
fn a_key_names_the_endpoint_that_it_is_for() {
    let error = parse("[chat]\nmodel = 'm'\nkey = '${keyring:models/me}'\n").unwrap_err();
    let error = error.to_string();
    assert!(error.contains("a key is for one endpoint alone"), "{error}");
    assert!(error.contains("add `endpoint`"), "{error}");
}

#[test]
fn prices_are_amounts_in_quotes() {
    for (prices, said) in [
        (
            "{ input = '-1', output = '1' }",
            "the price of a million tokens",
        ),
        (
            "{ input = 'cheap', output = '1' }",
            "the price of a million tokens",
        ),
        ("{ output = '1' }", "input"),
    ] {
        let error = parse(&format!("[chat]\nprices = {prices}\n")).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}
