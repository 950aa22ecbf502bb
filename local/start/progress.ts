/** Prints a phase with its duration when it has ended well. */
export async function timed<Result>(
  print: (line: string) => void,
  phase: string,
  work: Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now()
  const result = await work
  print(`${phase}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  return result
}
