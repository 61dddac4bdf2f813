return [env['name'], env['list'], env['nested']['deep'], len(env)]
