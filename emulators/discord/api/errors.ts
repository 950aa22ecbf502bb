/** Discord's errors, by the codes it documents. */
export class ApiError extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message)
    this.status = status
    this.body = { message, code, ...(errors && { errors }) }
  }
}

export const unauthorized = () => new ApiError(401, 0, '401: Unauthorized')
export const unknownRoute = () => new ApiError(404, 0, '404: Not Found')
export const unknown = {
  channel: () => new ApiError(404, 10_003, 'Unknown Channel'),
  guild: () => new ApiError(404, 10_004, 'Unknown Guild'),
  member: () => new ApiError(404, 10_007, 'Unknown Member'),
  message: () => new ApiError(404, 10_008, 'Unknown Message'),
  user: () => new ApiError(404, 10_013, 'Unknown User'),
  webhook: () => new ApiError(404, 10_015, 'Unknown Webhook'),
}
export const missingAccess = () => new ApiError(403, 50_001, 'Missing Access')
export const emptyMessage = () => new ApiError(400, 50_006, 'Cannot send an empty message')
export const cannotMessage = () => new ApiError(403, 50_007, 'Cannot send messages to this user')
export const notAuthor = () => new ApiError(403, 50_005, 'Cannot edit a message authored by another user')
export const tooLarge = () => new ApiError(413, 40_005, 'Request entity too large')

/** `field` is a path such as `components.0.components.1.label`. */
export function invalidForm(field: string, code: string, message: string): ApiError {
  const errors = field
    .split('.')
    .reduceRight<object>((inner, name) => ({ [name]: inner }), { _errors: [{ code, message }] })
  return new ApiError(400, 50_035, 'Invalid Form Body', errors)
}
