/** Waits for a promise, at most `ms`, or until `left` is raised. */
export async function waitFor(promise: Promise<unknown>, ms: number, left: AbortSignal): Promise<void> {
  const end = Promise.withResolvers<void>()
  const timer = setTimeout(end.resolve, ms)
  const leave = () => end.resolve()
  left.addEventListener('abort', leave)
  if (left.aborted) leave()
  await Promise.race([promise, end.promise])
  clearTimeout(timer)
  left.removeEventListener('abort', leave)
}

export const aborted = (signal: AbortSignal, ms: number): Promise<void> => waitFor(new Promise(() => {}), ms, signal)
