import { readFileSync } from "node:fs";

const MEGABYTE = 1024 * 1024;

/** The resident memory of a process in megabytes, including the used part of Node's binary. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MEGABYTE;
}

/** The processor time of a process in seconds, user and system; Linux counts in hundredths (proc_pid_stat(5)). */
export function processorSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
