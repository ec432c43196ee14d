/** @param all at least 1 */
export function countSentence(labelled: number, all: number): string {
  if (labelled === 0) return "No lines labeled yet.";
  if (labelled === all) return all === 1 ? "The one line is labeled." : `All ${all} lines labeled.`;
  return `${labelled} of ${all} labeled, ${all - labelled} ${all - labelled === 1 ? "needs" : "need"} a name.`;
}
