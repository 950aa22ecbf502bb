const most = 10_000

/**
 * Remembers what names came to, apart for each object they depend on (a secret's value, say): what was made of one
 * says nothing of another, and goes with it. Null is not remembered; when there are too many names all are forgotten.
 */
export function memoize<Of extends object, T>(): <N extends T | null>(of: Of, name: string, make: () => N) => N | T {
  const all = new WeakMap<Of, Map<string, T>>()
  return (of, name, make) => {
    const known = all.get(of) ?? new Map<string, T>()
    all.set(of, known)
    const before = known.get(name)
    if (before !== undefined) return before
    const made = make()
    if (made === null) return made
    if (known.size >= most) known.clear()
    known.set(name, made)
    return made
  }
}

/** A reader of what `load` loads; `maxAgeMs` asks for one no older than this. */
export type KeptReader<T> = (maxAgeMs?: number) => Promise<T>

/**
 * Keeps the result of `load` for this time. When it cannot be loaded again the older value goes on being used, so that
 * an outage of its store stops nobody.
 */
export function keptFor<T>(
  load: () => Promise<T>,
  freshMs: number,
  now: () => number = () => Date.now(),
): KeptReader<T> {
  let held: { value: T; atMs: number } | undefined
  let loading: Promise<T> | undefined
  const reload = async (): Promise<T> => {
    const value = await load()
    held = { value, atMs: now() }
    return value
  }
  return async (maxAgeMs = freshMs) => {
    if (held && now() - held.atMs < maxAgeMs) return held.value
    loading ??= reload().finally(() => {
      loading = undefined
    })
    try {
      return await loading
    } catch (error) {
      if (held) return held.value
      throw error
    }
  }
}

/** The result of `make`, computed at the first request and then kept. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
