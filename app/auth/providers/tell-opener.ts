/** Where a popup tells how it ended. Every page of this site hears it, and the one that knows the nonce acts. */
export const CHANNEL = "sign-in";

/** What is told; no more than a script may know. */
export interface Told {
  nonce: string;
  /** "ok", or the code of what went wrong. */
  outcome: string;
}

/** The one script of the popup's last page. Nobody else hears it: the channel is for pages of this origin alone. */
export const TELL_OPENER = [
  'const q=new URLSearchParams(location.search),nonce=q.get("nonce");',
  `if(nonce){new BroadcastChannel("${CHANNEL}").postMessage({nonce,outcome:q.get("error")||"ok"});`,
  "window.close()}",
].join("");
