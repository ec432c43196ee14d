import type { QrPicture } from "./qr-code.server.ts";

/** Dark on light in either theme: not every reader takes the other way round. */
export function QrCode({ picture: { size, path }, label }: { picture: QrPicture; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      width={224}
      height={224}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} stroke="#000" />
    </svg>
  );
}
