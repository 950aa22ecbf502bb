/**
 * The object a JSON text holds; empty when it holds none. `T` is the writer's intention: a reader of a file that others
 * may have changed, or of a foreign stream, must check its values.
 */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : {} // safe because every field may be missing
  } catch {
    return {}
  }
}
