import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Podman = (...args: string[]) => Promise<string>;

/**
 * Podman with images and containers of its own below a folder: a container engine without a daemon, which reads the same
 * Dockerfile as Docker.
 *
 * @returns what runs one of its commands and returns what it prints. @throws with what it says when it fails
 */
export function openPodman(folder: string): Podman {
  const options = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  // Those that work whatever a machine's systemd and cgroups are like.
  options.push("--cgroup-manager", "cgroupfs", "--runtime", "runc", "--log-level", "error");
  return async (...args) => {
    const { stdout } = await run("podman", [...options, ...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };
}

/** Podman's defaults are more than a machine may allow. */
export function ulimits(): string[] {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, files] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? [];
  return ["--ulimit", `nofile=${files}:${files}`, "--ulimit", "nproc=4096:4096"];
}
