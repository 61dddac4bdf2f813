// Opens an address as a browser does, with redirects and cookies, and says where it ends.
//
//     node browser.mjs ADDRESS [STAY]
//
// With STAY, what comes back to this machine's own command is not opened: its address is printed.

const [address, stay] = process.argv.slice(2);
const cookies = new Map();
let url = new URL(address);
for (let steps = 0; steps < 20; steps += 1) {
  if (stay && url.pathname === "/callback") break;
  const sent = [...cookies.values()].filter((cookie) => url.pathname.startsWith(cookie.path));
  const cookie = sent.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
  for (const set of answer.headers.getSetCookie()) {
    const [, name, value] = set.match(/^([^=]+)=([^;]*)/);
    const path = set.match(/; path=([^;]*)/i)?.[1] ?? "/";
    // An empty one takes the place of one that is over.
    if (value) cookies.set(name + path, { name, value, path });
    else cookies.delete(name + path);
  }
  const next = answer.headers.get("location");
  if (!next) {
    console.log(answer.status, await answer.text());
    process.exit(0);
  }
  url = new URL(next, url);
}
console.log(url.href);
