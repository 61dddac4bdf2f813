// Event and EventTarget, as far as AbortSignal and scripts' own targets need them: no bubbling, since there is no tree.

export default ({ native, primordials, args, inspect, inspectCustom }) => {
  const {
    arrayCopy, arrayPush, arrayRemove, define, enumerable, mapGet, mapSet, reflectApply, tagged, Boolean, Map,
  } = primordials;
  const { elapsedMs } = native;
  const queueMicrotask = globalThis.queueMicrotask;

  let setTarget;
  let isStopped;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #target = null;
    #isPrevented = false;
    #isStopped = false;
    #time = elapsedMs();

    static {
      setTarget = (event, target) => { event.#target = target; };
      isStopped = (event) => event.#isStopped;
    }

    constructor(type, options) {
      args.require(arguments.length, "type");
      this.#type = `${type}`;
      this.#bubbles = Boolean(options?.bubbles);
      this.#cancelable = Boolean(options?.cancelable);
      this.#composed = Boolean(options?.composed);
    }

    get type() { return this.#type; }
    get target() { return this.#target; }
    get currentTarget() { return this.#target; }
    get srcElement() { return this.#target; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#cancelable && this.#isPrevented; }
    get timeStamp() { return this.#time; }
    get eventPhase() { return this.#target === null ? 0 : 2; }
    get returnValue() { return !this.defaultPrevented; }
    get isTrusted() { return false; }
    preventDefault() { this.#isPrevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#isStopped = true; }
    composedPath() { return this.#target === null ? [] : [this.#target]; }

    [inspectCustom](depth, options) {
      const { type, defaultPrevented, cancelable, timeStamp } = this;
      return `${this.constructor.name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
    }
  }
  enumerable(Event.prototype, "type target currentTarget srcElement bubbles cancelable composed defaultPrevented timeStamp preventDefault");
  tagged(Event);

  class CustomEvent extends Event {
    #detail;

    constructor(type, options) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }

    get detail() { return this.#detail; }
  }
  tagged(CustomEvent);

  // An error in a listener is uncaught: it does not stop the others.
  const report = (error) => queueMicrotask(() => { throw error; });

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, callback, options) {
      if (callback === null || callback === undefined) return;
      if (typeof callback !== "function" && typeof callback !== "object") {
        throw args.wrongType("listener", "an instance of EventListener", callback);
      }
      const capture = typeof options === "boolean" ? options : Boolean(options?.capture);
      const signal = options?.signal;
      if (signal?.aborted) return;
      type = `${type}`;
      let list = mapGet(this.#listeners, type);
      if (list === undefined) mapSet(this.#listeners, type, list = []);
      for (let i = 0; i < list.length; i++) if (list[i].callback === callback && list[i].capture === capture) return;
      arrayPush(list, { callback, capture, once: Boolean(options?.once), isRemoved: false });
      signal?.addEventListener("abort", () => this.removeEventListener(type, callback, capture), { once: true });
    }

    removeEventListener(type, callback, options) {
      const capture = typeof options === "boolean" ? options : Boolean(options?.capture);
      const list = mapGet(this.#listeners, `${type}`) ?? [];
      for (let i = 0; i < list.length; i++) {
        if (list[i].callback !== callback || list[i].capture !== capture) continue;
        list[i].isRemoved = true;
        arrayRemove(list, i);
        return;
      }
    }

    dispatchEvent(event) {
      if (typeof event !== "object" || event === null || !(event instanceof Event)) {
        throw args.wrongType("event", "an instance of Event", event);
      }
      setTarget(event, this);
      const list = arrayCopy(mapGet(this.#listeners, event.type) ?? []);
      for (let i = 0; i < list.length && !isStopped(event); i++) {
        const listener = list[i];
        if (listener.isRemoved) continue;
        if (listener.once) this.removeEventListener(event.type, listener.callback, listener.capture);
        try {
          if (typeof listener.callback === "function") reflectApply(listener.callback, this, [event]);
          else listener.callback.handleEvent(event);
        } catch (error) {
          report(error);
        }
      }
      return !event.defaultPrevented;
    }
  }
  enumerable(EventTarget.prototype, "addEventListener removeEventListener dispatchEvent");
  tagged(EventTarget);

  define(globalThis, { Event, CustomEvent, EventTarget });
  return { Event, EventTarget };
};
