/** Does something every so many ms while the page can be seen. @returns what ends it */
export function repeatWhileSeen(act: () => void, everyMs: number): () => void {
  const timer = setInterval(() => document.visibilityState === 'visible' && act(), everyMs)
  return () => clearInterval(timer)
}
