import type { Site } from "../ui/site.ts";
import { useSite } from "../ui/site.ts";
import { referralLink } from "./links.ts";

const SHARE_IDS = {
  link: "referral-link",
  copy: "copy-link",
  share: "share-link",
  status: "share-status",
} as const;

/**
 * Shows the buttons where the browser can do what they say: copying needs a secure context. Other pages of the route have the script
 * without the link.
 */
export const SHARE_SCRIPT = [
  "const $=i=>document.getElementById(i),",
  `l=$("${SHARE_IDS.link}"),c=$("${SHARE_IDS.copy}"),s=$("${SHARE_IDS.share}"),t=$("${SHARE_IDS.status}"),n=navigator;`,
  "if(l){const u=l.textContent;",
  'if(n.clipboard){c.hidden=!1;c.onclick=async()=>{t.textContent="";try{await n.clipboard.writeText(u);',
  't.textContent="Link copied"}catch{getSelection().selectAllChildren(l);',
  't.textContent="Link selected: copy it with your keyboard"}}}',
  "if(n.share){s.hidden=!1;s.onclick=()=>n.share({title:s.dataset.title,url:u}).catch(()=>{})}}",
].join("");

/** Without scripts one press selects the link. No other site learns of the page before one of its links is followed. */
export function ShareLink({ referralCode }: { referralCode: string }) {
  const site = useSite();
  const link = referralLink(referralCode, site);
  const title = `Join me on the ${site.product} waitlist`;
  return (
    <div className="grid gap-3">
      <p className="font-semibold">Your link to share</p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p
          id={SHARE_IDS.link}
          className="field-input flex-[1_1_16rem] font-mono select-all [overflow-wrap:anywhere]"
        >
          {link}
        </p>
        <button type="button" id={SHARE_IDS.copy} className="button" hidden>
          Copy link
        </button>
        <button type="button" id={SHARE_IDS.share} className="button" data-quiet="" data-title={title} hidden>
          Share…
        </button>
        <p id={SHARE_IDS.status} role="status" />
      </div>
      <ul className="flex flex-wrap gap-x-6">
        {shareTargets(title, link, site).map(({ label, href }) => (
          <li key={label}>
            <a href={href} rel="noopener" className="inline-flex items-center min-h-11">
              {label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function shareTargets(title: string, link: string, { tagline }: Site): { label: string; href: string }[] {
  const text = encodeURIComponent(`${title}. ${tagline} ${link}`);
  const body = encodeURIComponent(`${tagline}\n\n${link}`);
  return [
    { label: "Share by email", href: `mailto:?subject=${encodeURIComponent(title)}&body=${body}` },
    { label: "Share on WhatsApp", href: `https://wa.me/?text=${text}` },
    { label: "Share on Bluesky", href: `https://bsky.app/intent/compose?text=${text}` },
  ];
}
