//! Sends one body to an address many times at once with nothing but reqwest, and prints the seconds that it took: what the
//! measurement of prompts is compared with. `bare_loop URL COUNT FILE`

use std::time::Instant;

use tokio::task::JoinSet;

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, count, file] = arguments.as_slice() else {
        return Err("usage: bare_loop URL COUNT FILE".into());
    };
    let (count, body): (usize, String) = (count.parse()?, std::fs::read_to_string(file)?);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().build()?;
    let start = Instant::now();
    let mut requests = JoinSet::new();
    for _ in 0..count {
        let request = client.post(url).header("content-type", "application/json");
        let request = request
            .header("authorization", "Bearer x")
            .body(body.clone());
        requests.spawn(async move {
            let answer = request.send().await?.error_for_status()?;
            Ok::<_, reqwest::Error>(answer.bytes().await?.len())
        });
    }
    let mut read = 0;
    while let Some(request) = requests.join_next().await {
        read += request??;
    }
    println!("{} {read}", start.elapsed().as_secs_f64());
    Ok(())
}
