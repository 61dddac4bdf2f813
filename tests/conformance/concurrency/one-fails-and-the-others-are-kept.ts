const ends = await Promise.allSettled([tools.testTools.add({ a: 1, b: 1 }), tools.testTools.fail({}), tools.testTools.add({ a: 2, b: 2 })]);
return ends.map((end) => (end.status === 'fulfilled' ? end.value.sum : end.reason.message));
