import { existsSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Pool } from "pg";
import type { Finding } from "./finding.ts";

/** A share counts only while it is not plenty: a tenth of a large disk is. */
const LEFT = { warn: { bytes: 1e9, share: 0.1 }, fail: { bytes: 0.25e9, share: 0.04 } };
const PLENTY_BYTES = 20e9;
/** Sound clocks differ by less than a second; codes of a second factor break at 30, signatures of webhooks at 300. */
const CLOCK_SECONDS = { warn: 5, fail: 30 };

/** How much room is left where these folders are; one that does not exist yet counts as the folder it will be in. */
export async function checkDisk(folders: readonly string[]): Promise<Omit<Finding, "check">[]> {
  const byDisk = new Map<number, Omit<Finding, "check">>();
  for (const folder of folders) {
    const place = existing(folder);
    const { dev } = await stat(place);
    if (byDisk.has(dev)) continue;
    const { bavail, blocks, bsize } = await statfs(place);
    const free = bavail * bsize;
    const share = bavail / blocks;
    const level = diskLevel(free, share);
    byDisk.set(dev, {
      level,
      says: `${inGigabytes(free)} free (${Math.round(share * 100)}%) at ${folder}`,
      ...(level !== "ok" && {
        advice: "make room: old backups, logs, what else lies there. A full disk stops the database",
      }),
    });
  }
  return [...byDisk.values()];
}

/** @param free in bytes @param share of the whole that is free */
export function diskLevel(free: number, share: number): Finding["level"] {
  const isBelow = (limit: (typeof LEFT)["warn"]) =>
    free < limit.bytes || (share < limit.share && free < PLENTY_BYTES);
  if (isBelow(LEFT.fail)) return "fail";
  return isBelow(LEFT.warn) ? "warn" : "ok";
}

function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

function inGigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** By how many seconds the database's clock is ahead of ours, give or take half the time of the answer. */
export async function databaseClock(pool: Pick<Pool, "query">): Promise<number> {
  // The first query pays for the connection.
  await pool.query("SELECT 1");
  const before = Date.now();
  const { rows } = await pool.query("SELECT extract(epoch FROM clock_timestamp())::float8 AS now");
  return rows[0].now - (before + Date.now()) / 2 / 1000;
}

/** @param differences of other clocks to ours, in seconds, by whose they are */
export function checkClock(differences: Record<string, number | null>): Omit<Finding, "check">[] {
  const known = Object.entries(differences).flatMap(([whose, seconds]) =>
    seconds === null ? [] : [{ whose, seconds: Math.round(seconds * 10) / 10 }],
  );
  const wrong = known.filter(({ seconds }) => Math.abs(seconds) > CLOCK_SECONDS.warn);
  if (wrong.length === 0)
    return [
      {
        level: "ok",
        says:
          known.length > 0
            ? `agrees with ${known.map(({ whose }) => whose).join(" and ")}`
            : "nothing to compare it with",
      },
    ];
  return wrong.map(({ whose, seconds }) => ({
    level: Math.abs(seconds) > CLOCK_SECONDS.fail ? "fail" : "warn",
    says: `${whose} is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} this machine`,
    advice:
      "let NTP set the clocks (timedatectl); second factors, webhooks and links with an end depend on them",
  }));
}
