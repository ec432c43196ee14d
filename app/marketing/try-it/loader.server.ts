import islandUrl from "virtual:try-it-island";

/**
 * The one script inside the page: it fetches the island when the section comes into view, and no earlier. When that
 * fails the form goes on asking the server. An error page has the script but not the section.
 */
export const TRY_IT_LOADER = [
  'const s=document.getElementById("try-it");',
  "s&&new IntersectionObserver((e,o)=>{",
  `if(e.some(i=>i.isIntersecting)){o.disconnect();import("${islandUrl}").catch(()=>{})}`,
  "}).observe(s)",
].join("");
