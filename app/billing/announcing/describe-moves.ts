import type { Tier } from "../../entitlements/tiers.ts";

export interface Move {
  kind: "grant" | "subscription";
  id: string;
  userId: string;
  email: string;
  tier: Tier;
  days: number;
  endsAt: Date;
}

export function describeMoves(moves: readonly Pick<Move, "kind" | "days">[]): string[] {
  return (["grant", "subscription"] as const).flatMap((kind) => {
    const days = moves.filter((move) => move.kind === kind).map((move) => move.days);
    if (days.length === 0) return [];
    const [least, most] = [Math.min(...days), Math.max(...days)];
    const by = least === most ? `${most}` : `${least} to ${most}`;
    return [`${days.length} ${kind}${days.length === 1 ? "" : "s"} by ${by} ${most === 1 ? "day" : "days"}`];
  });
}
