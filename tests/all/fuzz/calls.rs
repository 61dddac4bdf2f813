//! Random sequences of calls, timers and aborts.

use std::time::{Duration, Instant};

use ampoule::{CallEnd, Ending, Limit, Limits, Outcome};
use ampoule_mutated::Random;
use ampoule_tests::run_limited;

use super::{Tried, check, from_environment, pick, try_all};

/// What a sequence begins with. `started` counts the calls that the host must know of.
const BEGINNING: &str = "let started = 0; const all = []; const wrong = []; const stops = [new AbortController(), new AbortController()];
const call = (tool, args, options) => { if (!options?.signal?.aborted) started++; return tools.testTools[tool](args, options) };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const expect = (got, wanted) => { if (JSON.stringify(got) !== JSON.stringify(wanted)) wrong.push([got, wanted]) };
";

/// One step: a call, a timer, an abort, or a wait for some of them.
fn step(random: &mut Random) -> String {
    let (a, b) = (random.below(1000), random.below(1000));
    let (ms, stop) = (random.below(8), random.below(2));
    let sum = a + b;
    match random.below(16) {
        0 => format!("expect(await call('add', {{ a: {a}, b: {b} }}), {{ sum: {sum} }});"),
        1 => format!("all.push(call('add', {{ a: {a}, b: {b} }}).then((got) => expect(got, {{ sum: {sum} }})));"),
        2 => format!("all.push(call('echo', {{ value: [{a}, 'ä'.repeat({b})] }}).then((got) => expect(got[1].length, {b})));"),
        3 => format!("all.push(call('sleep', {{ ms: {ms} }}));"),
        4 => "all.push(call('fail', {}).then(() => wrong.push('no failure'), (error) => expect(error.name, 'ToolError')));".into(),
        5 => format!("all.push(call('hang', {{}}, {{ signal: stops[{stop}].signal }}).catch((error) => expect(error.name, 'AbortError')));"),
        6 => format!("all.push(call('sleep', {{ ms: {ms} }}, {{ signal: stops[{stop}].signal }}).catch((error) => expect(error.name, 'AbortError')));"),
        7 => format!("stops[{stop}].abort();"),
        8 => format!("setTimeout(() => stops[{stop}].abort(), {ms});"),
        9 => format!("stops[{stop}] = new AbortController();"),
        10 => format!("await pause({ms});"),
        11 => format!("expect(await Promise.race([call('hang', {{}}), call('add', {{ a: {a}, b: {b} }})]), {{ sum: {sum} }});"),
        12 => format!("expect(await Promise.race([call('hang', {{}}), pause({ms})]), undefined);"),
        13 => format!("all.push(call('hang', {{}}, {{ signal: AbortSignal.timeout({ms}) }}).catch((error) => expect(error.name, 'TimeoutError')));"),
        14 => format!("const timer{a}x{b} = setInterval(() => {{ call('sleep', {{ ms: 1 }}); clearInterval(timer{a}x{b}) }}, {ms});"),
        _ => format!("call('add', {{ a: {a}, b: {b} }});"),
    }
}

/// A sequence of steps, and how it ends: at once, with what is under way, or with an error.
fn sequence(random: &mut Random) -> String {
    let steps: String = (0..1 + random.below(25))
        .map(|_| step(random) + "\n")
        .collect();
    let end = match random.below(8) {
        0 => "throw new EvalError('on purpose')",
        1 | 2 => "return { started, wrong }",
        _ => {
            "for (const stop of stops) stop.abort(); await Promise.race([Promise.allSettled(all), pause(100)]); return { started, wrong }"
        }
    };
    format!("{BEGINNING}{steps}{end}")
}

/// What must hold for the calls of a sequence.
fn check_calls(outcome: &Outcome, calls_by_timers: usize) -> Result<(), String> {
    let calls = &outcome.usage.calls;
    for call in calls {
        let ends: &[CallEnd] = match &*call.tool {
            "hang" => &[CallEnd::Cancelled],
            "fail" => &[CallEnd::Failed, CallEnd::Cancelled],
            _ => &[CallEnd::Returned, CallEnd::Cancelled],
        };
        if !ends.contains(&call.end) || &*call.server != "test-tools" {
            return Err(format!("a call that can't be: {call:?}"));
        }
        if call.wall_time > outcome.usage.wall_time {
            return Err(format!("a call that outlived the run: {call:?}"));
        }
    }
    match &outcome.ending {
        Ending::Returned(_) => {
            let value: serde_json::Value = outcome.value().map_err(|error| error.to_string())?;
            let wrong = value["wrong"].as_array().map_or(0, Vec::len);
            let timers = calls_by_timers as u64;
            let started = value["started"].as_u64().unwrap_or_default();
            // A timer that is due when the script returns may still fire.
            if wrong > 0 || !(started..=started + timers).contains(&(calls.len() as u64)) {
                return Err(format!(
                    "it saw {value}, and the host {} calls",
                    calls.len()
                ));
            }
            Ok(())
        }
        Ending::Threw(thrown) if thrown.message == "on purpose" => Ok(()),
        Ending::Limit(hit) if [Limit::WallTime, Limit::Calls].contains(&hit.limit) => Ok(()),
        other => Err(format!("it ended otherwise: {other}")),
    }
}

#[tokio::test]
async fn random_sequences_of_calls_end_as_they_must() {
    let first = from_environment("AMPOULE_FUZZ_SEED", 0);
    let count = from_environment("AMPOULE_FUZZ_CASES", 1000);
    let one = |seed| async move {
        let mut random = Random::new(seed);
        let limits = Limits {
            fuel: 1_000_000_000,
            wall_time: Duration::from_millis(700),
            memory_bytes: 32 << 20,
            calls: pick(&mut random, &[&5, &1000, &1000, &1000, &1000]).to_owned(),
            calls_at_once: pick(&mut random, &[&2, &32, &32, &32]).to_owned(),
            ..Limits::default()
        };
        let source = sequence(&mut random);
        let started = Instant::now();
        let outcome = run_limited(&source, limits).await;
        let sound = check(&outcome, started.elapsed(), &limits)
            .and_then(|()| check_calls(&outcome, source.matches("setInterval").count()));
        Tried {
            returned: matches!(outcome.ending, Ending::Returned(_)),
            problem: sound.err().map(|problem| {
                format!("AMPOULE_FUZZ_SEED={seed}: {problem}\nlimits: {limits:?}\n{source}")
            }),
        }
    };
    let returned = try_all((first..first + count).map(one)).await;
    // The others reach a limit, throw, or wait for a call that never ends. Beside other work on the
    // machine, more of them reach the limit of time.
    assert!(returned > count / 4, "{returned} of {count} returned");
}
