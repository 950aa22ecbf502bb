/** The response; undefined if the request failed with this error. */
export async function tolerate<T>(refusal: abstract new (...given: never[]) => Error, request: Promise<T>) {
  try {
    return await request
  } catch (error) {
    if (error instanceof refusal) return undefined
    throw error
  }
}
