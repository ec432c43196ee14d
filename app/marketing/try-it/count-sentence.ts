/** Says how many lines of a statement are labelled. @param all at least 1 */
export function countSentence(labelled: number, all: number): string {
  if (labelled === 0) return "No line is labelled yet.";
  if (labelled === all) return all === 1 ? "The one line is labelled." : `All ${all} lines are labelled.`;
  return `${labelled} of ${all} lines ${isOrAre(labelled)} labelled; ${all - labelled} ${isOrAre(all - labelled)} yours to name.`;
}

function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}
