import type { Tier } from "../../entitlements/tiers.ts";

/** A grant or subscription whose end or renewal moves when a feature opens. */
export interface Move {
  kind: "grant" | "subscription";
  id: string;
  userId: string;
  email: string;
  tier: Tier;
  /** Whole days, rounded up. */
  days: number;
  /** Its end or next renewal before it moves. */
  endsAt: Date;
}

/** How much of each kind moves: "3 grants by 12 to 40 days"; none of a kind is left out. */
export function describeMoves(moves: readonly Pick<Move, "kind" | "days">[]): string[] {
  return (["grant", "subscription"] as const).flatMap((kind) => {
    const days = moves.filter((move) => move.kind === kind).map((move) => move.days);
    if (days.length === 0) return [];
    const [least, most] = [Math.min(...days), Math.max(...days)];
    const by = least === most ? `${most}` : `${least} to ${most}`;
    return [`${days.length} ${kind}${days.length === 1 ? "" : "s"} by ${by} ${most === 1 ? "day" : "days"}`];
  });
}
