// Random values from a fixed seed, for the layout of lines and columns.
let state = 12345;
const random = (n) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % n;
};
const letters = "abcdefghijklmnopqrstuvwxyzABC _-'\"\n0é日";
const text = (most) => Array.from({ length: random(most) }, () => letters[random(letters.length)]).join("");
const number = () => [random(10), random(1000), -random(100), random(1e6) / 7, random(1e7), 0, 1e21 * random(9)][random(7)];
class Point { constructor(x, y) { this.x = x; this.y = y; } }
const list = (n, make) => Array.from({ length: n }, make);
const value = (depth) => {
  const kind = random(depth > 0 ? 19 : 8);
  switch (kind) {
    case 0: return text(8);
    case 1: return text(30);
    case 2: return text(90);
    case 3: case 4: return number();
    case 5: return [true, false, null, undefined][random(4)];
    case 6: return BigInt(random(1e6));
    case 7: return [new Date(random(1e9) * 1000), /re+/g, Symbol(text(5)), () => {}, function named() {}][random(5)];
    case 8: return list(random(20), number);
    case 9: return list(random(30), () => text(12));
    case 10: return list(random(8), () => value(depth - 1));
    case 11: case 12: case 13: return Object.fromEntries(list(random(7), () => [text(10), value(depth - 1)]));
    case 14: return new Map(list(random(5), () => [value(depth - 1), value(depth - 1)]));
    case 15: return new Set(list(random(9), () => value(depth - 1)));
    case 16: return new Point(value(depth - 1), value(depth - 1));
    case 17: return new Uint16Array(list(random(30), () => random(65536)));
    default: return list(random(12), () => new Point(random(10), random(1000)));
  }
};
for (let i = 0; i < 150; i++) console.log(value(1 + (i % 5)));
for (let i = 0; i < 20; i++) console.dir({ deep: value(6) }, { depth: 6 });
