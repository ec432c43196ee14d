import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import { createGatherer, type Gatherer } from "../db/gather.server.ts";
import { onePerDatabase } from "../db/per-database.server.ts";
import { isLostName } from "../db/statement-names.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { type Outcome, redeemBatch, type WaitsFor } from "./redeem-batch.server.ts";
import type { Attempt } from "./redeem-facts.server.ts";
import type { Redemption } from "./redemption.ts";
import { normalisePromoCode, PROMO_CODE_MAX_LENGTH, PROMO_MESSAGES } from "./rules.ts";

/** Redemptions of a transaction: more make it no quicker, and each waits for all of them. */
const MOST_AT_ONCE = 64;
/** Codes for which redemptions of this process wait at a time, because somebody else holds them. */
const CODES_AT_ONCE = 6;
/** How much of the time for a lock a redemption may spend waiting for its batch to begin. */
const PATIENCE_SHARE = 0.5;

/**
 * Redeems a promo code for a user: counts one use and inserts one grant, in one transaction, which it shares with
 * others that arrive meanwhile (decision 0065). A second redemption by the
 * same user counts no use and returns the existing grant. A code that would add nothing to the user's plans is left
 * unused, and so is one that would only follow them, until the user has agreed to that (decision 0031). A code for
 * confirmed addresses waits until the user has confirmed theirs.
 *
 * @param userId `null` when signed out
 * @param input.tier the user's choice; ignored when the code has a tier of its own
 * @param input.confirmed the later start the user has agreed to: see `canApply`
 * @returns the grant; or the message of spec §5 for a code that cannot be redeemed; or the effect of a code left unused
 */
export async function redeemPromoCode(
  { db, config }: { db: Database; config: Pick<Config, "authSecret"> },
  userId: string | null,
  input: { code: string; tier?: unknown; confirmed?: string },
): Promise<Redemption> {
  const code = normalisePromoCode(input.code);
  if (code === "") return { ok: false, message: PROMO_MESSAGES.empty };
  if (userId === null) return { ok: false, message: PROMO_MESSAGES.signedOut };
  if (code.length > PROMO_CODE_MAX_LENGTH || /\p{Cc}/u.test(code))
    return { ok: false, message: PROMO_MESSAGES.invalid };

  const attempt = { secrets: config, userId, code, chosenTier: input.tier, confirmed: input.confirmed };
  const { redemption, grantId } = await redeemerOf(db)(attempt);
  if (grantId) noteEvent(db, { event: "redeemed", userId, grantId });
  return redemption;
}

type Redeemer = (attempt: Attempt) => Promise<Outcome>;

const redeemerOf = onePerDatabase(createRedeemer);

function createRedeemer(db: Database): Redeemer {
  const { lock_timeout: lockMilliseconds } = db.$client.options;
  const options = {
    most: MOST_AT_ONCE,
    ...(lockMilliseconds && { patienceMilliseconds: lockMilliseconds * PATIENCE_SHARE }),
  };
  // One after the other: what is quicker than the disk gains nothing from a second, which would halve the batches.
  const together = createGatherer<Attempt, Outcome>({
    ...options,
    atOnce: 1,
    run: (attempts) => redeem(attempts, "nothing"),
  });
  const byCode: Gatherer<Attempt, Outcome> = createGatherer({
    ...options,
    atOnce: CODES_AT_ONCE,
    laneOf: ({ code }) => code,
    run: (attempts) => redeem(attempts, "code"),
  });
  return (attempt) => (byCode.isBusy(attempt.code) ? byCode(attempt) : together(attempt));

  async function redeem(
    attempts: readonly Attempt[],
    waitsFor: WaitsFor,
  ): Promise<(Outcome | Promise<Outcome>)[]> {
    const { outcomes, alone } = await redeemBatch(db, attempts, waitsFor).catch((error: unknown) => {
      // Behind a pooler that keeps no prepared statements: nothing was done, and from now on none is prepared.
      if (!isLostName(error)) throw error;
      return redeemBatch(db, attempts, waitsFor);
    });
    return attempts.map(
      (attempt) => outcomes.get(attempt) ?? (alone.has(attempt) ? redeemAlone(attempt) : byCode(attempt)),
    );
  }

  async function redeemAlone(attempt: Attempt): Promise<Outcome> {
    const [outcome] = await redeem([attempt], "user");
    if (!outcome) throw new Error("an attempt alone is always settled");
    return outcome;
  }
}
