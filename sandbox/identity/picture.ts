import type { Call } from "./context.ts";

/** A person's picture: a letter on a label. */
export async function drawPicture({ url }: Call): Promise<Response> {
  const letter = /^[A-Z0-9]$/.exec(url.searchParams.get("letter") ?? "")?.[0] ?? "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">
  <rect width="96" height="96" fill="#ffe48a"/>
  <text x="48" y="66" font-family="Georgia, serif" font-size="54" fill="#1c1a15" text-anchor="middle">${letter}</text>
</svg>
`;
  return new Response(svg, {
    headers: {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
