class Trie { readonly next = new Map<string, Trie>(); index = -1; }
interface Encoded { dictionary: string[]; codes: number[] }
function encode(words: Iterable<string>): Encoded {
  const root = new Trie(), dictionary: string[] = [], codes: number[] = [];
  for (const word of words) {
    let node = root;
    for (const letter of word) { let child = node.next.get(letter); if (!child) node.next.set(letter, (child = new Trie())); node = child; }
    if (node.index < 0) { node.index = dictionary.length; dictionary.push(word); }
    codes.push(node.index);
  }
  return { dictionary, codes };
}
const text = "the cat and the dog and the bird saw the cat";
const { dictionary, codes } = encode(text.split(" "));
console.log(dictionary, codes.join(""), codes.map((c) => dictionary[c]).join(" ") === text);
const delta = (list: number[]): number[] => list.map((n, i) => n - (list[i - 1] ?? 0)), undelta = (list: number[]): number[] => list.reduce<number[]>((out, d) => [...out, (out.at(-1) ?? 0) + d], []);
console.log(delta([100, 105, 103, 110]), undelta(delta([100, 105, 103, 110])));
class BitWriter { private bytes: number[] = []; private bit = 0; write(value: number, width: number): this { for (let i = width - 1; i >= 0; i--) { if (this.bit % 8 === 0) this.bytes.push(0); this.bytes[this.bytes.length - 1]! |= ((value >>> i) & 1) << (7 - (this.bit++ % 8)); } return this; } done(): Uint8Array { return Uint8Array.from(this.bytes); } }
const writer = new BitWriter(); codes.forEach((c) => writer.write(c, 3)); const bytes = writer.done(); console.log(bytes, [...bytes].map((b) => b.toString(2).padStart(8, "0")).join(" "), writer);
const base = (n: bigint, alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"): string => { let s = ""; const b = BigInt(alphabet.length); do { s = alphabet[Number(n % b)] + s; n /= b; } while (n); return s; }; console.log(base(2n ** 64n), base(0n), btoa(String.fromCharCode(...bytes)), atob("aGk="), Uint8Array.fromBase64?.("aGk="), bytes.toHex?.());
for (const bad of ["*", "a", "é"]) try { console.log(atob(bad)); } catch (error) { console.log((error as DOMException).name, error instanceof DOMException); } try { btoa("€"); } catch (error) { console.log((error as Error).name, (error as DOMException).code); }
const root = new Trie(); root.next.set("a", new Trie()); console.log(root, { dictionary, codes: codes.length });
