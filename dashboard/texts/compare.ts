export const compareTexts = {
  same: 'The texts are the same.',
  between: (before: string, after: string) => `What is different: ${before}, ${after}`,
  fold: (lines: string) => `${lines} lines that are the same`,
  more: (lines: string) => `Show more (${lines} lines)`,
  take: 'Take this',
  /** For screen readers, before a line. */
  added: 'Added:',
  removed: 'Removed:',
}
