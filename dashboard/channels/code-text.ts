/** A code in two halves: `K7MW-QZ4X`. */
export const inGroups = (code: string): string => {
  const half = Math.ceil(code.length / 2)
  return `${code.slice(0, half)}-${code.slice(half)}`
}

export const showSecondsLeft = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
