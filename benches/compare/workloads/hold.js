return (await host.hold({})).held
