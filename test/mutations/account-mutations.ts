// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type Mutation, of } from "./mutation.ts";

const CATEGORIES = ["app/account/categories.site.test.ts"];
const NEWS = ["app/news/changelog.server.test.ts"];

/** What somebody keeps with their account, and what they agreed to. */
export const ACCOUNT_MUTATIONS: Record<string, Mutation[]> = {
  "saved categories": [
    ...of(
      "app/categories/categories.server.ts",
      CATEGORIES,
      ["or(eq(current, revision), sql`${saved} = excluded.categories`)", "sql`true`"],
      ["or(eq(current, revision), sql`${saved} = excluded.categories`)", "eq(current, revision)"],
      ["    .where(eq(savedCategories.userId, userId));\n  return found", "    .limit(1);\n  return found"],
      ["  await tx.delete(savedCategories).where(eq(savedCategories.userId, userId));\n", ""],
    ),
    ...of("app/auth/register.tsx", CATEGORIES, ["returnTo: withoutCarried(returnTo)", "returnTo"]),
    ...of(
      "app/categories/carried.ts",
      ["app/categories/carried.test.ts"],
      ["if (path.length <= MAX_PATH_LENGTH) return", "return"],
      ["leftOut: kept.length - count", "leftOut: 0"],
    ),
  ],
  "product news": [
    ...of(
      "app/news/changelog.server.ts",
      NEWS,
      ["and(isNotNull(user.productNewsSince), user.emailVerified)", "and(user.emailVerified)"],
      ["and(isNotNull(user.productNewsSince), user.emailVerified)", "and(isNotNull(user.productNewsSince))"],
      [
        ".where(and(eq(changelogEntries.id, entryId), isNull(changelogEntries.mailedAt)))",
        ".where(eq(changelogEntries.id, entryId))",
      ],
      ["      if (!ids.has(id)) continue;\n", ""],
      ['      .for("share");', "      .limit(CHUNK);"],
    ),
    ...of("app/http/secret-token.server.ts", NEWS, ["return isOurs ? id : null;", "return id;"]),
    ...of("app/auth/users.server.ts", NEWS, ["coalesce(${user.productNewsSince}, now())", "now()"]),
    ...of(
      "app/account/reset-password.server.ts",
      ["app/account/takeover.site.test.ts"],
      ["      productNewsSince: null,\n", ""],
    ),
  ],
};
