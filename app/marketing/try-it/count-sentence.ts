/** How far somebody has come with a statement. */
export function countSentence(labelled: number, all: number): string {
  if (labelled === all)
    return all === 1 ? "The one line has its label." : `All ${all} lines have their label.`;
  const verb = labelled === 1 ? "has its" : "have their";
  return `${labelled} of ${all} lines ${verb} label, ${all - labelled} ${all - labelled === 1 ? "is" : "are"} yours to name.`;
}
