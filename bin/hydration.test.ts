import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createReader, findUnhydrated, readIslands } from "./hydration.ts";

const read = createReader();
const islands = readIslands();

/** What is found when these files have this at their end, or are new. */
function findWith(added: Record<string, string>, entries: readonly string[] = islands): string[] {
  return findUnhydrated((file) => {
    const text = added[file];
    if (text === undefined) return read(file);
    return file.startsWith("app/new/") ? text : `${readFileSync(file, "utf8")}\n${text}`;
  }, entries);
}

const ISLAND =
  "Make it an island, as app/marketing/try-it is (docs/CONTRIBUTING.md, An interactive component).";
const handleIn = (file: string) =>
  `Write \`export const handle: RouteHandle = { hydrate: true }\` in ${file} (docs/CONTRIBUTING.md, An interactive component).`;

test("no page of the site has what its visitors' browsers would never run", () => {
  expect(islands).toHaveLength(1);
  expect(findWith({})).toEqual([]);
});

test.each([
  ['import { useState } from "react"; const Count = () => useState(0);', "useState"],
  ['import { useActionState as send } from "react"; const Count = () => send(f, 0);', "useActionState"],
  ['import * as React from "react"; const Count = () => React.useOptimistic(0);', "useOptimistic"],
  ['import { useFetcher } from "react-router"; const Count = () => useFetcher();', "useFetcher"],
  ['import { useFormStatus } from "react-dom"; const Count = () => useFormStatus();', "useFormStatus"],
  ['import { useSortable } from "@dnd-kit/sortable"; const Count = () => useSortable(0);', "useSortable"],
  ['import { useAfter } from "../../ui/use-after.ts"; const Count = () => useAfter(2, 1, f);', "useAfter"],
])("%s on a page without scripts does nothing, and that is said", (code, hook) => {
  expect(findWith({ "app/account/deleted.tsx": code })).toEqual([
    `app/account/deleted.tsx: ${hook} does nothing on /account/deleted, which has no scripts. ${handleIn("app/account/deleted.tsx")}`,
  ]);
});

test("so is a handler, a style sheet that nobody links, and what only a component of the page has", () => {
  expect(
    findWith({
      "app/marketing/faq.tsx": 'import "../new/count.tsx";',
      "app/marketing/changelog.tsx": 'import "../new/count.tsx";',
      "app/new/count.tsx": `import "./count.css";
        import { useCount } from "./use-count.ts";
        export const Count = () => <button onClick={useCount()}>0</button>;`,
      "app/new/use-count.ts":
        'import { useReducer, useId } from "react"; export const useCount = () => useReducer(f, useId());',
    }),
  ).toEqual([
    `app/new/count.tsx: useCount does nothing on /faq and 1 more, which has no scripts. ${ISLAND}`,
    `app/new/count.tsx: onClick is never called on /faq and 1 more, which has no scripts. ${ISLAND}`,
    `app/new/count.tsx: the styles of ./count.css are not loaded on /faq and 1 more, which has no scripts. ${ISLAND}`,
    `app/new/use-count.ts: useReducer does nothing on /faq and 1 more, which has no scripts. ${ISLAND}`,
    `app/new/use-count.ts: useCount does nothing on /faq and 1 more, which has no scripts. ${ISLAND}`,
  ]);
});

test("what the server has done with when it has rendered, what it alone runs, and types are of no concern", () => {
  expect(
    findWith({
      "app/marketing/faq.tsx": `import { useId, useContext } from "react";
        import { useActionData } from "react-router";
        import { useSite } from "../ui/site.ts";
        import type { Count } from "../new/count.tsx";
        import { type Count as Other } from "../new/count.tsx";
        import { count } from "../new/count.server.ts";
        const Page = () => [useId(), useContext(C), useActionData(), useSite()];`,
      "app/new/count.server.ts": 'import "./count.tsx";',
      "app/new/count.tsx": 'import { useState } from "react"; export const Count = () => useState(0);',
    }),
  ).toEqual([]);
});

test("a component may have hooks when a hydrated page, the root or an island shows it, too", () => {
  const counting = {
    "app/new/count.tsx": 'import { useState } from "react"; export const Count = () => useState(0);',
  };
  const shown = 'import { Count } from "../new/count.tsx";';
  expect(findWith({ ...counting, "app/marketing/home.tsx": shown })).toHaveLength(1);
  expect(findWith({ ...counting, "app/marketing/home.tsx": shown, "app/auth/login.tsx": shown })).toEqual([]);
  expect(findWith({ ...counting, "app/marketing/home.tsx": shown, "app/ui/header.tsx": shown })).toEqual([]);
  const island = { "app/new/island.tsx": 'import "./count.tsx";' };
  expect(
    findWith({ ...counting, ...island, "app/marketing/home.tsx": shown }, [...islands, "app/new/island.tsx"]),
  ).toEqual([]);
});

test("a page below a hydrated layout is hydrated unless it says otherwise, and one that is kept in memory never", () => {
  const counting = 'import { useState } from "react"; const Count = () => useState(0);';
  expect(
    findWith({ "app/account/dashboard.tsx": counting, "app/admin/funnel/funnel.tsx": counting }),
  ).toEqual([]);
  expect(findWith({ "app/auth/other-account.tsx": counting })).toHaveLength(1);
  const handle = "export const handle: RouteHandle = { hydrate: true };";
  expect(findWith({ "app/account/deleted.tsx": counting + handle })).toEqual([]);
  expect(findWith({ "app/marketing/faq.tsx": counting + handle })).toEqual([
    `app/marketing/faq.tsx: /faq is kept in memory (app/marketing/pages.ts) and cannot be hydrated. ${ISLAND}`,
  ]);
});

test("a handle without its type is reported, because a misspelled field would go unnoticed", () => {
  expect(findWith({ "app/account/deleted.tsx": "export const handle = { hydrated: true };" })).toEqual([
    "app/account/deleted.tsx: write `export const handle: RouteHandle = …`, or a misspelled field does nothing",
  ]);
});
