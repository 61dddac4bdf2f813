//! Logs that are passed on, to real sockets and files.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::*;
use crate::{Event, Format, Log, RequestDenied, Settings};

fn settings() -> ForwardSettings {
    ForwardSettings {
        every: Duration::from_millis(5),
        longest_pause: Duration::from_millis(5),
        ..ForwardSettings::default()
    }
}

fn log(path: &Path) -> Log {
    let settings = Settings {
        rotate_bytes: 1 << 12,
        ..Settings::default()
    };
    Log::open(path, settings).unwrap()
}

fn denied(log: &Log, number: u64) {
    let event = Event::RequestDenied(RequestDenied {
        request: "é\u{202e}".into(),
        reason: number.to_string().into(),
        ..RequestDenied::default()
    });
    log.write(&event).unwrap();
}

fn reasons<'l>(lines: impl IntoIterator<Item = &'l str>) -> Vec<u64> {
    let json = lines
        .into_iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    json.filter_map(|it| it["reason"].as_str()?.parse().ok())
        .collect()
}

/// Waits until so many were passed on.
fn wait_for(forward: &Forward, sent: u64) {
    let began = Instant::now();
    while forward.forwarded().sent < sent {
        assert!(began.elapsed().as_secs() < 30, "{:?}", forward.forwarded());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_file_gets_every_event_once_though_processes_come_and_go() {
    let parent = tempfile::tempdir().unwrap();
    let (path, out) = (parent.path().join("audit"), parent.path().join("out.jsonl"));
    for round in 0..3 {
        let (one, other) = (log(&path), log(&path));
        let sink = IntoFile::new(&out, Format::JsonLines);
        let forward = Forward::start(&path, "file", sink, settings()).unwrap();
        let sink = IntoFile::new(&out, Format::JsonLines);
        let second = Forward::start(&path, "file", sink, settings()).unwrap();
        for number in 0..50 {
            denied(&one, round * 100 + number);
            denied(&other, round * 100 + 50 + number);
        }
        one.close().unwrap();
        other.close().unwrap();
        drop(forward);
        drop(second);
    }
    let text = std::fs::read_to_string(&out).unwrap();
    let mut found = reasons(text.lines());
    assert_eq!(found.len(), 300);
    found.sort_unstable();
    assert_eq!(found, (0..300).collect::<Vec<_>>());
    let report = crate::verify(&path, &crate::Against::default()).unwrap();
    assert_eq!(report.findings, []);
    assert_eq!(text.lines().count() as u64, report.events);
}

/// A client of HTTP/1.1 that is just enough for a collector on this host.
struct Plain;

impl Post for Plain {
    fn post(&self, url: &str, headers: &[(String, String)], json: Vec<u8>) -> io::Result<u16> {
        let (host, path) = url
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let mut stream = TcpStream::connect(host)?;
        write!(
            stream,
            "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\n",
            json.len()
        )?;
        headers
            .iter()
            .try_for_each(|(name, value)| write!(stream, "{name}: {value}\r\n"))?;
        stream.write_all(b"content-type: application/json\r\n\r\n")?;
        stream.write_all(&json)?;
        let mut status = String::new();
        BufReader::new(stream).read_line(&mut status)?;
        let status = status.split(' ').nth(1).and_then(|it| it.parse().ok());
        status.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

#[test]
fn a_collector_that_is_away_misses_nothing_and_refusals_are_counted() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("audit");
    let log = log(&path);
    (0..10).for_each(|number| denied(&log, number));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (told, heard) = channel();
    let server = std::thread::spawn(move || {
        // Not yet, not yet, yes; and what comes then it does not want.
        for status in [503, 429, 200, 400] {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).unwrap() > 2 {
                let line = head.lines().last().unwrap();
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            write!(
                reader.get_mut(),
                "HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n"
            )
            .unwrap();
            told.send((status, head, body)).unwrap();
        }
    });
    let headers = vec![("x-key".to_owned(), "7".to_owned())];
    let forward = Forward::start(
        &path,
        "otlp",
        Collector::new(&url, headers, Plain),
        settings(),
    )
    .unwrap();
    wait_for(&forward, 12);
    denied(&log, 11);
    let began = Instant::now();
    while forward.forwarded().dropped == 0 {
        assert!(began.elapsed().as_secs() < 30);
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(forward);
    server.join().unwrap();
    let requests: Vec<_> = heard.iter().collect();
    assert!(
        requests[0].1.starts_with("POST /v1/logs HTTP/1.1\r\n")
            && requests[0].1.contains("x-key: 7")
    );
    let records = |body: &[u8]| {
        let request: Value = serde_json::from_slice(body).unwrap();
        request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
            .as_array()
            .unwrap()
            .len()
    };
    let counts: Vec<_> = requests
        .iter()
        .map(|(status, _, body)| (*status, records(body)))
        .collect();
    assert_eq!(counts, [(503, 12), (429, 12), (200, 12), (400, 1)]);
    log.close().unwrap();
}

/// Refuses for ever whatever one event is in.
struct Picky(std::sync::mpsc::Sender<String>);

impl Sink for Picky {
    fn take(&mut self, entries: &[Entry]) -> Result<(), SinkError> {
        if entries.iter().any(|it| it.json()["reason"] == "13") {
            return Err(SinkError::Never("13".to_owned()));
        }
        let sent = entries
            .iter()
            .try_for_each(|it| self.0.send(it.line.clone()));
        sent.map_err(|error| SinkError::Never(error.to_string()))
    }
}

#[test]
fn an_event_that_is_refused_takes_no_others_with_it() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("audit");
    let log = log(&path);
    (0..100).for_each(|number| denied(&log, number));
    log.close().unwrap();
    let (sender, receiver) = channel();
    let forward = Forward::start(&path, "picky", Picky(sender), settings()).unwrap();
    let began = Instant::now();
    while forward.forwarded().dropped == 0 || forward.forwarded().sent < 99 {
        assert!(began.elapsed().as_secs() < 30, "{:?}", forward.forwarded());
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(forward);
    let lines: Vec<String> = receiver.iter().collect();
    let expected: Vec<u64> = (0..100).filter(|number| *number != 13).collect();
    assert_eq!(reasons(lines.iter().map(String::as_str)), expected);
}
