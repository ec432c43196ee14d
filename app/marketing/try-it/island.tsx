import { hydrateRoot } from "react-dom/client";
import { tryItFromQuery } from "./from-query.ts";
import { ISLAND_ID, TryItForm } from "./try-it-form.tsx";

const root = document.getElementById(ISLAND_ID);
const { pathname, search } = location;
if (root)
  hydrateRoot(root, <TryItForm pathname={pathname} result={tryItFromQuery(new URLSearchParams(search))} />);
