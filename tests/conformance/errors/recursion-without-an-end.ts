const f = () => 1 + f();
return f();
