//! Runs that are tried first, and approved as a whole.

use std::time::Instant;

use ampoule::{CallContext, Check, DivergenceError, Trace, World as RunWorld};

use super::*;

const SENDS: &str = "
    const { email } = await tools.crm.get();
    const ids = [];
    for (const to of ['bob', 'eve']) ids.push((await tools.mail.send({ to, text: email })).id);
    console.log('sent');
    return ids";

#[tokio::test]
async fn the_plan_is_approved_at_once_and_then_done() {
    let world = World::new();
    let governance = Governance::builder()
        .asking(world.asking())
        .build()
        .unwrap();
    let runtime = world.runtime(&governance);
    let run = typescript(&runtime, SENDS).preview().run();
    let seen = async {
        let asked = world.question().await.question;
        assert_eq!(asked.calls.len(), 2, "{asked:?}");
        assert_eq!(world.sent(), []);
        world.answer(Answer::AllowOnce).await;
    };
    let (outcome, ()) = tokio::join!(run, seen);
    let outcome = outcome.unwrap();
    assert_eq!(value(&outcome), json!(["m-1", "m-1"]));
    assert_eq!(outcome.output.to_string(), "sent\n");
    let mail = |to| ("send".to_owned(), json!({ "to": to, "text": ADA }));
    assert_eq!(world.sent(), [mail("bob"), mail("eve")]);
}

#[tokio::test]
async fn nothing_is_done_that_was_not_planned_or_not_approved() {
    let world = World::new();
    let governance = Governance::builder()
        .asking(world.asking())
        .build()
        .unwrap();
    let runtime = world.runtime(&governance);
    let deny = Answer::Deny {
        reason: "no mails".into(),
    };
    let run = typescript(&runtime, SENDS).preview().run();
    let (denied, ()) = tokio::join!(run, world.answer(deny));
    let told = denied.unwrap_err();
    assert!(
        told.is_request() && told.to_string().contains("no mails"),
        "{told}"
    );
    assert_eq!(world.sent(), []);

    // What it does once it is let is something else than what it showed.
    let swaps = "return await tools.mail.send({ to: 'eve', text: String(Math.random()) }).then(() => 'sent', error => String(error))";
    let run = typescript(&runtime, swaps).preview().run();
    let (outcome, ()) = tokio::join!(run, world.answer(Answer::AllowOnce));
    let told = value(&outcome.unwrap()).to_string();
    assert!(told.contains("with other arguments"), "{told}");
    assert_eq!(world.sent(), []);
}

/// What is checked once takes the fuel of a check once.
#[tokio::test]
async fn what_was_checked_when_it_was_tried_is_not_checked_again() {
    let world = World::new();
    let governance = Governance::builder().asking(world.asking());
    let runtime = world.runtime(&governance.build().unwrap());
    let calls = "await tools.mail.read({ text: 'x' });\n".repeat(50);
    let fuel = async |check, is_previewed: bool| {
        let isolate = runtime.isolate(Script::typescript(&*calls).check(check));
        let isolate = isolate.grant(Grant::all());
        let isolate = match is_previewed {
            true => isolate.preview(),
            false => isolate,
        };
        isolate.run().await.unwrap().usage.fuel
    };
    let (checked, unchecked) = (
        fuel(Check::First, false).await,
        fuel(Check::Off, false).await,
    );
    let previewed = fuel(Check::First, true).await;
    assert!(
        previewed < unchecked.midpoint(checked),
        "{previewed}: {unchecked} without a check, {checked} with one"
    );
}

#[tokio::test]
async fn what_is_tried_leaves_nothing() {
    let world = World::new();
    let governance = Governance::builder()
        .asking(world.asking())
        .build()
        .unwrap();
    let runtime = world.runtime(&governance);
    // The tool gives no example of what it answers.
    let source = "const kept = 1; await tools.skills.save({ name: 'x', description: 'd', code: 'export const x = 1' }); await tools.crm.purge(); kept";
    let run = typescript(&runtime, source).session("s").preview();
    let outcome = run.run().await.unwrap();
    assert!(outcome.value::<Value>().is_err());
    assert_eq!(world.sent(), []);
    assert_eq!(outcome.call_log, None);
    assert!(runtime.skills(None).unwrap().names().unwrap().is_empty());
    let next = typescript(&runtime, "typeof kept")
        .session("s")
        .run()
        .await
        .unwrap();
    assert_eq!(value(&next), "undefined");

    // Where nobody can be asked, nothing is tried.
    let free = Governance::builder().build().unwrap();
    let refused = typescript(&world.runtime(&free), SENDS)
        .preview()
        .run()
        .await;
    assert!(refused.unwrap_err().is_request());
    assert_eq!(world.sent(), []);
}

/// A world that is the same each time.
struct Still;

impl RunWorld for Still {
    fn now(&self) -> Result<u64, DivergenceError> {
        Ok(1_893_456_000_000_000_000)
    }

    fn elapsed(&self, _: Instant) -> Result<u64, DivergenceError> {
        Ok(0)
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        bytes.fill(7);
        Ok(())
    }
}

/// What is tried has all that the run has: in another world, it would make other calls.
#[tokio::test]
async fn what_is_tried_has_the_world_of_the_run() {
    let world = World::new();
    let governance = Governance::builder().asking(world.asking());
    let runtime = world.runtime(&governance.build().unwrap());
    let source = "
        const text = `${Date.now()} ${Math.random()} ${crypto.randomUUID()}`;
        await tools.mail.send({ to: 'bob', text });
        return text";
    let sent = async |run: Isolate| {
        let before = world.sent().len();
        let (outcome, ()) = tokio::join!(run.preview().run(), world.answer(Answer::AllowOnce));
        (outcome.unwrap(), world.sent().len() - before)
    };
    let (outcome, calls) = sent(typescript(&runtime, source).world(Still)).await;
    let text = value(&outcome);
    assert!(
        text.as_str().unwrap().starts_with("1893456000000 "),
        "{text}"
    );
    assert_eq!(calls, 1);
    assert_eq!(world.sent()[0].1["text"], text);
    // Where each look at the world gives something else, the call is another than the one approved.
    let (outcome, calls) = sent(typescript(&runtime, source)).await;
    assert_eq!(calls, 0, "{}", outcome.ending);
}

/// What is tried makes its calls within the run's trace: what servers answer may depend on it.
#[tokio::test]
async fn what_is_tried_is_in_the_trace_of_the_run() {
    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let world = World::new();
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let noted = Arc::clone(&seen);
    let look = move |_, context: CallContext| {
        let trace = context.trace();
        let told = json!([trace.map(Trace::parent), trace.and_then(Trace::state)]);
        noted.lock().unwrap().push(told.clone());
        answered(told)
    };
    let reads = json!({ "readOnlyHint": true });
    let places = Functions::new("places").raw(tool("look", reads), look);
    let governance = Governance::builder().asking(world.asking());
    let builder = world.builder(&governance.build().unwrap());
    let runtime = builder.binding(places).build().unwrap();
    let source = "
        const text = JSON.stringify(await tools.places.look({}));
        await tools.mail.send({ to: 'bob', text });
        return text";
    let trace = Trace::new(PARENT, Some("rojo=1")).unwrap();
    let run = typescript(&runtime, source).trace(trace).preview().run();
    let (outcome, ()) = tokio::join!(run, world.answer(Answer::AllowOnce));
    // Once when it was tried, and once when it ran: the call is the one that was approved.
    let told = json!([PARENT, "rojo=1"]);
    assert_eq!(*seen.lock().unwrap(), [told.clone(), told.clone()]);
    assert_eq!(value(&outcome.unwrap()), told.to_string());
    assert_eq!(world.sent()[0].1["text"], told.to_string());
}
