const most = 10_000

/**
 * Caches results by name for each object that they depend on (such as a secret's value), and drops them with the
 * object. Does not cache null. Clears the cache when it has too many names.
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

/** Returns the loaded value, at most `maxAgeMs` old. */
export type KeptReader<T> = (maxAgeMs?: number) => Promise<T>

/** Caches the result of `load`. If a reload fails, it keeps the old value, so that an outage stops nobody. */
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

export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
