process.stdout.write("written without a newline, ");
process.stdout.write("then one\n");
console.log(process.argv.length > 0, process.platform.length > 0, typeof process.env.HOME);
const start = process.hrtime.bigint();
console.log(typeof start, process.memoryUsage().rss > 0, process.cwd().length > 0);
process.nextTick(() => console.log("tick"));
await null;
console.log("after");
