import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postForm } from "../http.ts";
import { createOperator } from "../operator.ts";
import { openSite, type Site, settled } from "../running-site.ts";

const SIZE = 10_000;
const MOST_MEGABYTES = 300;

let site: Site;

beforeAll(async () => {
  site = await openSite(1);
});

afterAll(() => site.close());

// A job whose process was killed is taken over when its claim ends, after 25 seconds.
test("ten thousand codes survive kill -9 in their middle: each is made once, and the file has them all", async () => {
  const operator = await createOperator(site.pool);
  const batch = randomUUID();
  const fields = { batch, name: "Leaflets", size: String(SIZE), maxUses: "1" };
  expect((await postForm(site, "/admin/batches/new", fields, operator.cookie)).status).toBe(303);
  await expect.poll(() => made(batch), { interval: 5 }).toBeGreaterThan(SIZE * 0.2);
  await site.killAndRestart(0);
  const left = await made(batch);
  expect(left, "it was killed before it was done").toBeLessThan(SIZE);
  await settled(site, 120);

  const file = await fetch(`${site.origin}/admin/batches/${batch}/codes.csv`, {
    headers: { cookie: operator.cookie },
  });
  const lines = (await file.text()).trimEnd().split("\r\n").slice(1);
  expect(new Set(lines.map((line) => line.split(",")[1])).size).toBe(SIZE);
  expect(lines).toHaveLength(SIZE);
  expect(await made(batch)).toBe(SIZE);
  const megabytes = mostMemoryOf(site.pidOf(0));
  console.log(`killed at ${left} of ${SIZE} codes; the process that went on took ${megabytes} MB at most`);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
});

async function made(batch: string): Promise<number> {
  const { rows } = await site.pool.query(
    "SELECT count(*)::int AS made FROM promo_codes WHERE batch_id = $1",
    [batch],
  );
  return rows[0].made;
}

/** The most a process has had in memory so far, in megabytes (proc_pid_status(5)). */
function mostMemoryOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
