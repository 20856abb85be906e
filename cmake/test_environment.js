// Gives the tests node's environment variables: Emscripten's getenv has only its own.
Module['preRun'] = [() => Object.assign(ENV, process.env)];
