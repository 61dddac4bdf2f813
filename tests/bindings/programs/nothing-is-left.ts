const before = typeof (globalThis as any).left;
(globalThis as any).left = 1;
(Array.prototype as any).left = 1;
return [before, 'left' in Object.prototype];
