// setTimeout and its kin. The queue is native; here are the objects that Node hands out for timers.

export default ({ native, primordials, args }) => {
  const { define, mathTrunc, reflectApply, Number } = primordials;
  const { startTimer, stopTimer, restartTimer, isTimerRef, setTimerRef } = native;
  const MAX_DELAY_MS = 2 ** 31 - 1;

  const checked = (callback) => {
    if (typeof callback !== "function") throw args.wrongType("callback", "of type function", callback);
    return callback;
  };
  // As in Node, what is no delay of a millisecond or more is one millisecond.
  const delayOf = (delay) => {
    delay = Number(delay);
    return delay >= 1 && delay <= MAX_DELAY_MS ? mathTrunc(delay) : 1;
  };

  class Timeout {
    #id;
    #run;
    #delay;
    #repeats;
    #done = false;

    constructor(callback, delay, repeats, values) {
      this.#delay = delay;
      this.#repeats = repeats;
      this.#run = () => {
        if (!repeats) this.#done = true;
        reflectApply(callback, this, values);
      };
      this.#start();
    }

    #start() {
      this.#done = false;
      this.#id = startTimer(this.#run, this.#delay, this.#repeats);
    }

    // Stops the timer that a script names by its object or its number.
    static stop(timer) {
      if (typeof timer === "object" && timer !== null && #id in timer) timer.close();
      else if (typeof timer === "number" || typeof timer === "string") stopTimer(Number(timer) >>> 0);
    }

    close() {
      this.#delay = undefined;
      stopTimer(this.#id);
      return this;
    }

    refresh() {
      if (this.#delay === undefined) return this;
      if (this.#done || !restartTimer(this.#id)) this.#start();
      return this;
    }

    ref() {
      setTimerRef(this.#id, true);
      return this;
    }

    unref() {
      setTimerRef(this.#id, false);
      return this;
    }

    hasRef() {
      return isTimerRef(this.#id);
    }

    [Symbol.toPrimitive]() {
      return this.#id;
    }
  }

  // Before all timers, once the running code and its microtasks are done.
  class Immediate {
    #id;

    constructor(callback, values) {
      this.#id = startTimer(() => reflectApply(callback, this, values), 0, false);
    }

    static stop(immediate) {
      if (typeof immediate === "object" && immediate !== null && #id in immediate) stopTimer(immediate.#id);
    }

    ref() {
      setTimerRef(this.#id, true);
      return this;
    }

    unref() {
      setTimerRef(this.#id, false);
      return this;
    }

    hasRef() {
      return isTimerRef(this.#id);
    }
  }

  const { stop } = Timeout;
  const { stop: stopImmediate } = Immediate;
  const web = {
    setTimeout(callback, delay, ...values) {
      return new Timeout(checked(callback), delayOf(delay), false, values);
    },
    setInterval(callback, delay, ...values) {
      return new Timeout(checked(callback), delayOf(delay), true, values);
    },
    setImmediate(callback, ...values) {
      return new Immediate(checked(callback), values);
    },
    clearTimeout(timer) {
      stop(timer);
    },
    clearInterval(timer) {
      stop(timer);
    },
    clearImmediate(immediate) {
      stopImmediate(immediate);
    },
  };
  define(globalThis, web);
  // For parts of the prelude: runs later without holding the run open.
  const startUnref = (callback, delay) => {
    const id = startTimer(callback, delayOf(delay), false);
    setTimerRef(id, false);
    return id;
  };
  return { startUnref };
};
