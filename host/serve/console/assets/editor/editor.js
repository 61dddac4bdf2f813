// The editor: CodeMirror over a text area, with completion of what the run may call.
//
// It stands in a shadow root, where CodeMirror's styles are adopted style sheets: the content
// security policy lets no style element in. The text area stays the form's field.

import { EditorState, Compartment } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippetCompletion } from "@codemirror/autocomplete";
import { linter, lintKeymap } from "@codemirror/lint";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--accent)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--small)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", minHeight: "16rem", maxHeight: "32rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: ".75rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "0", paddingLeft: ".5rem" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 55%, transparent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--edge)", borderRadius: ".4rem", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".2rem .6rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "600" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-tooltip.cm-completionInfo": { padding: ".5rem .75rem", maxWidth: "26rem", whiteSpace: "pre-wrap", fontFamily: "var(--mono)", fontSize: ".75rem" },
  ".cm-diagnostic": { padding: ".3rem .6rem", borderLeft: ".2rem solid var(--bad)", fontFamily: "var(--sans)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--wait)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--wait)" },
});

const REQUIRED_FIRST = 6;

/** What the granted tools are called, and their arguments. */
class Offers {
  constructor(servers) { this.servers = servers; }
  server(name) { return this.servers.find((server) => server.name === name); }
  tool(server, name) {
    return this.server(server)?.tools.find((tool) => tool.name === name || tool.also === name);
  }
}

function info(text) {
  const shown = document.createElement("div");
  shown.textContent = text;
  return () => shown;
}

function snippet(tool, language) {
  const needed = tool.fields.filter((field) => field.required).slice(0, REQUIRED_FIRST);
  const escaped = (name) => name.replace(/[\\{}$#]/g, "");
  const parts = needed.map((field) => `${escaped(field.name)}${language === "python" ? "=" : ": "}\${}`);
  return language === "python"
    ? `${tool.name}(${parts.join(", ") || "${}"})`
    : `${tool.name}({ ${parts.join(", ") || "${}"} })`;
}

function completes(offers, language) {
  return (context) => {
    if (!offers) return null;
    const servers = context.matchBefore(/tools\.[\w$]*$/);
    if (servers) {
      return {
        from: servers.from + "tools.".length,
        options: offers.servers.map((server) => ({ label: server.name, type: "namespace", detail: `${server.tools.length} tools` })),
        validFor: /^[\w$]*$/,
      };
    }
    const members = context.matchBefore(/tools\.[\w$]+\.[\w$]*$/);
    if (members) {
      const [, server, typed] = members.text.split(".");
      const found = offers.server(server);
      if (!found) return null;
      return {
        from: members.to - typed.length,
        options: found.tools.map((tool) => snippetCompletion(snippet(tool, language), {
          label: tool.name, type: "function", info: info(tool.declaration || tool.about),
        })),
        validFor: /^[\w$]*$/,
      };
    }
    const inside = context.matchBefore(/tools\.[\w$]+\.[\w$]+\(\s*\{?[^(){}]*$/);
    if (inside) {
      const [, server, name] = /^tools\.([\w$]+)\.([\w$]+)/.exec(inside.text);
      const word = context.matchBefore(/(?<=[{,(]\s*)[\w$]*$/);
      const tool = offers.tool(server, name);
      if (!tool || !word || (word.from === word.to && !context.explicit)) return null;
      return {
        from: word.from,
        options: tool.fields.map((field) => ({
          label: field.name, type: "property", detail: `${field.type}${field.required ? "" : ", optional"}`,
          apply: language === "python" ? `${field.name}=` : `${field.name}: `,
          info: field.about ? info(field.about) : undefined,
        })),
        validFor: /^[\w$]*$/,
      };
    }
    const start = context.matchBefore(/\b[a-z]{2,}$/);
    if (start && "tools".startsWith(start.text)) {
      return { from: start.from, options: [{ label: "tools", type: "variable" }], validFor: /^\w*$/ };
    }
    return null;
  };
}

const OWN = new Set(["call", "files"]);

/** Faults that are seen before a run: of syntax, and of what `tools` has. */
function faults(offers, language) {
  return (view) => {
    const found = [];
    const text = (node) => view.state.sliceDoc(node.from, node.to);
    const warn = (node, message) => found.push({ from: node.from, to: node.to, severity: "warning", message });
    syntaxTree(view.state).iterate({
      enter(node) {
        if (node.type.isError) {
          const from = Math.min(node.from, Math.max(0, view.state.doc.length - 1));
          const to = Math.min(view.state.doc.length, Math.max(node.to, from + 1));
          // Both languages allow `return` and `await` at the top; the grammar of Python does not care.
          if (found.length < 20) found.push({ from, to, severity: "error", message: "The syntax is not complete here." });
        }
        if (!offers || node.name !== "MemberExpression") return;
        const parts = /^tools\.([\w$]+)(?:\.([\w$]+))?$/.exec(text(node));
        if (!parts || parts[1].startsWith("$") || OWN.has(parts[1])) return;
        const property = node.node.lastChild;
        const server = offers.server(parts[1]);
        if (!parts[2]) {
          if (!server) warn(property, `The run has no server \`${parts[1]}\`. It has ${offers.servers.map((one) => one.name).join(", ") || "none"}.`);
          return;
        }
        if (!server || parts[2].startsWith("$") || parts[2].startsWith("_")) return;
        const tool = offers.tool(parts[1], parts[2]);
        if (!tool) { warn(property, `The server \`${parts[1]}\` has no tool \`${parts[2]}\`.`); return; }
        if (tool.open || language === "python") return;
        const call = node.node.parent;
        const argument = call?.name === "CallExpression" ? call.getChild("ArgList")?.getChild("ObjectExpression") : null;
        if (!argument) return;
        const given = argument.getChildren("Property").map((one) => one.firstChild).filter((one) => one?.name === "PropertyDefinition");
        for (const one of given) {
          if (!tool.fields.some((field) => field.name === text(one))) warn(one, `\`${tool.name}\` takes no argument \`${text(one)}\`.`);
        }
        if (text(argument).includes("...")) return;
        const missing = tool.fields.filter((field) => field.required && !given.some((one) => text(one) === field.name));
        if (missing.length && argument.getChildren("Property").length === given.length) {
          warn(property, `Missing: ${missing.map((field) => field.name).join(", ")}.`);
        }
      },
    });
    return found.sort((one, other) => one.from - other.from);
  };
}

/** Puts the editor in the place of a text area. */
export async function attach(area) {
  const host = document.createElement("div");
  host.className = "editor";
  area.after(host);
  const root = host.attachShadow({ mode: "open" });
  const mode = new Compartment();
  const label = area.labels?.[0];
  const select = document.getElementById(area.dataset.language ?? "");
  const language = () => (select?.value === "python" ? "python" : "javascript");
  const settings = (offers) => {
    const now = language();
    const grammar = now === "python" ? python() : javascript({ typescript: true });
    const source = completes(offers, now);
    return [
      grammar, indentUnit.of(now === "python" ? "    " : "  "),
      autocompletion({ override: [source] }),
      linter(faults(offers, now), { delay: 400 }),
    ];
  };
  const form = area.form;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(),
        closeBrackets(), indentOnInput(), EditorView.lineWrapping, syntaxHighlighting(colours), look,
        keymap.of([
          { key: "Mod-Enter", run: () => { form?.requestSubmit(form.querySelector("button.main")); return true; } },
          ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
        ]),
        EditorView.contentAttributes.of({
          "aria-label": label?.textContent ?? "Script", "aria-describedby": "editor-hint", id: "editor-content", tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) area.value = view.state.doc.toString();
        }),
        mode.of(settings(null)),
      ],
    }),
  });
  area.hidden = true;
  label?.addEventListener("click", () => view.focus());
  form?.addEventListener("reset", () => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: area.defaultValue } }));
  const load = async () => {
    let servers = null;
    const address = area.dataset.offers;
    if (address) {
      try {
        const answer = await fetch(`${address}?language=${language()}`, { headers: { accept: "application/json" } });
        if (answer.ok) servers = (await answer.json()).servers;
      } catch { /* Without them, there is no completion. */ }
    }
    view.dispatch({ effects: mode.reconfigure(settings(servers && new Offers(servers))) });
    host.dataset.ready = language();
  };
  select?.addEventListener("change", load);
  await load();
  return view;
}
