//! Has a server report the resources that somebody wants to hear of: on each connection anew, for
//! as long as somebody does.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{CallError, Subscription};
use futures::{FutureExt, StreamExt};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{Standing, Watch};
use crate::backoff::Backoff;
use crate::connection::Connection;
use crate::handshake::Era;
use crate::upstream::Inner;

/// How long a server may take to say whether it reports a resource.
const SAYS: Duration = Duration::from_secs(30);

/// How many resources a server is asked about at once.
const AT_ONCE: usize = 8;

/// How long an address may be, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 << 10;

impl Inner {
    /// Has changes to a resource told.
    pub(crate) async fn subscribe(
        self: &Arc<Self>,
        address: &str,
    ) -> Result<Subscription, CallError> {
        let refused = |why: &str| CallError::Refused(format!("MCP server `{}` {why}", self.name));
        if address.len() > MAX_ADDRESS_BYTES {
            return Err(refused("can't be asked about so long an address"));
        }
        let Some((holder, updates, mut standing)) = self.watch.hold(address) else {
            return Err(refused(
                "reports changes to as many resources as it may: end some subscriptions first",
            ));
        };
        self.keep_told();
        let said = standing.wait_for(|standing| *standing != Standing::Asked);
        let said = match timeout(SAYS, said).await {
            Ok(Ok(said)) => said.clone(),
            Ok(Err(_)) => Standing::Refused(format!("MCP server `{}` was stopped", self.name)),
            Err(_) => {
                let why = format!("did not say within {} s whether it does", SAYS.as_secs());
                return Err(CallError::TimedOut(refused(&why).to_string()));
            }
        };
        match said {
            Standing::Refused(why) => Err(CallError::Refused(why)),
            Standing::Asked | Standing::Told => Ok(Subscription::new(updates, holder)),
        }
    }

    /// Sees to it that there is one task that does.
    fn keep_told(self: &Arc<Self>) {
        if std::mem::replace(&mut *self.watch.is_kept.lock(), true) {
            return;
        }
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            inner.stop.run_until_cancelled(inner.keep()).await;
        });
    }

    async fn keep(&self) {
        let (watch, mut wanted) = (&self.watch, self.watch.wanted());
        let mut backoff = Backoff::default();
        while !watch.is_done() {
            wanted.borrow_and_update();
            match self.supervisor.connection().await {
                Ok(connection) => {
                    backoff.reset();
                    self.keep_on(&connection, &mut wanted).await;
                }
                Err(error) => {
                    // Who was told before hears of changes again once it is there again.
                    watch.none_is_asked(&error.message);
                    let pause = backoff.fail().max(Duration::from_secs(1));
                    tokio::select! {
                        () = sleep(pause) => {}
                        _ = wanted.changed() => {}
                    }
                }
            }
        }
    }

    /// Has the server tell on this connection, until that ends or nobody wants it. Whoever holds the
    /// connection uses it.
    async fn keep_on(&self, connection: &Connection, wanted: &mut watch::Receiver<u64>) {
        if !connection.tells.updates {
            let why = connection.sentence("does not report changes to its resources");
            self.watch.none_is_asked(&why);
        }
        let mut told = HashSet::new();
        loop {
            if connection.era == Era::Sessions && connection.tells.updates {
                told = self.watch.told_on(connection, told).await;
            }
            if self.watch.addresses().is_empty() {
                return;
            }
            tokio::select! {
                changed = wanted.changed() => if changed.is_err() { return },
                () = connection.ended() => return,
            }
        }
    }
}

impl Watch {
    /// Whether nobody wants to hear of anything. Then there is no task for it either.
    fn is_done(&self) -> bool {
        let mut is_kept = self.is_kept.lock();
        let is_done = self.addresses().is_empty();
        *is_kept = !is_done;
        is_done
    }

    /// Whoever waits is refused.
    fn none_is_asked(&self, why: &str) {
        for resource in self.resources.lock().values() {
            resource.standing.send_if_modified(|standing| {
                let is_asked = *standing == Standing::Asked;
                if is_asked {
                    *standing = Standing::Refused(why.to_owned());
                }
                is_asked
            });
        }
    }

    /// Asks a server of the older protocol about what is wanted and not told yet; what is no longer
    /// wanted is told no more.
    async fn told_on(
        &self,
        connection: &Connection,
        mut told: HashSet<Arc<str>>,
    ) -> HashSet<Arc<str>> {
        let wanted = self.addresses();
        let is_wanted: HashSet<_> = wanted.iter().collect();
        let over: Vec<_> = told
            .extract_if(|address| !is_wanted.contains(address))
            .collect();
        let ends: Vec<_> = over
            .iter()
            .map(|address| {
                connection
                    .subscribes("resources/unsubscribe", address)
                    .boxed()
            })
            .collect();
        let (known, new): (Vec<_>, Vec<_>) = wanted
            .into_iter()
            .partition(|address| told.contains(address));
        for address in known {
            self.is_told(&address);
        }
        let begins: Vec<_> = new
            .into_iter()
            .map(|address| self.begins(connection, address).boxed())
            .collect();
        let begins = futures::stream::iter(begins).buffer_unordered(AT_ONCE);
        // One that is not ended may be told of: nobody hears it.
        let ends = futures::stream::iter(ends).buffer_unordered(AT_ONCE);
        let (begun, _) = futures::join!(begins.collect::<Vec<_>>(), ends.collect::<Vec<_>>());
        told.extend(begun.into_iter().flatten());
        told
    }

    /// Has the server begin to report a resource: gives it back where the server does.
    async fn begins(&self, connection: &Connection, address: Arc<str>) -> Option<Arc<str>> {
        let asked = connection.subscribes("resources/subscribe", &address);
        match timeout(SAYS, asked).await {
            Ok(Ok(())) => {
                self.is_told_again(&address);
                return Some(address);
            }
            Ok(Err(why)) => self.is_refused(&address, &why),
            Err(_) => self.is_refused(&address, &connection.sentence("did not answer")),
        }
        None
    }

    /// The server reports this resource; where it did so before, on another connection, the
    /// resource may have changed meanwhile.
    pub(crate) fn is_told_again(&self, address: &str) {
        if let Some(resource) = self.resources.lock().get(address)
            && resource.standing.send_replace(Standing::Told) == Standing::Told
        {
            resource.updates.send_modify(|updates| *updates += 1);
        }
    }
}
