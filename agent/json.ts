/**
 * The object in a JSON text, or an empty one. `T` is the writer's intention: a reader of files that others may change,
 * or of a foreign stream, must check the values.
 */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : {} // safe because every field may be missing
  } catch {
    return {}
  }
}
