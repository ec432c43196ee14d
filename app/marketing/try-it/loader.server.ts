import islandUrl from "virtual:try-it-island";
import { ISLAND_ID } from "./try-it-form.tsx";

/**
 * The page's inline script: imports the island when the form comes into view. If the import fails, the form keeps
 * submitting to the server. Error pages contain the script without the section, hence the check.
 */
export const TRY_IT_LOADER = [
  `const s=document.getElementById("${ISLAND_ID}")?.firstElementChild;`,
  "s&&new IntersectionObserver((e,o)=>{",
  `if(e.some(i=>i.isIntersecting)){o.disconnect();import("${islandUrl}").catch(()=>{})}`,
  "}).observe(s)",
].join("");
