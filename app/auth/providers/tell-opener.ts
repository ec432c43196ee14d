/** The channel a popup reports its outcome on. Every page of this site hears it; the one that knows the nonce acts. */
export const CHANNEL = "sign-in";

/** What is reported: nothing that a script may not know. */
export interface PopupMessage {
  nonce: string;
  outcome: string;
}

/** The one script of the popup's last page. Only pages of this origin hear the channel. */
export const TELL_OPENER = [
  'const q=new URLSearchParams(location.search),nonce=q.get("nonce");',
  `if(nonce){new BroadcastChannel("${CHANNEL}").postMessage({nonce,outcome:q.get("error")||"ok"});`,
  "window.close()}",
].join("");
