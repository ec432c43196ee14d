/** Apart from the console's components: commands import it, and Node runs no `.tsx`. */
export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
