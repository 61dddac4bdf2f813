// AbortController and AbortSignal.

export default ({ primordials, args, startUnref, DOMException, Event, EventTarget, inspect, inspectCustom }) => {
  const { arrayPush, define, enumerable, reflectApply, tagged, TypeError } = primordials;
  const TOKEN = {};
  const MAX_TIMEOUT_MS = Number.MAX_SAFE_INTEGER;

  let abort;
  let isSignal;
  let isAborted;
  let reasonOf;

  class AbortSignal extends EventTarget {
    #isAborted = false;
    #reason;
    #onabort = null;
    // Signals made by AbortSignal.any of this one, in order of making.
    #dependents = [];

    static {
      abort = (signal, reason) => signal.#abort(reason);
      isSignal = (value) => typeof value === "object" && value !== null && #isAborted in value;
      isAborted = (signal) => signal.#isAborted;
      reasonOf = (signal) => signal.#reason;
    }

    constructor(token) {
      super();
      if (token !== TOKEN) throw new TypeError("Illegal constructor");
    }

    #abort(reason) {
      const marked = [];
      this.#mark(reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason, marked);
      for (let i = 0; i < marked.length; i++) marked[i].dispatchEvent(new Event("abort"));
    }

    // Aborts this signal and all that depend on it, before any listener runs.
    #mark(reason, marked) {
      if (this.#isAborted) return;
      this.#isAborted = true;
      this.#reason = reason;
      arrayPush(marked, this);
      for (let i = 0; i < this.#dependents.length; i++) this.#dependents[i].#mark(reason, marked);
      this.#dependents = [];
    }

    get aborted() { return this.#isAborted; }
    get reason() { return this.#reason; }
    get onabort() { return this.#onabort; }
    set onabort(listener) {
      if (this.#onabort !== null) this.removeEventListener("abort", this.#onabort);
      this.#onabort = typeof listener === "function" ? listener : null;
      if (this.#onabort !== null) this.addEventListener("abort", this.#onabort);
    }

    throwIfAborted() {
      if (this.#isAborted) throw this.#reason;
    }

    static abort(reason) {
      const signal = new AbortSignal(TOKEN);
      signal.#abort(reason);
      return signal;
    }

    static timeout(delay) {
      if (typeof delay !== "number") throw args.wrongType("delay", "of type number", delay);
      if (!(delay >= 0 && delay <= MAX_TIMEOUT_MS)) throw args.outOfRange("delay", `>= 0 && <= ${MAX_TIMEOUT_MS}`, delay);
      const signal = new AbortSignal(TOKEN);
      startUnref(() => signal.#abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), delay);
      return signal;
    }

    static any(signals) {
      const result = new AbortSignal(TOKEN);
      const sources = [];
      for (const signal of signals) {
        if (!isSignal(signal)) throw args.wrongType("signals", "an iterable of AbortSignal", signal);
        arrayPush(sources, signal);
      }
      for (let i = 0; i < sources.length; i++) {
        if (sources[i].#isAborted) {
          result.#abort(sources[i].#reason);
          return result;
        }
      }
      for (let i = 0; i < sources.length; i++) arrayPush(sources[i].#dependents, result);
      return result;
    }

    [inspectCustom](depth, options) {
      return depth < 0 ? this : `AbortSignal ${inspect({ aborted: this.#isAborted }, options)}`;
    }
  }
  enumerable(AbortSignal.prototype, "aborted reason onabort throwIfAborted");
  tagged(AbortSignal);

  class AbortController {
    #signal = new AbortSignal(TOKEN);

    get signal() { return this.#signal; }

    abort(reason) {
      abort(this.#signal, reason);
    }

    [inspectCustom](depth, options) {
      return depth < 0 ? this : `AbortController ${inspect({ signal: this.#signal }, options)}`;
    }
  }
  enumerable(AbortController.prototype, "signal abort");
  tagged(AbortController);

  define(globalThis, { AbortController, AbortSignal });
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  // What tools need of signals, whatever a script did to the classes.
  const signals = {
    isSignal, isAborted, reasonOf,
    listen: (signal, listener) => reflectApply(addEventListener, signal, ["abort", listener]),
    forget: (signal, listener) => reflectApply(removeEventListener, signal, ["abort", listener]),
  };
  return { signals };
};
