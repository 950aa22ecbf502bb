import type { compare as English } from '../en/compare.ts'

export const compare: typeof English = {
  same: 'Die Texte sind gleich.',
  between: (before, after) => `Was verschieden ist: ${before}, ${after}`,
  fold: (lines) => `${lines} gleiche Zeilen`,
  more: (lines) => `Mehr zeigen (${lines} Zeilen)`,
  take: 'Dies nehmen',
  added: 'Hinzugefügt:',
  removed: 'Entfernt:',
}
