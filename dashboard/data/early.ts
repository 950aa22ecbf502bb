/** Answers to requests that `public/first.js` sent while the code was loading. */
declare global {
  interface Window {
    berthEarly?: { sentMs: number; answers: Record<string, Promise<Response>> }
  }
}

const early = globalThis.window?.berthEarly

/**
 * The answer to an early request, once: later reads of the address are requested again. A write ends all early answers,
 * because they may be older than what it changes, such as who is signed in.
 */
export function takeEarly(url: string, request: RequestInit | undefined): Promise<Response> | undefined {
  if (!early) return
  if (request?.method !== 'GET') early.answers = {}
  const answer = early.answers[url]
  delete early.answers[url]
  return answer
}

/** Time since the early requests were sent, ms; 0 without any. */
export const earlyMs = (): number => (early ? performance.now() - early.sentMs : 0)

/** Whether this browser was signed in at its last visit. */
export const wasSignedIn = (): boolean => localStorage.getItem('signed-in') !== null

/** Remembered for the next visit: `public/first.js` then requests the account's data at once. */
export function noteSignedIn(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem('signed-in', 'yes')
  else localStorage.removeItem('signed-in')
}
