/** Says how many lines of a statement are labelled. @param all at least 1 */
export function countSentence(labelled: number, all: number): string {
  if (labelled === 0) return "No lines labelled yet.";
  if (labelled === all) return all === 1 ? "The one line is labelled." : `All ${all} lines labelled.`;
  return `${labelled} of ${all} labelled, ${all - labelled} yours to name.`;
}
