//! An HTTP API as a server of typed tools: its OpenAPI document, and where it is.

use std::fs;

use ampoule::apis::{ApiServer, HttpApi, Source};
use ampoule::{Grant, Runtime, Script};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const PETS: &str = r#"
openapi: 3.1.0
info: { title: Pets of a shop, version: "1" }
security: [{ token: [] }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
      responses:
        "200":
          description: A pet
          content:
            application/json:
              schema: { type: object, properties: { name: { type: string } } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
"#;

/// The shop's API, for one request.
async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    let mut request = vec![0; 4096];
    let length = stream.read(&mut request).await?;
    let request = String::from_utf8_lossy(&request[..length]).to_lowercase();
    assert!(request.starts_with("get /pets/7 "));
    assert!(request.contains("authorization: bearer secret-of-the-shop\r\n"));
    let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{\"name\":\"Ada\"}";
    stream.write_all(answer.as_bytes()).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let shop = format!("http://{}", listener.local_addr()?);
    tokio::spawn(serve(listener));

    let folder = tempfile::tempdir()?;
    let document = folder.path().join("pets.yaml");
    fs::write(&document, PETS)?;
    let mut server = ApiServer::new(Source::File(document));
    server.base_url = Some(shop);
    // It stays in the host: scripts don't see it, and it is sent to the shop alone.
    let token = ("token".to_owned(), "secret-of-the-shop".to_owned());
    server.credentials.extend([token]);
    let pets = HttpApi::new("pets", server)?;

    let runtime = Runtime::builder().binding(pets).build()?;
    let script = Script::typescript("return (await tools.pets.getPet({ id: 7 })).name");
    let outcome = runtime.isolate(script).grant(Grant::all()).run().await?;
    assert_eq!(outcome.value::<String>()?, "Ada");
    Ok(())
}
