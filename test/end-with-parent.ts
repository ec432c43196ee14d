/** Loaded into a process of the tests before its own code: it gets a signal to end when its parent is gone. */
process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
// The pipe alone keeps nothing running.
if ("unref" in process.stdin) process.stdin.unref();
