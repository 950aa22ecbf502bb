/** What a request answers; undefined when it is refused with this error, which says what its caller can live with. */
export async function tolerate<T>(refusal: abstract new (...given: never[]) => Error, request: Promise<T>) {
  try {
    return await request
  } catch (error) {
    if (error instanceof refusal) return undefined
    throw error
  }
}
