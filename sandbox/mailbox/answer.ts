import type { Pool } from "pg";
import { pageResponse } from "../page/response.ts";
import { listPage, mailPage, notFoundPage } from "./mailbox-page.ts";
import { findMail, listMail } from "./store.ts";

/** Shows what came: the list, one mail, or everything as JSON. Nothing here changes anything. */
export async function answerMailbox(request: Request, pool: Pool, smtpUrl: string): Promise<Response> {
  const answer = findAnswer(new URL(request.url).pathname);
  if (!answer) return pageResponse(404, notFoundPage());
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  return answer(pool, smtpUrl);
}

function findAnswer(path: string): ((pool: Pool, smtpUrl: string) => Promise<Response>) | undefined {
  if (path === "/sandbox/mail") return answerList;
  if (path === "/sandbox/mail.json") return answerJson;
  const id = /^\/sandbox\/mail\/([1-9]\d{0,8})$/.exec(path)?.[1];
  return id ? (pool) => answerMail(pool, Number(id)) : undefined;
}

async function answerList(pool: Pool, smtpUrl: string): Promise<Response> {
  return pageResponse(200, listPage(await listMail(pool), smtpUrl));
}

async function answerJson(pool: Pool): Promise<Response> {
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return Response.json(await listMail(pool), { headers });
}

async function answerMail(pool: Pool, id: number): Promise<Response> {
  const mail = await findMail(pool, id);
  return mail ? pageResponse(200, mailPage(mail)) : pageResponse(404, notFoundPage());
}
