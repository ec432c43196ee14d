import { drizzle } from "drizzle-orm/node-postgres";
import { removeSecondFactor } from "../../app/auth/second-factor/change-factors.server.ts";
import { readConfig } from "../../app/config/config.server.ts";
import { addKey, forgetCodes, makeRecoveryCodes, setUpApp } from "../../test/second-factor.ts";
import type { TestServer } from "../../test/server.ts";
import type { Visitor } from "./walk.ts";

const PATH = "/account/second-factor";

/**
 * Visits the pages of two-step login in each of its states, and has its mails written. Its owner ends without a second
 * factor, and with the address paused.
 */
export async function takeTwoSteps(
  server: TestServer,
  { browser, get, post }: Visitor,
  open: () => Visitor,
  owner: { id: string; email: string; password: string },
): Promise<void> {
  const cookie = () => [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  /** Whoever does something as this browser gives it the cookie that it gets. */
  const keepingCookie = {
    get cookie() {
      return cookie();
    },
    set cookie(pairs: string) {
      for (const pair of pairs.split("; ")) {
        const at = pair.indexOf("=");
        browser.cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
    },
  };
  await browser.post("/account/confirm", { password: owner.password });
  await get("Two-step login, off", PATH);
  await post("Authenticator app, begun", PATH, { do: "begin-app" });
  await post("Authenticator app, wrong", `${PATH}/app`, { otp: "000000" });
  await get("Passkey, to add", `${PATH}/passkey`);
  const app = await setUpApp(server, keepingCookie);
  await get("Recovery codes, none yet", `${PATH}/codes?said=app`);
  const [code = ""] = await makeRecoveryCodes(server, { cookie: cookie() });
  await addKey(server, keepingCookie);
  await get("Two-step login, on", PATH);
  await get("Recovery codes", `${PATH}/codes`);

  const second = open();
  const wrong = app.code() === "000000" ? "000001" : "000000";
  await second.post("Second step", "/login", { email: owner.email, password: owner.password });
  await second.post("Second step, not filled in", "/login/second-factor");
  await second.post("Second step, no such code", "/login/second-factor", { otp: "not a code" });
  for (let tries = 0; tries < 10; tries++)
    await second.post("Second step, wrong", "/login/second-factor", { otp: wrong });
  await second.post("Second step, too often", "/login/second-factor", { otp: wrong });
  await second.post("Second step, a recovery code", "/login/second-factor", { otp: code });

  await forgetCodes(server, owner);
  await server.pool.query(
    "UPDATE session SET second_factor_at = now() - interval '15 minutes' WHERE user_id = $1",
    [owner.id],
  );
  await get("Confirm that it is you, second step", PATH);
  await server.pool.query("UPDATE session SET second_factor_at = now() WHERE user_id = $1", [owner.id]);
  await post("Two-step login, one removed", PATH, { do: "remove-app" });
  await removeSecondFactor(
    drizzle(server.pool),
    readConfig({ AUTH_SECRET: "a secret of at least thirty-two characters" }).site,
    { name: "npm run ops" },
    { userId: owner.id, reason: "They lost their phone." },
  );
  // That signed them out everywhere.
  await post("Logged in again", "/login", { email: owner.email, password: owner.password });
}
