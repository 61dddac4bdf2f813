//! A server that a signal stops.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn runs_get_a_while_then_they_end_with_what_they_printed() {
    let mut served = served(Options {
        stop_grace: Duration::from_millis(1500),
        ..Options::default()
    })
    .await;
    let script = "console.log('before'); await tools.test.hang({})";
    let mut streams = Vec::new();
    let asked: Vec<_> = Era::both(&served)
        .await
        .iter()
        .map(|era| era.written(execute(script)))
        .collect();
    for (number, asked) in asked.iter().enumerate() {
        let mut stream = served.connect().await;
        stream.write_all(asked.as_bytes()).await.unwrap();
        served.hang(number + 1).await;
        streams.push(stream);
    }
    assert!(listens(served.address).await);
    drop(served.stop.take());
    let ready = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    timeout(PATIENCE, async {
        while served.answers(ready).await.status() != Some(503) {}
    })
    .await
    .unwrap();
    let refused = served.post(&[], &initialize()).await;
    assert_eq!(refused.status(), Some(503));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.message()["error"]["code"], -32000);
    for stream in streams {
        let result = Answer::read(stream).await.message()["result"].clone();
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("before\n") && text.contains("cancel"),
            "{text}"
        );
    }
    timeout(PATIENCE, &mut served.ended).await.unwrap().unwrap();
    assert!(!listens(served.address).await);
}

/// Whether this process still listens there. The port may be another test's by now.
#[cfg(target_os = "linux")]
async fn listens(address: std::net::SocketAddr) -> bool {
    const LISTEN: &str = "0A";
    let port = format!(":{:04X}", address.port());
    let sockets = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let sockets = sockets.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_there = fields[1].ends_with(&port) && fields[3] == LISTEN;
        is_there.then(|| std::path::PathBuf::from(format!("socket:[{}]", fields[9])))
    });
    let sockets: Vec<_> = sockets.collect();
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let mut open = open.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    open.any(|file| sockets.contains(&file))
}

#[cfg(not(target_os = "linux"))]
async fn listens(address: std::net::SocketAddr) -> bool {
    TcpStream::connect(address).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_nothing_stops_at_once_also_while_clients_are_connected() {
    let mut served = served(Options {
        stop_grace: PATIENCE * 2,
        ..Options::default()
    })
    .await;
    let _idle = served.connect().await;
    drop(served.stop.take());
    timeout(PATIENCE, &mut served.ended).await.unwrap().unwrap();
}
