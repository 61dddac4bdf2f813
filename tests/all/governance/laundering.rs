//! What a run has read follows what it leaves, by whatever way a later one gets it, on the binary.

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace};

use crate::cli::governance::governed;

const RULES: &str = "workspace = {}
skills = {}
[labels.gives]
'demo.get_customer' = 'customer-data'
[labels.refuses]
'demo.create_ticket' = { labels = 'customer-data', reason = 'customers stay out of tickets' }";

/// A script that reads a customer, as `found`.
const READS: &str = "const found = await tools.demo.getCustomer({ customerId: 'CUS-0001' });";

/// Opens a ticket that says this.
fn opens(text: &str) -> String {
    format!(
        "return await tools.demo.createTicket({{ customerId: 'CUS-0002', subject: 'x', text: {text} }})"
    )
}

struct Launderer(Workplace);

impl Launderer {
    fn new() -> Self {
        let workplace = Workplace::default();
        governed(&workplace, RULES);
        Self(workplace)
    }

    async fn run(&self, arguments: &[&str], source: &str) -> Ran {
        let arguments = [&["run", "-q"], arguments, &["-e", source]].concat();
        self.0.run(&arguments).await
    }

    async fn does(&self, arguments: &[&str], source: &str) {
        let ran = self.run(arguments, source).await;
        assert_eq!(ran.code, Some(0), "{source}: {ran:?}");
    }

    async fn is_refused(&self, arguments: &[&str], source: &str) {
        let ran = self.run(arguments, source).await;
        assert_eq!(ran.code, Some(1), "{source}: {ran:?}");
        let told = "customers stay out of tickets";
        assert!(ran.stderr.contains(told), "{source}: {ran:?}");
    }
}

#[tokio::test]
async fn in_one_run_nothing_gets_through() {
    let launderer = Launderer::new();
    let opened = opens("'nothing of anybody'");
    launderer.does(&[], &opened).await;
    launderer
        .is_refused(&[], &format!("{READS} {}", opens("found.name")))
        .await;
    // Nor what an error of the tool says, nor that there was one.
    let errs = "let text = ''; try { await tools.demo.getCustomer({ customerId: 'CUS-9999' }) } catch (error) { text = error.message }";
    launderer
        .is_refused(&[], &format!("{errs} {}", opens("text")))
        .await;
    // Whatever the tool is called by.
    for name in ["create_ticket", "createTicket"] {
        let calls = format!(
            "{READS} return await tools.demo['{name}']({{ customerId: 'CUS-0002', subject: 'x', text: found.name }})"
        );
        let ran = launderer.run(&[], &calls).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }
    // A run that has read nothing since another did is as free as before.
    launderer.does(&[], &opened).await;
}

#[tokio::test]
async fn sessions_carry_what_they_know() {
    let launderer = Launderer::new();
    let session = ["--session", "s"];
    launderer.does(&session, "let before = 'clean'").await;
    launderer.does(&session, &opens("before")).await;
    launderer.does(&session, READS).await;
    launderer.is_refused(&session, &opens("found.name")).await;
    // Also where nothing of it is named.
    launderer.is_refused(&session, &opens("before")).await;
    let forked = ["sessions", "fork", "s", "copy"];
    let forked = launderer.0.run(&forked).await;
    assert_eq!(forked.code, Some(0), "{forked:?}");
    launderer
        .is_refused(&["--session", "copy"], &opens("found.name"))
        .await;
    // One that went back keeps what the runs that were undone had read: how far it went back tells.
    let rewound = launderer.0.run(&["sessions", "rewind", "copy", "1"]).await;
    assert_eq!(rewound.code, Some(0), "{rewound:?}");
    launderer
        .is_refused(&["--session", "copy"], &opens("before"))
        .await;
    launderer
        .does(&["--session", "other"], &opens("'nothing'"))
        .await;
}

#[tokio::test]
async fn files_carry_what_was_written() {
    let launderer = Launderer::new();
    let python = ["--language", "python"];
    let opens = |text: &str| {
        format!("await demo.create_ticket(customer_id='CUS-0002', subject='x', text={text})")
    };
    let reads = "found = await demo.get_customer(customer_id='CUS-0001')\n";
    let writes = format!("{reads}open('notes.txt', 'w').write(str(found))");
    launderer.does(&python, &writes).await;
    launderer
        .is_refused(&python, &opens("open('notes.txt').read()"))
        .await;
    // A name or a size says something, too.
    let lists = format!(
        "import os\nlisted = str([(one, os.stat(one).st_size) for one in os.listdir('.')])\n{}",
        opens("listed")
    );
    launderer.is_refused(&python, &lists).await;
    // Who copies it to another file copies what it is, too.
    let copies = "import shutil\nshutil.copy('notes.txt', 'other.txt')";
    launderer.does(&python, copies).await;
    launderer
        .is_refused(&python, &opens("open('other.txt').read()"))
        .await;
    launderer.does(&python, &opens("'nothing'")).await;
}

#[tokio::test]
async fn skills_carry_what_was_put_into_them() {
    let launderer = Launderer::new();
    let saves = format!(
        "{READS} await skills.save('who', {{ description: 'x', code: `export const who = () => ${{JSON.stringify(found.name)}}` }})"
    );
    launderer.does(&[], &saves).await;
    let imports = format!("import {{ who }} from './skills/who'; {}", opens("who()"));
    launderer.is_refused(&[], &imports).await;
    // Its instructions have the label of their source.
    let shows = format!(
        "const shown = JSON.stringify(await skills.list({{}})); {}",
        opens("shown")
    );
    launderer.is_refused(&[], &shows).await;
    launderer.does(&[], &opens("'nothing'")).await;
}

#[tokio::test]
async fn a_known_server_under_another_name_is_known() {
    let workplace = Workplace::default();
    let server = binary().with_file_name("mail-server");
    let config = format!(
        "[labels]\npreset = 'untrusted-content'\n[servers.post]\ncommand = '{}'\nargs = ['sent.jsonl']\n",
        server.display()
    );
    workplace.file("ampoule.toml", config);
    let send = "return await tools.post.send({ to: 'a', subject: 's', body: 'b' })";
    let sent = workplace.run(&["run", "-q", "-e", send]).await;
    assert_eq!(sent.code, Some(0), "{sent:?}");
    // Each process knows it, the first and those that begin with what was kept.
    for _ in 0..2 {
        let read = format!("await tools.post.readMessage({{}}); {send}");
        let ran = workplace.run(&["run", "-q", "-e", &read]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("untrusted"), "{ran:?}");
    }
}
