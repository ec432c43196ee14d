import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds that processors have spent. */
export interface ProcessorTime {
  /** On the thread that runs JavaScript, of which a process has one. */
  main: number;
  /** On all others: passwords, compression, garbage. */
  others: number;
}

/** What a process has used since its start, to the microsecond. Linux only. */
export function processorTimeOf(pid: number): ProcessorTime {
  const time = { main: 0, others: 0 };
  for (const thread of listOf(`/proc/${pid}/task`)) {
    const spent = Number(readOf(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1e6;
    time[thread === String(pid) ? "main" : "others"] += spent;
  }
  return time;
}

/** What all processes of a PostgreSQL have used, those that have ended included: connections come and go. */
export function processorTimeOfCluster(postmaster: number): number {
  const family = [postmaster, ...childrenOf(postmaster)];
  const running = family.map(processorTimeOf).reduce((sum, { main, others }) => sum + main + others, 0);
  return running + endedChildrenOf(postmaster);
}

/** What the children that a process has seen end had used, in hundredths of a second. */
function endedChildrenOf(pid: number): number {
  // After the name, which may hold anything, there are only numbers: the 14th and 15th are these (proc_pid_stat(5)).
  const fields = readOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** The parent of a process. */
export const parentOf = (pid: number) => Number(statusOf(pid, "PPid"));

function childrenOf(pid: number): number[] {
  return listOf("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
}

function statusOf(pid: number, field: string): string {
  return new RegExp(`^${field}:\\s+(\\S+)`, "m").exec(readOf(`/proc/${pid}/status`))?.[1] ?? "";
}

// A thread or a process may end between being listed and being read.
function readOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "0";
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
