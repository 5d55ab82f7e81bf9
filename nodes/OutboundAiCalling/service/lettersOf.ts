/** The letters of a word for comparing: `In-Progress` and `in_progress` have the same. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}]/gu, '');
}
