import built from "virtual:wordmark";

/** The product's name as the build drew it, or in the headline face when it is called something else by now. */
export function Wordmark({ product }: { product: string }) {
  const drawing = built.text === product ? built.drawing : null;
  if (!drawing) return product;
  return (
    <svg viewBox={drawing.viewBox} className="wordmark" role="img" aria-label={product}>
      <path fill="currentColor" d={drawing.path} />
    </svg>
  );
}
