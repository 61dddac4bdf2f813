import { ad } from './servers/test-tools';
await ad({ a: 1, b: 2 });
