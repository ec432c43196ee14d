import type { Site } from "../ui/site.ts";

/** Where the mails lead. Whoever has the token may do what these pages do. */
export function linksOf(token: string, { origin }: Site) {
  return {
    confirm: `${origin}/waitlist/confirm?token=${token}`,
    place: `${origin}/waitlist/place?token=${token}`,
    leave: `${origin}/waitlist/leave?token=${token}`,
  };
}

/** The link somebody on the list gives to friends. */
export function referralLink(code: string, { origin }: Site): string {
  return `${origin}/waitlist?ref=${code}`;
}
