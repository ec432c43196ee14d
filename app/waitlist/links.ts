import type { Site } from "../ui/site.ts";

/** The links in a place's mails. The token is the only authorization these pages need. */
export function linksOf(token: string, { origin }: Site) {
  return {
    confirm: `${origin}/waitlist/confirm?token=${token}`,
    place: `${origin}/waitlist/place?token=${token}`,
    leave: `${origin}/waitlist/leave?token=${token}`,
  };
}

/** The link a member shares with friends. */
export function referralLink(code: string, { origin }: Site): string {
  return `${origin}/waitlist?ref=${code}`;
}

/** Signs up, or logs in, an invited member, with their code filled in. */
export function redeemLink(code: string, { origin }: Pick<Site, "origin">): string {
  const query = new URLSearchParams({ return_to: `/subscription?${new URLSearchParams({ promo: code })}` });
  return `${origin}/register?${query}`;
}
