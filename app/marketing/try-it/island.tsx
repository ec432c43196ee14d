import { hydrateRoot } from "react-dom/client";
import { TRIED_IT } from "../../figures/visitors.ts";
import { tryItFromQuery } from "./from-query.ts";
import { ISLAND_ID, TryItForm } from "./try-it-form.tsx";

const root = document.getElementById(ISLAND_ID);
const { pathname, search } = location;
const result = tryItFromQuery(new URLSearchParams(search));
// That it is used, and nothing of what is typed: see tried.ts.
const tellUse = () => {
  new Image().src = TRIED_IT;
};
if (root) hydrateRoot(root, <TryItForm pathname={pathname} result={result} onFirstUse={tellUse} />);
