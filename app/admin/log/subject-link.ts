/** The pages of what the log's subjects name, by their kind. */
const PAGES: Record<string, string> = {
  user: "/admin/people/",
  promo_code: "/admin/codes/",
  promo_batch: "/admin/batches/",
  contact_message: "/admin/messages/",
};

/** The console's page of a subject such as `user:8c1f…`; `null` where it has none. */
export function hrefOfSubject(subject: string): string | null {
  const [, kind = "", id = ""] = /^([a-z_]+):(.+)$/s.exec(subject) ?? [];
  const page = PAGES[kind];
  return page ? page + encodeURIComponent(id) : null;
}
