/** An attempt returns this when another write came first. */
export const lost = Symbol('lost to another write')

/** Repeats an attempt until its write holds; returns `lost` when the last try lost too. */
export async function retry<T>(
  attempt: () => Promise<T | typeof lost>,
  { tries = 5, wait }: { tries?: number; wait?: (tried: number) => Promise<void> } = {},
): Promise<T | typeof lost> {
  for (let tried = 1; tried <= tries; tried++) {
    const result = await attempt()
    if (result !== lost) return result
    await wait?.(tried)
  }
  return lost
}
