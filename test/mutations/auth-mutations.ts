// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { type Mutation, of } from "./mutation.ts";

const GUESSES = ["app/auth/second-factor/guessing.site.test.ts"];
const SHOWN = ["app/auth/second-factor/show-factor.site.test.ts"];
const SET_UP = ["app/auth/second-factor/second-factor.site.test.ts"];
const LINKS = ["app/auth/mail-links.site.test.ts", "app/account/reset-password.site.test.ts"];
const SECRETS = ["app/auth/another-secret.site.test.ts"];

/** Who is signed in, and how they showed it. */
export const AUTH_MUTATIONS: Record<string, Mutation[]> = {
  sessions: of(
    "app/auth/sessions.server.ts",
    ["app/auth/sessions.server.test.ts"],
    ["  gt(session.createdAt, oldestBeginning),\n", ""],
    ["  gt(session.expiresAt, sql`now()`),\n  gt(session.createdAt", "  gt(session.createdAt"],
    ["  eq(session.needsSecondFactor, false),\n);", ");"],
    ["return rowCount ? { ...own, isRenewed: true } : null;", "return { ...own, isRenewed: true };"],
    ["expiresAt: sql`least(${expiresAt}, ", "expiresAt: sql`greatest(${expiresAt}, "],
    ["expiresAt: needsSecondFactor ? pendingUntil : expiresAt", "expiresAt"],
    ["and(eq(session.userId, userId), ne(session.id, own))", "eq(session.userId, userId)"],
    [".where(and(eq(session.id, id), isPending))", ".where(eq(session.id, id))"],
  ),
  "second factor": [
    ...of(
      "app/auth/second-factor/authenticator-app.server.ts",
      SHOWN,
      ["or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step)),", ""],
      ["const WINDOW = 1;", "const WINDOW = 3;"],
    ),
    ...of("app/auth/second-factor/recovery-codes.server.ts", SHOWN, [
      "        isNull(recoveryCodes.usedAt),\n      ),\n    );",
      "      ),\n    );",
    ]),
    ...of("app/auth/second-factor/recovery-codes.server.ts", SET_UP, [
      "  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));\n",
      "",
    ]),
    ...of(
      "app/auth/second-factor/passkeys.server.ts",
      SHOWN,
      [".set({ challenge: null, challengeAt: null })", ".set({ challengeAt: sql`now()` })"],
      ["gt(session.challengeAt, sql`now() - make_interval(mins => ${CHALLENGE_MINUTES}::int)`),", ""],
      [
        "${passkeys.counter} < ${newCounter} OR",
        "true OR",
        "@simplewebauthn/server refuses such a counter, and judgeFactor locks the user, so that no two answers are judged at once",
      ],
    ),
    ...of(
      "app/auth/limits.ts",
      GUESSES,
      ["per(10, 15 * MINUTE), per(50, DAY)),", "per(10, 15 * MINUTE)),"],
      ['"app_code_failures_by_user", per(100, DAY)', '"app_code_failures_by_user", per(100, HOUR)'],
    ),
  ],
  links: of(
    "app/auth/mail-links.server.ts",
    LINKS,
    ["        gt(mailLinks.expiresAt, sql`now()`),\n", ""],
    ["        eq(mailLinks.purpose, purpose),\n        gt", "        gt"],
    [
      '  await tx.delete(mailLinks).where(others === "all"',
      '  if (others !== "all") await tx.delete(mailLinks).where(others === "all"',
    ],
  ),
  "another secret": [
    ...of(
      "app/auth/second-factor/authenticator-app.server.ts",
      SECRETS,
      ["unseal(config.authSecrets, purposeOf", "unseal([config.authSecret], purposeOf"],
      ["sql`NOT starts_with(", "sql`starts_with("],
    ),
    ...of("app/auth/account-mark.server.ts", SECRETS, ["of authSecrets) {", "of authSecrets.slice(0, 1)) {"]),
    ...of("app/http/secret-token.server.ts", SECRETS, ["authSecrets.some(", "authSecrets.slice(0, 1).some("]),
    ...of(
      "app/promo/redeem.server.ts",
      ["app/promo/once-per-person.server.test.ts"],
      ["authSecrets.map((secret) => hashAddress(", "authSecrets.slice(0, 1).map((secret) => hashAddress("],
      ["authSecrets.map((secret) => hashMailbox(", "authSecrets.slice(0, 1).map((secret) => hashMailbox("],
    ),
    ...of(
      "app/auth/keys.server.ts",
      ["app/auth/keys.server.test.ts"],
      [
        "await sign(key, await unlock(authSecrets, key))",
        "await sign(key, await unlock(authSecrets.slice(0, 1), key))",
      ],
      [
        "keys.map((key) => unlock(authSecrets, key))",
        "keys.map((key) => unlock(authSecrets.slice(0, 1), key))",
      ],
      [
        "  if (unreadable.length > 0) await db.delete(jwks)",
        "  if (unreadable.length < 0) await db.delete(jwks)",
      ],
    ),
    ...of(
      "app/contact/fill-time.server.ts",
      ["app/contact/fill-time.server.test.ts"],
      ["!secrets.some((secret)", "!secrets.slice(0, 1).some((secret)"],
    ),
    ...of(
      "app/billing/plan/refund-count.server.ts",
      ["app/billing/plan/refund-count.server.test.ts"],
      ["config.authSecrets.map((secret) =>", "config.authSecrets.slice(0, 1).map((secret) =>"],
    ),
  ],
};
