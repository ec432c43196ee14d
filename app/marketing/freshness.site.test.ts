import { expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { startServer } from "../../test/server.ts";

const textOf = async (url: string) => (await fetch(url)).text();

test("the year turns on New Year's Eve, without a restart", async () => {
  // The process's own clock, which a signal moves across midnight.
  const shift = `
    const { now } = Date;
    let ahead = Date.UTC(2030, 11, 31, 22) - now();
    Date.now = () => now() + ahead;
    globalThis.Date = class extends Date {
      constructor(...args) { args.length ? super(...args) : super(Date.now()); }
    };
    process.on("SIGUSR2", () => { ahead += 3 * 60 * 60 * 1000; });`;
  const server = await startServer({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
  });
  const year = async () => /© (\d+)/.exec(await textOf(`${server.origin}/faq`))?.[1];
  expect(await year()).toBe("2030");
  server.child.kill("SIGUSR2");
  await eventually(async () => (await year()) === "2031", "the year turns");
  await server.stop();
});
