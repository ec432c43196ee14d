import type { Site } from "../ui/site.ts";

/** The token is the only authorization these pages need. */
export function linksOf(token: string, { origin }: Site) {
  return {
    confirm: `${origin}/waitlist/confirm?token=${token}`,
    place: `${origin}/waitlist/place?token=${token}`,
    leave: `${origin}/waitlist/leave?token=${token}`,
  };
}

export function referralLink(code: string, { origin }: Site): string {
  return `${origin}/waitlist?ref=${code}`;
}

/** Signs up or logs in, with the code filled in. */
export function redeemLink(code: string, { origin }: Pick<Site, "origin">): string {
  const query = new URLSearchParams({ return_to: `/subscription?${new URLSearchParams({ promo: code })}` });
  return `${origin}/register?${query}`;
}
