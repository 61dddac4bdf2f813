//! Files that are not what was written.

use std::fs;
use std::path::{Path, PathBuf};

use ampoule::Language;

use super::{Parked, Shop, script, until_parked};

#[tokio::test]
async fn a_damaged_file_says_so_and_the_others_go_on() {
    let (parked, shop) = (Parked::new(), Shop::closed());
    let runtime = parked.runtime(&shop);
    let mut runs = Vec::new();
    for _ in 0..8 {
        let source = "const { n } = await tools.shop.look({ n: 3 }); return n";
        let isolate = script(&runtime, Language::TypeScript, source);
        runs.push(isolate.start().await.unwrap());
    }
    until_parked(&runtime, 8).await;
    runtime.suspend();
    drop((runs, runtime));
    tokio::task::yield_now().await;

    let files = files(&parked.folder.path().join("parked/local"));
    assert_eq!(files.len(), 8);
    let edited = |file: &Path, edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(file).unwrap();
        edit(&mut bytes);
        fs::write(file, bytes).unwrap();
    };
    edited(&files[0], &|bytes| bytes.truncate(10));
    edited(&files[1], &|bytes| bytes[100] ^= 1);
    // In its memory: that is found when it is put back.
    edited(&files[2], &|bytes| *bytes.last_mut().unwrap() ^= 1);
    fs::copy(&files[7], &files[3]).unwrap();
    edited(&files[4], &Vec::clear);
    edited(&files[5], &|bytes| bytes[21..25].fill(0xff));

    shop.open();
    let runtime = parked.runtime(&shop);
    let listed = runtime.parked(None).unwrap();
    assert_eq!(listed.iter().filter(|run| run.is_err()).count(), 5);
    let mut ends = Vec::new();
    for (name, run) in runtime.resume_parked().await.unwrap() {
        let end = match run {
            Ok(run) => run.outcome().await.unwrap().ending.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(end == "3" || end.contains(&name), "{end}");
        ends.push(end);
    }
    let count = |part: &str| ends.iter().filter(|end| end.contains(part)).count();
    assert_eq!(ends.len(), 8, "{ends:?}");
    assert_eq!(ends.iter().filter(|end| *end == "3").count(), 2, "{ends:?}");
    assert_eq!(count("is damaged"), 6, "{ends:?}");
    // What is damaged can be removed.
    for run in files
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap())
    {
        runtime
            .remove_parked(run.split('.').next().unwrap(), None)
            .unwrap();
    }
    assert!(runtime.parked(None).unwrap().is_empty());
}

/// The files of runs, in an order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "run"))
        .collect();
    files.sort();
    files
}
