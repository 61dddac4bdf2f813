// What the pages need of a script: times in the reader's zone, parts that stay up to date, forms
// whose answer is shown in place, and the editor where there is one. Without it, all pages work.

const policy = window.trustedTypes?.createPolicy("ampoule", { createHTML: (html) => html });
const parsed = (html) =>
  new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "long" });
const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30]];

function since(date) {
  let away = (date - Date.now()) / 1000;
  for (const [unit, most] of UNITS) {
    if (Math.abs(away) < most) return relative.format(Math.round(away), unit);
    away /= most;
  }
  return zoned.format(date);
}

function times(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    time.title = zoned.format(date);
    const form = time.dataset.form;
    const text = form === "since" ? since(date) : form === "clock" ? clock.format(date) : zoned.format(date);
    if (time.textContent !== text) time.textContent = text;
  }
}

// Identifies an element that can have the focus, also in the next version of a page.
const key = (one) => [
  one.tagName, one.matches("summary") ? one.parentElement.id : one.id || one.getAttribute("href") || one.textContent.trim(),
].join(" ");
const focusable = (part) => [...part.querySelectorAll("a[href], button, summary, input, select, textarea, [tabindex]")];

// What a person opened stays open, what has the focus keeps it, and what was scrolled stays there.
function swap(old, fresh) {
  times(fresh);
  if (old.isEqualNode(fresh)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  if (focused?.matches("input:not([type=hidden]), textarea, select")) return;
  const opened = [...old.querySelectorAll("details[id]")].map((one) => [one.id, one.open]);
  const scrolled = [...old.querySelectorAll("pre[id]")].map((pre) => [
    pre.id, pre.scrollTop, pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 4,
  ]);
  old.replaceChildren(...fresh.childNodes);
  for (const name of ["class", "data-live"]) {
    if (fresh.hasAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
    else old.removeAttribute(name);
  }
  for (const [id, open] of opened) {
    const one = document.getElementById(id);
    if (one) one.open = open;
  }
  for (const [id, top, atEnd] of scrolled) {
    const pre = document.getElementById(id);
    if (pre) pre.scrollTop = atEnd ? pre.scrollHeight : top;
  }
  if (focused && focused !== old) {
    const wanted = key(focused);
    focusable(old).find((one) => key(one) === wanted)?.focus({ preventScroll: true });
  }
}

// Live parts: the server says that something happened, and the page loads itself again. A part that
// has changed replaces the old one.
const PAUSE = 1000;
let asked = 0, waiting = null, busy = false, again = false;

async function refresh() {
  waiting = null;
  if (busy) { again = true; return; }
  busy = true;
  asked = Date.now();
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html", "x-ampoule-again": "1" } });
    if (response.ok && !response.redirected) {
      const page = parsed(await response.text());
      for (const part of document.querySelectorAll("[data-live]")) {
        const fresh = page.getElementById(part.id);
        if (fresh) swap(part, fresh);
      }
      announce(page);
      listen();
    }
  } catch { /* The next event tries again. */ }
  busy = false;
  if (again) { again = false; soon(); }
}

function soon() {
  waiting ??= setTimeout(refresh, Math.max(100, asked + PAUSE - Date.now()));
}

// Screen readers get one sentence, when it differs from the one before.
function announce(page) {
  const [now, said] = [page.getElementById("news"), document.getElementById("news")];
  if (now && said && said.textContent !== now.textContent) said.textContent = now.textContent;
}

const KINDS = [
  "changed", "output", "call-started", "call-ended", "progress", "parked", "woken", "used", "ended",
];
let stream = null, heard = null;
function listen() {
  // Within the live part, its own address says where its events come from: lists, or one run.
  const address = document.hidden ? null : document.querySelector("[data-live]")?.dataset.live ?? null;
  if (address === heard) return;
  stream?.close();
  stream = null;
  heard = address;
  if (!address) return;
  const opened = new EventSource(address);
  stream = opened;
  for (const kind of KINDS) opened.addEventListener(kind, soon);
  // The stream of a run ends with the run, and a browser would open it again.
  opened.addEventListener("ended", () => opened.close());
  // The page does not know yet what happened before the stream was open.
  opened.onopen = soon;
  // A browser does not open a stream again when the answer was not a stream, as in an outage.
  opened.onerror = () => {
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
    heard = null;
    setTimeout(() => { listen(); if (!document.hidden) soon(); }, 30_000);
  };
}

document.addEventListener("visibilitychange", () => {
  listen();
  if (!document.hidden && document.querySelector("[data-live]")) soon();
});

// A form whose answer is a part of this page: the rest, such as the editor, stays as it is.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const button = event.submitter;
  const into = document.getElementById(form.dataset.into ?? "");
  if (!into || button?.hasAttribute("data-leaves")) return;
  event.preventDefault();
  const data = new FormData(form, button);
  const method = (button?.formMethod || form.method).toUpperCase();
  const action = button?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.href;
  if (button) button.disabled = true;
  try {
    const response = await fetch(action, {
      method, body: new URLSearchParams(data), headers: { accept: "text/html" },
    });
    const page = parsed(await response.text());
    const fresh = page.getElementById(into.id) ?? page.getElementById("main");
    if (response.redirected) history.replaceState(null, "", response.url);
    if (fresh && fresh.id === into.id) swap(into, fresh);
    else if (fresh) into.replaceChildren(...fresh.childNodes);
    announce(page);
    listen();
    into.focus({ preventScroll: true });
    into.scrollIntoView({ block: "nearest" });
  } catch {
    into.textContent = "The server does not answer. Check that the server runs, and try again.";
  }
  if (button) button.disabled = false;
});

// Fields that send their form when they change, such as the examples' language.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-sends]")) event.target.form?.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches?.("textarea")) {
    event.preventDefault();
    event.target.form?.requestSubmit(event.target.form.querySelector("button.main"));
  }
});

// The details of a call are loaded when they are opened.
document.addEventListener("toggle", async (event) => {
  const details = event.target;
  if (!details.open || !details.dataset?.loads || details.dataset.loaded) return;
  details.dataset.loaded = "yes";
  try {
    const response = await fetch(details.dataset.loads, { headers: { accept: "text/html" } });
    const content = parsed(await response.text()).getElementById("call-content");
    if (response.ok && content) details.querySelector(":scope > div").replaceChildren(...content.childNodes);
  } catch { /* The link to the page of the call stays. */ }
}, true);

document.addEventListener("click", async (event) => {
  const copies = event.target.closest?.("[data-copies]");
  if (!copies) return;
  const text = document.getElementById(copies.dataset.copies)?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    copies.textContent = "Copied";
  } catch {
    copies.textContent = "Not copied";
  }
});

times(document);
setInterval(() => times(document), 30_000);
listen();

const editor = document.querySelector("textarea[data-editor]");
if (editor) import(editor.dataset.editor).then((module) => module.attach(editor));
