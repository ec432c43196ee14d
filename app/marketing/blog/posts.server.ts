import { PUBLIC_PAGES, type PublicPage } from "../pages.ts";
import { readPost, sortPosts } from "./posts.ts";

const FILES = import.meta.glob<string>("../../../posts/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

export const POSTS = sortPosts(Object.entries(FILES).map(([file, text]) => readPost(file, text)));

export const ALL_PUBLIC_PAGES: PublicPage[] = [...PUBLIC_PAGES, ...POSTS];
