import islandUrl from "virtual:try-it-island";
import { ISLAND_ID } from "./try-it-form.tsx";

/** Imports the island when the form comes into view. Without it, the form submits. Error pages lack the section. */
export const TRY_IT_LOADER = [
  `const s=document.getElementById("${ISLAND_ID}")?.firstElementChild;`,
  "s&&new IntersectionObserver((e,o)=>{",
  `if(e.some(i=>i.isIntersecting)){o.disconnect();import("${islandUrl}").catch(()=>{})}`,
  "}).observe(s)",
].join("");
