import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../testing/database.ts";
import { requestIn } from "../testing/identity.ts";
import { press } from "../testing/stripe.ts";

const PACKAGE = join(import.meta.dirname, "..");
const port = 20_000 + Math.floor(Math.random() * 10_000);
const ORIGIN = `http://localhost:${port + 3}`;

const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
const processes: ReturnType<typeof spawn>[] = [];
let database: Awaited<ReturnType<typeof createDatabase>>;

/** The package as it would be published, with what its package.json names and nothing else. */
function installPacked(): string {
  const modules = join(folder, "node_modules");
  const target = join(modules, "@ownwords/sandbox");
  mkdirSync(target, { recursive: true });
  const [file = ""] = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: PACKAGE,
  })
    .toString()
    .split("\n");
  execFileSync("tar", ["-xzf", join(folder, file), "-C", target, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(target, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(PACKAGE, "../node_modules", name), join(modules, name));
  }
  return join(target, "bin.mjs");
}

function start(args: string[], env: Record<string, string> = {}) {
  const started = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.push(started);
  return started;
}

beforeAll(async () => {
  database = await createDatabase();
  const sandbox = start([
    installPacked(),
    "--database",
    database.url,
    "--port",
    String(port),
    "--site",
    ORIGIN,
  ]);
  await new Promise<void>((resolve) =>
    sandbox.stdout?.on("data", (printed) => /^ready$/m.test(String(printed)) && resolve()),
  );
  start([join(PACKAGE, "examples/shop.ts")], { ORIGIN, SANDBOX_PORT: String(port) });
});

afterAll(async () => {
  for (const each of processes) {
    each.kill();
    if (each.exitCode === null && each.signalCode === null) await once(each, "exit");
  }
  await database.drop();
  rmSync(folder, { recursive: true });
});

test("another site signs in, is paid and sends mail, with the official SDK and the packed sandbox", async () => {
  await expect
    .poll(() =>
      fetch(ORIGIN).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  const chooser = await fetch(`${ORIGIN}/sign-in`);
  const pressed = await fetch(`http://localhost:${port}/sandbox/identity/google/choose`, {
    method: "POST",
    body: new URLSearchParams({ request: requestIn(await chooser.text()), choice: "ada@example.com" }),
    redirect: "manual",
  });
  const checkout = await fetch(pressed.headers.get("location") ?? "");
  expect(await checkout.text()).toContain("Subscribe to Tea, monthly");
  const paid = await press(checkout.url, "pay");
  expect([paid.status, paid.headers.get("location")]).toEqual([303, `${ORIGIN}/paid`]);
  const mails = () => fetch(`http://localhost:${port}/sandbox/mail.json`).then((answer) => answer.json());
  await expect.poll(mails).toMatchObject([{ to: "ada@example.com", subject: "Your tea is on its way" }]);
});
