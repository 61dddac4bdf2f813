// Timers and microtasks. Delays that must not run in another order lie 30 ms apart, since Node's clock is a real one.
const log = (...values) => console.log(...values);
setTimeout(() => log("t60"), 60);
setTimeout(() => log("t30"), 30);
setTimeout((a, b) => log("arguments", a, b), 90, 1, "two");
queueMicrotask(() => log("microtask"));
Promise.resolve().then(() => log("then"));
log("sync");

let ticks = 0;
const interval = setInterval((name) => {
  log(name, ++ticks);
  if (ticks === 3) clearInterval(interval);
}, 130, "tick");

clearTimeout(setTimeout(() => log("never"), 10));
clearInterval(setTimeout(() => log("never either"), 10));
const byNumber = setTimeout(() => log("never by number"), 10);
clearTimeout(+byNumber);
const byString = setTimeout(() => log("never by string"), 10);
clearTimeout(`${+byString}`);
for (const nothing of [undefined, null, 123456, "x", {}, NaN]) clearTimeout(nothing);

setTimeout(() => {
  log("first of two");
  Promise.resolve().then(() => log("microtask of the first"));
}, 160);
setTimeout(() => log("second of two"), 160);

setTimeout(() => {
  setTimeout(() => log("nested timeout"), 0);
  setImmediate((value) => log("immediate", value), 7);
  clearImmediate(setImmediate(() => log("never immediately")));
  queueMicrotask(() => log("nested microtask"));
}, 190);

const unref = setTimeout(() => log("never, the run is over"), 5000);
log(unref.hasRef(), unref.unref() === unref, unref.hasRef(), unref.ref() === unref, unref.hasRef());
unref.unref();
log(typeof +unref, typeof unref, interval.hasRef());

const refreshed = setTimeout(() => log("refreshed"), 330);
setTimeout(() => log(refreshed.refresh() === refreshed), 230);
setTimeout(() => log("before the refreshed one"), 420);
let again = 0;
const repeated = setTimeout(() => {
  log("repeated", ++again);
  if (again < 3) repeated.refresh();
}, 500);

const self = setTimeout(function () { log("this is the timer", this === self); }, 350);
for (const wrong of [undefined, null, "code", 5, {}, [], new Map(), Symbol("s"), "a text of more than twenty-eight characters"]) {
  for (const start of [setTimeout, setInterval, setImmediate, queueMicrotask]) {
    try {
      start(wrong);
    } catch (e) {
      log(e instanceof TypeError, start === queueMicrotask || `${e.code}: ${e.message}`);
    }
  }
}
for (const delay of [-1, NaN, Infinity, "5", null, undefined, 0.5]) setTimeout(() => log("delay", delay), delay);

const timeout = AbortSignal.timeout(290);
timeout.addEventListener("abort", () => log(timeout.reason.name, timeout.reason.message, timeout.reason.code, timeout.aborted));
for (const wrong of [-1, "1", undefined]) {
  try {
    AbortSignal.timeout(wrong);
  } catch (e) {
    log(e.name, e.code);
  }
}
await new Promise((done) => setTimeout(done, 320));
log("awaited");
await new Promise((done) => setTimeout(done, 1000));
log("last");
