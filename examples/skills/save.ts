// What this run has found out to work, later ones import.
const { items } = await tools.demo.listOrders({ limit: 2 });
console.log(Object.keys(items[0]));

return await skills.save("first-orders", {
  description: "The ids of the first orders",
  code: `
    /** Gives the ids of the first orders. */
    export async function firstOrders(count: number): Promise<string[]> {
      const { items } = await tools.demo.listOrders({ limit: count });
      return items.map((order) => order.id);
    }
  `,
  // It calls what this run has called, and gets the same answer.
  example: `
    import { firstOrders } from "./skills/first-orders";
    const ids = await firstOrders(2);
    if (ids.length !== 2) throw new Error("not two");
  `,
});
