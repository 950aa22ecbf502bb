/** A request's answer; undefined if it is refused with this error, which the caller tolerates. */
export async function tolerate<T>(refusal: abstract new (...given: never[]) => Error, request: Promise<T>) {
  try {
    return await request
  } catch (error) {
    if (error instanceof refusal) return undefined
    throw error
  }
}
