/** The ids of what the script finds on the page. */
export const SHARE_IDS = {
  link: "referral-link",
  copy: "copy-link",
  share: "share-link",
  status: "share-status",
} as const;

/**
 * The place page's one script: shows the buttons that only work with it, where the browser can do what they say. Copying
 * needs a secure context. Other pages of the route have the script without the link, hence the check.
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
