// Gives the tests the environment of the node that runs them: Emscripten's getenv knows only its own.
Module['preRun'] = [() => Object.assign(ENV, process.env)];
