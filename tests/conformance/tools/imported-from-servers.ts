import { add } from './servers/test-tools';
return (await add({ a: 1, b: 2 })).sum;
