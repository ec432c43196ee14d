import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { createScratchCopy } from "../scratch-copy.ts";
import { startServer } from "../server.ts";
import { expect, test as site } from "./fixtures.ts";

/** A copy of the sources in which the recipe has been followed. */
interface Copy {
  folder: string;
  edit(file: string, change: (text: string) => string): void;
}

const COMPONENT = "app/account/month-plan.tsx";
const PAGE = "app/account/profile.tsx";

const withCopy = site.extend<object, { copy: Copy }>({
  copy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      const { folder, remove } = createScratchCopy(["@fontsource"]);
      const edit: Copy["edit"] = (file, change) => {
        const path = join(folder, file);
        writeFileSync(path, change(readFileSync(path, "utf8")));
      };
      followRecipe(folder, edit);
      await use({ folder, edit });
      remove();
    },
    { scope: "worker" },
  ],
});

const development = withCopy.extend<object>({
  server: [
    async ({ copy }, use) => {
      const server = await startServer({}, { folder: copy.folder, isDev: true });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

const built = withCopy.extend<object>({
  server: [
    async ({ copy: { folder } }, use) => {
      const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
      await run("node_modules/@react-router/dev/bin.cjs", "build", "--logLevel", "warn");
      const server = await startServer({}, { folder });
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
});

/** Stands for a package that writes a style element. */
const WRITER = `
import { use, useEffect } from "react";
import { RenderContext } from "../ui/render-context.ts";

export function Writer() {
  const { nonce = "" } = use(RenderContext);
  useEffect(() => {
    const style = Object.assign(document.createElement("style"), { nonce, textContent: "h1 { letter-spacing: 3px }" });
    document.head.append(style);
  }, [nonce]);
  return null;
}
`;

/** Does what docs/CONTRIBUTING.md says: its first block is a file, its second an import and an element of a page. */
function followRecipe(folder: string, edit: Copy["edit"]): void {
  const recipe = readFileSync(join(folder, "docs/CONTRIBUTING.md"), "utf8").split(/^### /m);
  const text = recipe.find((part) => part.startsWith("An interactive component")) ?? "";
  const blocks = [...text.matchAll(/^ *```tsx\n *\/\/ (\S+)\n(.*?)^ *```$/gms)].map(
    ([, file = "", code = ""]) => ({
      file,
      code: code.replaceAll(/^ {3}/gm, ""),
    }),
  );
  expect(blocks.map(({ file }) => file)).toEqual([COMPONENT, PAGE]);
  writeFileSync(join(folder, COMPONENT), blocks[0]?.code ?? "");
  const [statement, element = ""] = blocks[1]?.code.trim().split("\n\n") ?? [];
  writeFileSync(join(folder, "app/account/writer.tsx"), WRITER);
  edit(PAGE, (page) =>
    `import { Writer } from "./writer.tsx";\n${statement}\n${page}`.replace(
      '<div className="settings">',
      (place) => `<Writer />${element}${place}`,
    ),
  );
  // Larger than what Vite writes into the styles and scripts.
  const rest = Buffer.alloc(6_000);
  rest.writeUInt32BE(rest.byteLength);
  rest.write("free", 4);
  writeFileSync(join(folder, "app/account/garden.avif"), Buffer.concat([AVIF, rest]));
}

/** Two pixels by two. */
const AVIF = Buffer.from(
  "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=",
  "base64",
);

/** Uses the component as its reader does. That no policy and no hydration complains is what every browser test sees to. */
async function expectToWork(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /of 100 saved/ });
  await expect(button).toHaveText("20 of 100 saved");
  await button.click();
  await expect(button).toHaveText("21 of 100 saved");
  const picture = page.getByAltText("A garden");
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2);
  // Of a font that no style sheet declares, document.fonts.check() says that nothing is missing.
  const fonts = () =>
    page.evaluate(() => [...document.fonts].map(({ family, status }) => `${family} ${status}`));
  await expect.poll(fonts).toContainEqual(expect.stringMatching(/Alegreya.* loaded/));
  await expect(page.getByRole("separator")).toHaveCSS("width", "4px");
  await page.getByRole("separator").press("ArrowRight");
  await expect(button).toHaveText("25 of 100 saved");
  await expect(page.getByRole("heading", { level: 1 })).toHaveCSS("letter-spacing", "3px");
}

// One copy and one server for all of its tests.
development.describe.configure({ mode: "default" });

built(
  "a component of the recipe has its state, its package, its font and its picture in the build",
  async ({ page, openSignedIn }) => {
    await openSignedIn("/account");
    await expectToWork(page);
  },
);

development(
  "while developing, too, and it keeps its state while it, its page and their styles are edited",
  async ({ page, openSignedIn, copy }) => {
    const connected = untilConnected(page);
    await openSignedIn("/account");
    await connected;
    await expectToWork(page);
    const loaded = await page.evaluate(() => performance.timeOrigin);

    copy.edit(COMPONENT, (text) => text.replace("of 100 saved", "percent saved"));
    await expect(page.getByRole("button", { name: "25 percent saved" })).toBeVisible();
    copy.edit(PAGE, (text) => text.replace("Sign-in and security", "Signing in"));
    await expect(page.getByRole("heading", { name: "Signing in" })).toBeVisible();
    copy.edit(COMPONENT, (text) => text.replace('className="part"', 'className="part tracking-[7px]"'));
    const section = page.locator("section", { has: page.getByRole("separator") });
    await expect(section).toHaveCSS("letter-spacing", "7px");
    copy.edit("app/account/account.css", (text) => `${text}\n.part { padding-bottom: 41px; }\n`);
    await expect(section).toHaveCSS("padding-bottom", "41px");

    await expect(page.getByRole("button", { name: "25 percent saved" })).toBeVisible();
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded);
  },
);

development(
  "a page without scripts is loaded anew when what renders it is edited, and once the site can be loaded again",
  async ({ page, copy }) => {
    let connected = untilConnected(page);
    const home = await page.goto("/");
    expect(home?.headers()["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+' 'nonce-[^']+'; style-src 'sha256-[^']+' 'self' 'nonce-[^']+'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src blob:; form-action 'self'/,
    );
    await connected;
    const change = async (file: string, to: Parameters<Copy["edit"]>[1]) => {
      connected = untilConnected(page);
      copy.edit(file, to);
      await connected;
    };
    const heading = page.getByRole("heading", { level: 1 });
    await change("app/marketing/home.tsx", (text) => text.replace(/<h1\b/, '<h1 title="Edited"'));
    await expect(heading).toHaveAttribute("title", "Edited");
    await change("app/styles.css", (text) => `${text}\nh1 { letter-spacing: 7px; }\n`);
    await expect(heading).toHaveCSS("letter-spacing", "7px");
    await change("app/handler.server.ts", (text) => `${text}\n}`);
    await expect(heading).toHaveText("Unexpected Application Error!");
    await change("app/handler.server.ts", (text) => text.replace(/\n\}$/, ""));
    await expect(heading).toHaveAttribute("title", "Edited");
  },
);

development("an exception shows where it is", async ({ server, request }) => {
  await server.pool.query("ALTER TABLE waitlist RENAME TO away");
  const broken = await request.get(`/waitlist/place?token=${"t".repeat(43)}`);
  await server.pool.query("ALTER TABLE away RENAME TO waitlist");
  expect(broken.status()).toBe(500);
  expect(await broken.text()).toMatch(/<pre[^>]*>.*waitlist.* at .*place[\w-]*\.server\.ts:\d+/s);
});

/** Resolves when the page's next document is told of changes. */
function untilConnected(page: Page): Promise<unknown> {
  return page.waitForEvent("console", (message) => message.text() === "[vite] connected.");
}
