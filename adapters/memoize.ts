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

/** What `make` makes when it is first asked for, and the same ever after. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
