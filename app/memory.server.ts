import { createHook } from "node:async_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is there so that something has its shape. */
const kept: object[] = [];

/**
 * Collects all garbage and gives the memory back, once. Loading and compiling the code makes V8 set aside three times what a process
 * at rest needs, and it would keep that (decision 0069). Takes some 30 ms in which nothing else happens: before a process is ready.
 */
export function giveBackMemory(): void {
  keepTickShape();
  // There is no other way to ask for it than the function that this flag makes.
  setFlagsFromString("--expose-gc");
  const collect: NonNullable<typeof gc> = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  collect({ execution: "sync", type: "major", flavor: "last-resort" });
}

/**
 * Keeps one of the objects that `process.nextTick` queues. A collection in which none is alive takes their hidden class with it. V8
 * makes another, but where it builds them it has then seen two, and goes the slow way until the process ends: 0.4 instead of 0.07 µs,
 * several times a request (decision 0069).
 */
function keepTickShape(): void {
  const hook = createHook({
    // Once asked to, V8 would go on asking about each promise whether somebody watches it.
    trackPromises: false,
    init(_id, type, _trigger, resource) {
      if (type === "TickObject") kept.push(resource);
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}
