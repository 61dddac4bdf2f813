mod drivers;
mod protocol;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [first, rest @ ..] if first == "driver" => drivers::drive(rest),
        [first, data, gate] if first == "server" => drivers::server::serve(data.as_ref(), gate.as_ref()),
        _ => Ok(()),
    }
}
