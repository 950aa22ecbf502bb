/** Writes a JSON line. Facts are ids, counts and codes; never a token, a key or what people wrote. */
export type Log = (message: string, facts?: Record<string, string | number | boolean | null | undefined>) => void

export const makeLog =
  (part: 'supervisor' | 'launcher' | 'runtime'): Log =>
  (message, facts = {}) =>
    void process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), part, message, ...facts })}\n`)

/** The name or code of an error: its text may hold an address or a key. */
export function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
}
