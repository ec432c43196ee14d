/** Loaded into a process of the tests before its own code: when whoever started it is gone, it is told to end. */
process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
// The pipe alone keeps nothing running.
if ("unref" in process.stdin) process.stdin.unref();
