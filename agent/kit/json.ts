/** The object in a JSON text, or an empty one. Check the values of text that others may write: `T` is not verified. */
export function parseObject<T extends object>(text: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : {} // safe because every field may be missing
  } catch {
    return {}
  }
}
