//! The heads of requests that are not sent yet. Wasmtime's own setters copy a method and an address
//! however long they are, and keep both for as long as the guest keeps the request.

use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, Resource, WasmStr};
use wasmtime_wasi_http::WasiHttpView as _;
use wasmtime_wasi_http::p2::bindings::http::types as p2;
use wasmtime_wasi_http::p3::bindings::http::types as p3;

use crate::state::RunState;
use crate::wasi::link;

/// How long a method may be, in bytes.
const METHOD_BYTES: usize = 32;
/// How long an address may be, which is a host's name and a port, in bytes.
const AUTHORITY_BYTES: usize = 300;

/// `wasi:http/types.method`
#[derive(ComponentType, Lift)]
#[component(variant)]
enum Method {
    #[component(name = "get")]
    Get,
    #[component(name = "head")]
    Head,
    #[component(name = "post")]
    Post,
    #[component(name = "put")]
    Put,
    #[component(name = "delete")]
    Delete,
    #[component(name = "connect")]
    Connect,
    #[component(name = "options")]
    Options,
    #[component(name = "trace")]
    Trace,
    #[component(name = "patch")]
    Patch,
    #[component(name = "other")]
    Other(WasmStr),
}

/// A method as one version has it; none if it is too long.
macro_rules! method {
    ($version:ident, $method:expr, $store:expr) => {
        match $method {
            Method::Get => Some($version::Method::Get),
            Method::Head => Some($version::Method::Head),
            Method::Post => Some($version::Method::Post),
            Method::Put => Some($version::Method::Put),
            Method::Delete => Some($version::Method::Delete),
            Method::Connect => Some($version::Method::Connect),
            Method::Options => Some($version::Method::Options),
            Method::Trace => Some($version::Method::Trace),
            Method::Patch => Some($version::Method::Patch),
            Method::Other(name) => short($store, &name, METHOD_BYTES)?.map($version::Method::Other),
        }
    };
}

/// Replaces the setters of a method and of an address, in one version.
macro_rules! setters {
    ($linker:expr, $version:ident, $interface:literal, $request:literal, $setters:ident, $resource:ty) => {{
        link::replace($linker, $interface, |types| {
            types.func_wrap(
                concat!("[method]", $request, ".set-method"),
                |mut store: StoreContextMut<'_, RunState>,
                 (request, method): (Resource<$resource>, Method)| {
                    let Some(method) = method!($version, method, &store) else {
                        return Ok((Err(()),));
                    };
                    let mut http = store.data_mut().http();
                    let set = $version::$setters::set_method(&mut http, request, method)?;
                    Ok((set,))
                },
            )
        })?;
        link::replace($linker, $interface, |types| {
            types.func_wrap(
                concat!("[method]", $request, ".set-authority"),
                |mut store: StoreContextMut<'_, RunState>,
                 (request, authority): (Resource<$resource>, Option<WasmStr>)| {
                    let authority = match authority {
                        None => None,
                        Some(text) => match short(&store, &text, AUTHORITY_BYTES)? {
                            Some(text) => Some(text),
                            None => return Ok((Err(()),)),
                        },
                    };
                    let mut http = store.data_mut().http();
                    let set = $version::$setters::set_authority(&mut http, request, authority)?;
                    Ok((set,))
                },
            )
        })
    }};
}

pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    setters!(
        linker,
        p2,
        "wasi:http/types@0.2.12",
        "outgoing-request",
        HostOutgoingRequest,
        p2::OutgoingRequest
    )?;
    setters!(
        linker,
        p3,
        "wasi:http/types@0.3.0",
        "request",
        HostRequest,
        p3::Request
    )
}

/// A text, copied if it is short enough.
fn short(
    store: &StoreContextMut<'_, RunState>,
    text: &WasmStr,
    most: usize,
) -> wasmtime::Result<Option<String>> {
    let text = text.to_str(store)?;
    // It was looked at.
    store.data().owe(text.len() as u64);
    Ok((text.len() <= most).then(|| text.into_owned()))
}
