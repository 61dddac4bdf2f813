// Lists what is to be ordered again: the products of a category that are low in stock, and how many pieces each lacks.
import "./ampoule.js";
import { listProducts } from "mcp:demo/demo";

/** @param {string} args */
export function run(args) {
  const { category } = JSON.parse(args);
  const { items } = listProducts({
    // An option in an option: left out (`none`), `null`, or a value.
    category: category === undefined ? { tag: "none" } : { tag: "some", val: category },
    lowStock: true,
  });
  // 64-bit integers are BigInts.
  const lacking = items.map((product) => [product.name, Number(product.reorderLevel - product.stock)]);
  console.log(`${lacking.length} products are low in stock`);
  return JSON.stringify(Object.fromEntries(lacking));
}
