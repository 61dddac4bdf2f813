const texts = ["2024-02-29", "2024-02-29T10:00", "2024-02-29T10:00:00Z", "2024-02-29T10:00:00.123456+05:30", "Feb 29, 2024", "29 Feb 2024 13:05 GMT+0200", "Thu, 29 Feb 2024 23:59:59 GMT",
  "2024/02/29", "2/29/2024 1:05 PM", "2024-13-01", "20240229", "2024", "+012024-01-01T00:00:00Z", "Thursday", "", "2024-02-29 10:00:00 EST", "1 January 70", "2024-2-9", "12:30", "Mon Mar 04 2024 00:00:00 GMT+0100 (CET)"];
for (const text of texts) {
  const time = Date.parse(text);
  console.log(JSON.stringify(text).padEnd(46), Number.isNaN(time) ? "Invalid" : new Date(time).toISOString());
}
const d = new Date("2024-01-31T12:34:56.789Z");
d.setUTCMonth(1); console.log(d.toISOString());
d.setUTCDate(0); console.log(d.toISOString(), d.getUTCDay(), d.toJSON());
d.setUTCHours(25, 61, 61, 1001); console.log(d.toISOString(), d.setTime(1e12), d.getTimezoneOffset());
console.log(new Date(2024, 1).getTime(), new Date("x") + "", Date.length, new Date(1, 2).getYear(), typeof Date.now(), Date(0).length > 20, new Date(undefined).getDay());
console.log(new Date(0)[Symbol.toPrimitive]("number"), `${new Date(0)}`, new Date(0) + 1, new Date(5) - new Date(2), new Date(0) < new Date(1), [new Date(0)].toString(), new Date(null).valueOf(), new Date(true).valueOf());
console.log(new Date(-1).toISOString(), new Date(-62198755200000).toISOString(), new Date(-1e14).toString(), Object.prototype.toString.call(new Date()), new Date(1e81).toString());
