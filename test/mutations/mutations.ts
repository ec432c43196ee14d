// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code.
import { ACCOUNT_MUTATIONS } from "./account-mutations.ts";
import { AUTH_MUTATIONS } from "./auth-mutations.ts";
import { BILLING_MUTATIONS } from "./billing-mutations.ts";
import { type Mutation, of } from "./mutation.ts";

const REDEEM = [
  "app/promo/redeem.server.test.ts",
  "app/promo/redeem-at-once.server.test.ts",
  "app/promo/unused.server.test.ts",
  "app/promo/once-per-person.server.test.ts",
];
/** Makes, checks and restores backups of the embedded database: a minute. */
const RESTORE = ["bin/backup.test.ts"];
const PHOTOS = ["app/account/photo/photo.site.test.ts"];
const BACKUP = ["app/backup/folder.server.test.ts", "app/backup/encryption.server.test.ts"];

const BUDGET = ["app/db/client.server.test.ts"];

/** By area. Areas whose tests start a server cost a build for each mutation. */
export const MUTATIONS: Record<string, Mutation[]> = {
  ...BILLING_MUTATIONS,
  ...AUTH_MUTATIONS,
  ...ACCOUNT_MUTATIONS,
  promo: [
    ...of(
      "app/promo/redeem.server.ts",
      REDEEM,
      ["AND (max_uses IS NULL OR used_count < max_uses)", ""],
      ["AND (starts_at IS NULL OR starts_at <= clock_timestamp())", ""],
      ["AND (expires_at IS NULL OR expires_at > clock_timestamp())", ""],
      [' AND ${TERMS} = ${param("terms")}', ""],
      ['WHERE code = ${param("code")} AND active AND', 'WHERE code = ${param("code")} AND'],
      ["if (earlier || promo.isUsedByAddress ||", "if (earlier ||"],
      ["if (promo.confirmedOnly && !owner.emailVerified)", "if (promo.confirmedOnly && false)"],
      ["promo.oncePerMailbox ? hashMailbox(", "!promo.oncePerMailbox ? hashMailbox("],
      ["SET used_count = used_count + 1", "SET used_count = used_count"],
      ["if (earlier?.isLive)", "if (earlier)"],
      ["isAgain ? PROMO_MESSAGES.gone", "!isAgain ? PROMO_MESSAGES.gone"],
      ["THEN interval '100 years'", "THEN interval '10 years'"],
    ),
    ...of(
      "app/promo/rules.ts",
      ["app/promo/rules.test.ts", ...REDEEM],
      ["if (expiresAt && expiresAt <= now)", "if (expiresAt && expiresAt < now)"],
      ["usedCount >= maxUses", "usedCount > maxUses"],
      ["startsAt && startsAt > now", "startsAt && startsAt >= now"],
      ["- endOf(last) < LEAST_GAIN", "- endOf(last) <= LEAST_GAIN"],
      ["return confirmed === startAfter(effect.behind);", "return confirmed !== undefined;"],
      ["return promo.tier ?? (isTier(chosen)", "return (isTier(chosen)"],
      ["plan.renews || isForever(", "isForever("],
    ),
    ...of(
      "app/promo/once-per-person.server.ts",
      REDEEM,
      ["${code}:${mailboxOf(email)}", "${code}:${email}"],
      [
        "redeemed_address:${code}:${email.toLowerCase()}",
        "redeemed_address:${code}:${email}",
        "createUser and createMailLink, of which a changed address is taken, keep addresses in lower case",
      ],
    ),
  ],
  limits: of(
    "app/limits/rate-limit.server.ts",
    ["app/limits/rate-limit.server.test.ts"],
    ["cardinality(bucket.hits) + 1 - ${count", "cardinality(bucket.hits) - ${count"],
    ["hits[cardinality(bucket.hits)] + interval '1 microsecond'", "hits[cardinality(bucket.hits)]"],
    ["if (!(error instanceof Response)) await refund(counted);", "await refund(counted);"],
    ["if (done.ok) await refund(", "await refund("],
    ["limit }) => limit.countsOnlyFailures)", "limit }) => !limit.countsOnlyFailures)"],
    ["        await refund(counted);\n        return tooMany", "        return tooMany"],
    ["greatest(${sql.join(windows, sql`, `)})", "least(${sql.join(windows, sql`, `)})"],
    ["${name}:${who}`).digest", "${who}`).digest"],
  ),
  "client address": of(
    "app/limits/client-address.ts",
    ["app/limits/client-address.test.ts"],
    ['split(",").reverse()', 'split(",")'],
    ["if (!isWithin(client, trustedProxies)) break;", ""],
    ["if (!forwarded) break;", "if (!forwarded) continue;"],
    ["address.parts.slice(0, 4), 0, 0, 0, 0", "address.parts.slice(0, 5), 0, 0, 0"],
  ),
  origin: of(
    "app/http/origin-check.ts",
    ["app/http/origin-check.test.ts"],
    [
      "if (site === null) return origin === publicOrigin;",
      "if (site === null) return origin === null || origin === publicOrigin;",
    ],
    ['(origin === null || origin === "null" || origin === publicOrigin)', "true"],
    ['JSON_ENDPOINTS.test(pathname) && !request.headers.has("cookie")', "JSON_ENDPOINTS.test(pathname)"],
    ["FROM_ANYWHERE.includes(pathname)", "FROM_ANYWHERE.some((path) => pathname.startsWith(path))"],
    ['    headers.get("origin") === handoffOrigin &&\n', ""],
    ['page.host === headers.get("host")', "true"],
    ["    new URL(url).pathname === PATH_RULES.handoff &&\n", ""],
    ["!corsOrigins.includes(origin)", "false"],
  ),
  "safe path": of(
    "app/http/safe-path.ts",
    ["app/http/safe-path.test.ts"],
    ['url?.origin === base && !url.pathname.includes("%")', "url?.origin === base"],
    ["return url?.origin === base && ", "return url !== null && "],
    ["PAGES.includes(page.toLowerCase())", "PAGES.some((each) => page.toLowerCase().startsWith(each))"],
    ['(page !== "" || below.length === 0)', "true"],
  ),
  photos: [
    ...of("app/auth/photos.server.ts", PHOTOS, ["and(eq(photos.userId, userId), ", "and("]),
    ...of(
      "app/http/uploads.server.ts",
      PHOTOS,
      [" || ofUser >= MOST_OF_USER", ""],
      ["countParts(body, `--${boundary}`, MAX_PARTS) > MAX_PARTS", "false"],
    ),
    ...of(
      "app/account/photo/encoder.ts",
      PHOTOS,
      ["    .autoOrient()\n", ""],
      ["limitInputPixels: MAX_PIXELS, ", ""],
    ),
  ],
  headers: of(
    "app/http/security-headers.server.ts",
    ["app/http/security-headers.server.test.ts"],
    ['new Map([["X-Content-Type-Options", "nosniff"]])', "new Map<string, string>()"],
    [
      'if (isHttps) headers.set("Strict-Transport-Security",',
      'if (!isHttps) headers.set("Strict-Transport-Security",',
    ],
    [
      "const NO_PAGE = \"default-src 'none'; base-uri 'none'; frame-ancestors 'none'\";",
      "const NO_PAGE = \"default-src 'none'\";",
    ],
    ['"strict-origin-when-cross-origin");', '"unsafe-url");'],
    ['"frame-ancestors": [],', '"frame-ancestors": false,'],
    ['"base-uri": [],', '"base-uri": false,'],
    ['"form-action": ["\'self\'", ...formTargets, ...widgetHosts],', '"form-action": false,'],
    ['hasPhotos && "https:"', '"https:"'],
  ),
  "entitlement view": of(
    "app/entitlements/waiting-grants.ts",
    ["app/entitlements/waiting-grants.test.ts"],
    ['if (plan.source === "paid") return [];', ""],
    ["includesTier(other.tier, plan.tier) && isBefore", "isBefore"],
    ["return renews ? Number.POSITIVE_INFINITY : expiresAt.getTime();", "return expiresAt.getTime();"],
    ["from: endOf(behind) < plan.expiresAt.getTime() ?", "from: endOf(behind) <= plan.expiresAt.getTime() ?"],
    ["endOf(other) - endOf(one)", "endOf(one) - endOf(other)"],
  ),
  "admin gate": of(
    "app/admin/operator.server.ts",
    ["app/admin/gate.site.test.ts", "app/admin/operator.site.test.ts"],
    [
      "!found?.user.emailVerified || !isOnAdminList(app, found.user)",
      "!found || !isOnAdminList(app, found.user)",
    ],
    [
      '  if (!hasSecondFactor) throw redirect(withReturnTo("/account/second-factor", returnTo, "/admin"), 303);\n',
      "",
    ],
    [" AND ${session.secondFactorAt} > ${since}, false)", ", false)"],
    ["if (!needsSecondFactor) return work;", "if (work) return work;"],
  ),
  audit: of(
    "app/audit/record-change.server.ts",
    ["bin/ops/promo.test.ts", "bin/ops/person.test.ts", "bin/ops/features.test.ts"],
    ["SELECT ${actor}, ${action}", "SELECT ${action}, ${actor}"],
    [
      "${before && JSON.stringify(before)}::jsonb, ${after",
      "${after && JSON.stringify(after)}::jsonb, ${after",
    ],
  ),
  export: of(
    "app/account/export.server.ts",
    ["app/account/export.site.test.ts"],
    [".where(eq(session.userId, userId))", ".where(eq(session.userId, session.userId))"],
    ["profile?.emailVerified && (await fromAddress(", "profile && (await fromAddress("],
  ),
  deletion: of(
    "app/account/delete-account.server.ts",
    [
      "app/account/delete-account.server.test.ts",
      "app/unconfirmed-accounts.server.test.ts",
      "app/promo/once-per-person.server.test.ts",
    ],
    ['    await recordErasures(tx, "user", [userId]);\n', ""],
    ["    await rememberAddress(tx, config, owner);\n", ""],
    ["    if (!payments) return false;\n", ""],
  ),
  mail: [
    ...of(
      "app/mail/deliver.server.ts",
      ["app/mail/delivery.test.ts", "app/mail/mail.server.test.ts"],
      ["const MAX_RETRY_DAYS = 5;", "const MAX_RETRY_DAYS = 50;"],
      ["MAX_RETRY_DAYS * 24 * 60 * 60 * 1000) throw error;", "MAX_RETRY_DAYS) throw error;"],
      [", isNull(mails.sentAt), isNull(mails.givenUpAt))", ")"],
      ["await write(db, job, { sentAt: sql`now()` });", ""],
    ),
    ...of(
      "app/auth/mailbox.ts",
      ["app/auth/mailbox.test.ts"],
      ['local.split("+")[0] || local', "local"],
      ['replaceAll(".", "")}@gmail.com', "}@gmail.com".replace("}", "toString()}")],
    ),
  ],
  jobs: of(
    "app/outbox/claims.server.ts",
    [
      "app/outbox/claims.server.test.ts",
      "app/outbox/jobs.server.test.ts",
      "app/outbox/worker.server.test.ts",
    ],
    [" FOR UPDATE SKIP LOCKED", ""],
    ["    eq(outbox.attempts, attempts),\n", ""],
    ["payload: {}, dedupeKey: null", "dedupeKey: null"],
    ["Math.min(2 ** job.attempts, MAX_DELAY_SECONDS)", "2 ** job.attempts"],
    ["SET event_ids = waiting.event_ids || failed.event_ids", "SET event_ids = waiting.event_ids"],
  ),
  "request budget": [
    ...of(
      "app/db/patience.server.ts",
      BUDGET,
      ["if (!patience || patience.isAnswered) return", "if (!patience) return"],
      ["if (patience.lateMilliseconds >= last)", "if (patience.lateMilliseconds < 0)"],
      ["Math.max(deadline - startedAt, last - patience.lateMilliseconds)", "Number.POSITIVE_INFINITY"],
      ["isUnanswered ? Number.POSITIVE_INFINITY : Math.max(late, 0)", "Math.max(late, 0)"],
    ),
    ...of(
      "app/db/pool.server.ts",
      BUDGET,
      ["query_timeout: Math.min(answerMilliseconds, wait.milliseconds)", "query_timeout: answerMilliseconds"],
      ["Math.min(own ?? 0, wait.milliseconds)", "own"],
      ["Math.min(this.#transactionMilliseconds, wait.milliseconds)", "this.#transactionMilliseconds"],
    ),
    ...of(
      "app/telemetry/requests.server.ts",
      ["app/telemetry/requests.server.test.ts"],
      ["currentWork.run({ id: notes.id, span, patience }", "currentWork.run({ id: notes.id, span }"],
      ["return response.headersSent;", "return false;"],
    ),
  ],
  backup: [
    ...of(
      "app/backup/encryption.server.ts",
      BACKUP,
      ["if (!timingSafeEqual(proof, header.subarray(-PROOF_BYTES)))", "if (false)"],
      ["decipher.setAAD(Buffer.from(what)).setAuthTag", "decipher.setAuthTag"],
      ["if (sealed.length < TAG_BYTES) throw damaged();", ""],
    ),
    ...of(
      "app/backup/folder.server.ts",
      BACKUP,
      ["  if (!isEncrypted && key)\n", '  if (!isEncrypted && key && path === "")\n'],
      ['if (found && hash.digest("hex") !== found.sha256)', "if (false)"],
      ["    await rm(unfinished, { force: true });\n", ""],
    ),
    ...of(
      "app/backup/backup.server.ts",
      RESTORE,
      [".filter((name) => counts[name] !== expected?.[name])", ".filter((name) => !(name in counts))"],
      ["const names = Object.keys({ ...expected, ", "const names = Object.keys({ "],
      ["broken.length > 0 ? `the data is not sound", "broken.length < 0 ? `the data is not sound"],
    ),
    ...of("app/backup/restore.server.ts", RESTORE, [
      "const broken = (await findBroken(staging.ownerUrl)) ?? [];",
      "const broken: string[] = [];",
    ]),
    ...of("bin/backup.ts", RESTORE, [
      "  process.exitCode = 1;\n}\n\nasync function list",
      "}\n\nasync function list",
    ]),
  ],
};
