/**
 * The object a JSON text holds; empty when it holds none. `T` is what its writer meant: whoever reads a file that others
 * may have changed, or a stream that is not ours, checks what it takes.
 */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : {} // safe because every field may be missing
  } catch {
    return {}
  }
}
