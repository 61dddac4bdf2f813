//! Resources, for clients: a workspace's files, `ampoule://workspace/` and a file's path, and those of
//! servers.

use std::sync::Arc;

use ampoule::{FileEntry, FileKind, Principal, Requester, Workspace};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, ErrorCode, ErrorData, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
};
use rmcp::service::RequestContext;
use tokio::task::spawn_blocking;

use super::asker::Asker;
use super::caller;
use super::client::Client;
use super::incoming::no_method;
use super::offers::OfferKind;

/// What the address of a file begins with.
const ADDRESS: &str = "ampoule://workspace/";
/// What begins the cursor of a page after those of files: no path has it.
const AFTER_FILES: &str = "//";
/// What stands for itself in one.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// How many files one answer lists, and how many can be listed at all.
const PAGE: usize = 500;
const LISTED: usize = 100_000;
/// The error for files that come from what a policy withholds from the model.
const KEPT_BACK: &str = "the files are withheld: the scripts that wrote them had read what a policy withholds from the model; a script can read them";
/// The same of one that has personal data.
const PERSONAL: &str = "the file is withheld: it has personal data, or a policy withholds it from the model; a script can read it";
/// How large a file may be that is read, in bytes: it is one message.
const READ: u64 = 4 << 20;

impl Client {
    /// Whether there are workspaces.
    pub(super) fn has_files(&self) -> bool {
        self.server.runs.shared.runtime.has_workspaces()
    }

    /// Whether there are resources: files, or those of servers.
    pub(super) fn has_resources(&self) -> bool {
        self.has_files() || self.may_have(OfferKind::Resources) || self.may_have(OfferKind::Read)
    }

    /// The files, and then the resources of servers.
    pub(super) async fn listed(
        &self,
        cursor: Option<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.has_resources() {
            return Err(not_there("resources/list"));
        }
        let cursor = cursor.as_deref();
        let after_files = cursor.and_then(|cursor| cursor.strip_prefix(AFTER_FILES));
        let (mut listed, next) = match after_files.is_none() && self.has_files() {
            true => self.listed_files(cursor, context).await?,
            false => (Vec::new(), None),
        };
        let next = match next {
            Some(next) => Some(next),
            None => {
                let asker = Asker::of(context);
                let (of_servers, next) = self.listed_resources(after_files, &asker).await?;
                listed.extend(of_servers);
                next.map(|next| format!("{AFTER_FILES}{next}"))
            }
        };
        let mut list = ListResourcesResult::with_all_items(listed);
        list.next_cursor = next;
        // They change with each run.
        list.ttl_ms = Some(0);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    /// The files, by path, after the one that the cursor names; and the cursor of the next page.
    async fn listed_files(
        &self,
        cursor: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        let after = cursor.map(decoded).transpose()?;
        self.with_files(context, move |workspace, may_show| {
            let files = workspace.all(LISTED).map_err(|it| it.to_string())?.0;
            let first = after.map_or(0, |after| files.partition_point(|it| it.path <= after));
            let page = &files[first.min(files.len())..];
            let more = page.len() > PAGE;
            let page = &page[..page.len().min(PAGE)];
            let is_file =
                |file: &&FileEntry| file.status.kind == FileKind::File && may_show(&file.path);
            let listed: Vec<_> = page.iter().filter(is_file).map(resource).collect();
            let next = page.last().filter(|_| more).map(|last| encoded(&last.path));
            Ok((listed, next))
        })
        .await
    }

    /// What a resource has; a file as text if it is that.
    pub(super) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !self.has_resources() {
            return Err(not_there("resources/read"));
        }
        if request.uri.is_empty() {
            let said = "`resources/read` takes `uri`, the address of a resource";
            return Err(ErrorData::invalid_params(said, None));
        }
        let path = request.uri.strip_prefix(ADDRESS);
        let Some(path) = path.filter(|_| self.has_files()) else {
            return self.read_from_server(request, context).await;
        };
        let path = decoded(path)?;
        let reading = path.clone();
        let bytes = self
            .with_files(context, move |workspace, may_show| {
                let bytes = read(&workspace, &reading)?;
                match may_show(&String::from_utf8_lossy(&bytes)) {
                    true => Ok(bytes),
                    false => Err(PERSONAL.to_owned()),
                }
            })
            .await?;
        let (contents, is_text) = match String::from_utf8(bytes) {
            Ok(text) => (ResourceContents::text(text, request.uri), true),
            Err(other) => {
                let blob = STANDARD.encode(other.as_bytes());
                (ResourceContents::blob(blob, request.uri), false)
            }
        };
        let contents = contents.with_mime_type(media_type(&path, is_text));
        let mut answer = ReadResourceResult::new(vec![contents]);
        answer.ttl_ms = Some(0);
        answer.cache_scope = Some(CacheScope::Private);
        Ok(answer.into())
    }

    /// Does something with the files of the requester, with a check whether a text may be shown.
    async fn with_files<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        action: impl FnOnce(Arc<Workspace>, &dyn Fn(&str) -> bool) -> Result<T, String> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let runtime = self.server.runs.shared.runtime.clone();
        let principal: Option<Principal> = caller::principal(context).cloned();
        let client = caller::name(context);
        let offer = self.server.offer();
        let done = spawn_blocking(move || {
            let opened = runtime.workspace(principal.as_ref());
            let opened = opened.map_err(|error| {
                tracing::error!(%error, "a workspace can't be opened");
                "the workspace can't be used".to_owned()
            })?;
            let workspace = opened.ok_or("no workspace")?;
            // Names of files are the scripts' words, too.
            let carried = workspace.carried().map_err(|error| {
                tracing::error!(%error, "can't read which labels a workspace's files have");
                "the workspace can't be used".to_owned()
            })?;
            let requester = Requester {
                principal: principal.as_ref(),
                client: client.as_deref(),
                toolkit: offer.toolkit(),
            };
            let may_show = |text: &str| runtime.may_show_text(carried.as_ref(), requester, text);
            match may_show("") {
                true => action(workspace, &may_show),
                false => Err(KEPT_BACK.to_owned()),
            }
        });
        let done = done
            .await
            .unwrap_or_else(|_| Err("the host failed".to_owned()));
        done.map_err(|why| ErrorData::resource_not_found(why, None))
    }
}

fn read(workspace: &Arc<Workspace>, path: &str) -> Result<Vec<u8>, String> {
    // Only what is in the workspace, whatever the path says.
    let path = format!("/workspace/{path}");
    let told = |problem: ampoule::FileError| problem.to_string();
    let status = workspace.status(&path).map_err(told)?;
    if status.size > READ {
        return Err(format!(
            "the file has {} bytes, and a resource at most {READ}: read a part of it in a script",
            status.size
        ));
    }
    let most = usize::try_from(READ).unwrap_or(usize::MAX);
    workspace.read(&path, 0, most).map_err(told)
}

fn resource(file: &FileEntry) -> Resource {
    let address = format!("{ADDRESS}{}", encoded(&file.path));
    Resource::new(address, file.path.clone())
        .with_size(file.status.size)
        .with_mime_type(media_type(&file.path, false))
}

fn encoded(path: &str) -> String {
    utf8_percent_encode(path, PLAIN).to_string()
}

fn decoded(text: &str) -> Result<String, ErrorData> {
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.map_err(|_| ErrorData::invalid_params("this is not an address", None))?;
    Ok(decoded.into_owned())
}

/// The error for clients where nothing is declared for a method.
pub(super) fn not_there(method: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, no_method(method), None)
}

/// By how its name ends.
fn media_type(path: &str, is_text: bool) -> &'static str {
    let (_, ending) = path.rsplit_once('.').unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "csv" => "text/csv",
        "json" => "application/json",
        "md" => "text/markdown",
        "html" | "htm" => "text/html",
        "txt" | "log" => "text/plain",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        _ if is_text => "text/plain",
        _ => "application/octet-stream",
    }
}
