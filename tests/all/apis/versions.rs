//! Documents in Swagger 2, and what is new in OpenAPI 3.2: what goes over the wire.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use crate::outbound::Server;

const SWAGGER_2: &str = r##"swagger: "2.0"
info: { title: Pets of a shop, version: "1" }
host: pets.example.com
basePath: /v1
schemes: [https]
consumes: [application/json]
produces: [application/json]
security: [{ key: [] }]
securityDefinitions:
  basic: { type: basic }
  key: { type: apiKey, in: header, name: X-Key }
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - { name: tags, in: query, type: array, items: { type: string }, collectionFormat: multi }
        - { name: ids, in: query, type: array, items: { type: integer }, collectionFormat: pipes }
        - { name: names, in: query, type: array, items: { type: string } }
      responses: { "200": { description: Pets, schema: { type: array, items: { $ref: "#/definitions/Pet" } } } }
    post:
      operationId: createPet
      parameters: [{ $ref: "#/parameters/Pet" }]
      responses: { "201": { description: The pet, schema: { $ref: "#/definitions/Pet" } } }
  /pets/{id}/photo:
    post:
      operationId: addPhoto
      security: [{ basic: [] }]
      consumes: [multipart/form-data]
      parameters:
        - { name: id, in: path, required: true, type: integer }
        - { name: title, in: formData, type: string }
        - { name: file, in: formData, type: file, required: true }
      responses: { "204": { description: It is there } }
parameters:
  Pet: { name: pet, in: body, required: true, schema: { $ref: "#/definitions/Pet" } }
definitions:
  Pet: { type: object, required: [name], properties: { name: { type: string }, parent: { $ref: "#/definitions/Pet" } } }
"##;

const OPENAPI_3_2: &str = r#"openapi: 3.2.0
info: { title: Pets of a shop, version: "1" }
paths:
  /pets:
    query:
      operationId: findPets
      requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } }
      responses: { "200": { description: Pets, content: { application/json: { schema: { type: array, items: {} } } } } }
    get:
      operationId: listPets
      parameters:
        - name: criteria
          in: querystring
          content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { name: { type: string }, tag: { type: string } } } } }
        - { name: theme, in: cookie, style: cookie, schema: { type: string } }
      responses: { "200": { description: Pets, content: { application/json: { schema: { type: array, items: {} } } } } }
    additionalOperations:
      COPY: { operationId: copyPets, responses: { "204": { description: There are twice as many } } }
"#;

/// A server with this document, where a script has this result; and what the server got.
async fn plays(document: &str, credentials: &str, script: &str) -> (Value, Vec<String>) {
    let server = Server::answering(|request| {
        let nothing = ["POST /v1/pets/7/photo ", "COPY "];
        match nothing.iter().any(|line| request.starts_with(line)) {
            true => "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_owned(),
            false => super::json("200 OK", &json!([{ "name": "Ada" }])),
        }
    })
    .await;
    let workplace = Workplace::default();
    workplace.file("api.yaml", document);
    let origin = &server.origin;
    let entry = format!(
        "[servers.pets]\nopenapi = \"api.yaml\"\nbase-url = \"{origin}/v1\"\n{credentials}\n"
    );
    workplace.file("ampoule.toml", entry);
    let ran = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let got = server.got.lock().unwrap().clone();
    (ran.json(), got)
}

#[tokio::test]
async fn operations_of_swagger_2_are_sent_as_it_says() {
    let credentials = "credentials = { key = \"hunter2-key\", basic = \"ada:hunter2-password\" }";
    let script = "return [
        await pets.listPets({ tags: ['a', 'b'], ids: [1, 2], names: ['x', 'y z'] }),
        await pets.createPet({ body: { name: 'Ada', parent: { name: 'Eve' } } }),
        await pets.addPhoto({ id: 7, body: { title: 'Ada', file: { text: 'hi', filename: 'ada.txt' } } }),
    ]";
    let (value, got) = plays(SWAGGER_2, credentials, script).await;
    let pets = json!([{ "name": "Ada" }]);
    assert_eq!(value, json!([pets, pets, null]));
    let [listed, created, added] = <[String; 3]>::try_from(got).expect("three requests");
    let line = "GET /v1/pets?tags=a&tags=b&ids=1%7C2&names=x,y%20z HTTP/1.1\r\n";
    assert!(listed.starts_with(line), "{listed}");
    assert!(listed.contains("\r\nx-key: hunter2-key\r\n"), "{listed}");
    assert!(created.contains("\r\ncontent-type: application/json\r\n"));
    assert!(
        created.ends_with("\r\n\r\n{\"name\":\"Ada\",\"parent\":{\"name\":\"Eve\"}}"),
        "{created}"
    );
    for part in [
        "\r\nauthorization: Basic YWRhOmh1bnRlcjItcGFzc3dvcmQ=\r\n",
        "\r\ncontent-type: multipart/form-data; boundary=",
        "name=\"title\"\r\n\r\nAda\r\n",
        "name=\"file\"; filename=\"ada.txt\"\r\n",
        "\r\n\r\nhi\r\n",
    ] {
        assert!(added.contains(part), "{part}: {added}");
    }
}

#[tokio::test]
async fn what_is_new_in_3_2_is_sent_as_it_says() {
    let script = "return [
        await pets.findPets({ body: { name: 'Ada' } }),
        await pets.listPets({ criteria: { name: 'a b', tag: 'x' }, theme: 'dark' }),
        await pets.copyPets({}),
    ]";
    let (value, got) = plays(OPENAPI_3_2, "", script).await;
    let pets = json!([{ "name": "Ada" }]);
    assert_eq!(value, json!([pets, pets, null]));
    let [found, listed, copied] = <[String; 3]>::try_from(got).expect("three requests");
    assert!(found.starts_with("QUERY /v1/pets HTTP/1.1\r\n"), "{found}");
    assert!(found.ends_with("\r\n\r\n{\"name\":\"Ada\"}"), "{found}");
    let line = "GET /v1/pets?name=a%20b&tag=x HTTP/1.1\r\n";
    assert!(listed.starts_with(line), "{listed}");
    assert!(listed.contains("\r\ncookie: theme=dark\r\n"), "{listed}");
    assert!(copied.starts_with("COPY /v1/pets HTTP/1.1\r\n"), "{copied}");
}
