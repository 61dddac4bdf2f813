return [env.name, env.list, env.nested.deep, Object.keys(env).length];
