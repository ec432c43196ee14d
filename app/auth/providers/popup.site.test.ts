import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { type Browser, chooseAt, openBrowser, turnKnobs } from "../../../test/browser.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { someone } from "./people.fixture.ts";
import { reasonOf } from "./sign-in-errors.ts";

const server = sharedServer();

afterEach(() => turnKnobs(server, { reset: true }));

describe("the popup", () => {
  const nonce = () => randomUUID();
  const popupPath = (nonce: string, provider = "google", intent = "sign_in") =>
    `/auth/popup/${provider}?${new URLSearchParams({ nonce, intent, return_to: "/dashboard" })}`;
  const OURS = { "sec-fetch-site": "same-origin" };

  test("keeps its opener all the way, and tells how it ended to the browser that began", async () => {
    const browser = openBrowser(server);
    const id = nonce();
    const began = await browser.get(popupPath(id), OURS);
    expect(began.status).toBe(302);
    expect(await outcomeOf(browser, id)).toBeNull();
    const callback = await chooseAt(browser, began.headers.get("location") ?? "", someone());
    const back = await browser.get(callback);
    const done = await browser.get(back.headers.get("location") ?? "");
    for (const answer of [began, back, done])
      expect(answer.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    expect(back.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=google&intent=sign_in&return_to=%2Fdashboard`,
    );
    expect(await done.text()).toContain("You can close this window");
    expect(await outcomeOf(browser, id)).toBe("ok");
    expect(await outcomeOf(openBrowser(server), id)).toBeNull();
    // Whose cookie is still on its way would be sent back to the sign-in page.
    browser.cookies.delete("session");
    expect(await outcomeOf(browser, id)).toBeNull();
  });

  test("tells what went wrong in the same ways", async () => {
    await turnKnobs(server, { denial: true });
    const browser = openBrowser(server);
    const id = nonce();
    const began = await browser.get(popupPath(id, "facebook"), OURS);
    const sentBack = await browser.get(began.headers.get("location") ?? "");
    const back = await browser.get(sentBack.headers.get("location") ?? "");
    expect(back.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=facebook&intent=sign_in&return_to=%2Fdashboard&error=access-denied#top`,
    );
    const page = await (await browser.get(back.headers.get("location") ?? "")).text();
    expect(page).toContain("Failed to sign in with Facebook");
    expect(page).toContain(reasonOf("facebook", "access-denied"));
    expect(await outcomeOf(browser, id)).toBe("access-denied");
  });

  test.each([
    ["provider=google&intent=sign_in&return_to=/test-promo", "/test-promo"],
    ["provider=google&intent=connect", "/account"],
    ["provider=google&intent=sign_in&return_to=//evil.example", "/dashboard"],
    [
      "provider=google&intent=sign_in&return_to=/test-promo&error=access-denied",
      "/login?provider=google&error=access-denied&return_to=%2Ftest-promo",
    ],
    [
      "provider=google&intent=connect&return_to=/account/connections%3Fconnected%3Dgoogle&error=identity-taken",
      "/account/connections?connected=google&provider=google&error=identity-taken",
    ],
    [
      "provider=google&intent=confirm&return_to=/account/email&error=user-mismatch",
      "/account/confirm?provider=google&error=user-mismatch&return_to=%2Faccount%2Femail",
    ],
  ])("left open with %s, it leads on to %s", async (query, next) => {
    const page = await (await openBrowser(server).get(`/auth/popup/done?nonce=${nonce()}&${query}`)).text();
    expect(page).toContain(`href="${next.replaceAll("&", "&amp;")}"`);
  });

  test("loaded anew begins anew; another browser cannot take its name", async () => {
    const browser = openBrowser(server);
    const id = nonce();
    await browser.get(popupPath(id), OURS);
    const again = await browser.get(popupPath(id), OURS);
    expect(again.headers.get("location")).toContain("/sandbox/identity/google/authorize?");
    const stranger = await openBrowser(server).get(popupPath(id), OURS);
    expect(stranger.headers.get("location")).toContain("error=flow-expired");
  });

  test("to change an account is begun by our own pages alone", async () => {
    const [user] = await createSignedInUsers(server.pool, 1);
    await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [user?.id]);
    const begin = (headers: Record<string, string>) =>
      openBrowser(server, user?.cookie).get(popupPath(nonce(), "google", "connect"), headers);
    for (const site of ["cross-site", "same-site", "none"])
      expect((await begin({ "sec-fetch-site": site })).headers.get("location")).toBe("/login");
    const old = await begin({ referer: `${server.origin}/account` });
    expect(old.headers.get("location")).toContain("/sandbox/identity/google/authorize?");
    const older = await begin({ referer: "https://evil.example/" });
    expect(older.headers.get("location")).toBe("/login");
  });

  test("without a nonce ends where a form would", async () => {
    const browser = openBrowser(server);
    const begun = await browser.get("/auth/popup/google?return_to=/test-promo");
    const url = begun.headers.get("location") ?? "";
    const back = await browser.get(await chooseAt(browser, url, { email: "ada@example.com" }));
    expect(back.headers.get("location")).toBe("/test-promo");
  });

  test("connecting a provider needs a session", async () => {
    const id = nonce();
    const answer = await openBrowser(server).get(popupPath(id, "google", "connect"), OURS);
    expect(answer.headers.get("location")).toBe(
      `/auth/popup/done?nonce=${id}&provider=google&intent=connect&return_to=%2Fdashboard&error=signed-out`,
    );
  });

  test.each(["/auth/popup/twitter", "/auth/popup/google?intent=rule", "/auth/popup/google?nonce=short"])(
    "%s is not there",
    async (path) => {
      expect((await openBrowser(server).get(path, OURS)).status).toBe(404);
    },
  );

  async function outcomeOf(browser: Browser, nonce: string): Promise<string | null> {
    const { outcome } = await (await browser.get(`/auth/popup/outcome?nonce=${nonce}`)).json();
    return outcome;
  }
});
