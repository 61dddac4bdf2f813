//! URLs as the WHATWG specification has them, by the `url` crate. JavaScript holds the parts of a
//! URL and asks here for new ones.

use rquickjs::{Array, Ctx, Exception, Function, Object, Result};
use url::{Url, form_urlencoded, quirks};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("parseUrl", Function::new(ctx.clone(), parse)?)?;
    native.set("changeUrl", Function::new(ctx.clone(), change)?)?;
    native.set("parseQuery", Function::new(ctx.clone(), parse_query)?)?;
    native.set("writeQuery", Function::new(ctx.clone(), write_query)?)?;
    Ok(())
}

/// The parts of a URL, or undefined if it is none.
fn parse<'js>(ctx: Ctx<'js>, text: String, base: Option<String>) -> Result<Option<Object<'js>>> {
    let base = match base.as_deref().map(Url::parse) {
        Some(Err(_)) => return Ok(None),
        Some(Ok(base)) => Some(base),
        None => None,
    };
    match Url::options().base_url(base.as_ref()).parse(&text) {
        Ok(url) => parts(&ctx, &url).map(Some),
        Err(_) => Ok(None),
    }
}

/// The parts of a URL after one of them was set. A value that the part can't have changes nothing.
fn change<'js>(ctx: Ctx<'js>, href: String, part: String, value: String) -> Result<Object<'js>> {
    let mut url =
        Url::parse(&href).map_err(|error| Exception::throw_type(&ctx, &error.to_string()))?;
    let outcome = match part.as_str() {
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        other => {
            match other {
                "pathname" => quirks::set_pathname(&mut url, &value),
                "search" => quirks::set_search(&mut url, &value),
                "hash" => quirks::set_hash(&mut url, &value),
                _ => return Err(Exception::throw_type(&ctx, "no such part")),
            }
            Ok(())
        }
    };
    // A setter that fails has changed nothing, and says nothing in JavaScript.
    let _ = outcome;
    parts(&ctx, &url)
}

fn parts<'js>(ctx: &Ctx<'js>, url: &Url) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set_prototype(None)?;
    object.set("href", quirks::href(url))?;
    object.set("origin", quirks::origin(url))?;
    object.set("protocol", quirks::protocol(url))?;
    object.set("username", quirks::username(url))?;
    object.set("password", quirks::password(url))?;
    object.set("host", quirks::host(url))?;
    object.set("hostname", quirks::hostname(url))?;
    object.set("port", quirks::port(url))?;
    object.set("pathname", quirks::pathname(url))?;
    object.set("search", quirks::search(url))?;
    object.set("hash", quirks::hash(url))?;
    Ok(object)
}

/// The names and values of a query, one after the other.
fn parse_query(ctx: Ctx<'_>, query: String) -> Result<Array<'_>> {
    let flat = Array::new(ctx)?;
    for (at, (name, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
        flat.set(2 * at, &*name)?;
        flat.set(2 * at + 1, &*value)?;
    }
    Ok(flat)
}

/// The query of names and values, one after the other.
fn write_query(flat: Vec<String>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for pair in flat.as_chunks::<2>().0 {
        query.append_pair(&pair[0], &pair[1]);
    }
    query.finish()
}
