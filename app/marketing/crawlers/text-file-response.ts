export function textFileResponse(type: string, text: string): Response {
  return new Response(text, { headers: { "Content-Type": type, "Cache-Control": "public, max-age=3600" } });
}

export const PLAIN_TEXT = "text/plain; charset=utf-8";
