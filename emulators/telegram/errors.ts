/** The fields that Telegram adds to a refusal's text. */
interface ResponseParameters {
  retry_after?: number
  migrate_to_chat_id?: number
}

/** A refusal in the words of the Bot API. */
export class ApiFailure extends Error {
  readonly status: number
  readonly parameters: ResponseParameters | undefined

  constructor(status: number, message: string, parameters?: ResponseParameters) {
    super(titles[status] === message ? message : `${titles[status] ?? 'Error'}: ${message}`)
    this.status = status
    this.parameters = parameters
  }
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
}

export const bad = (message: string): ApiFailure => new ApiFailure(400, message)
export const forbidden = (message: string): ApiFailure => new ApiFailure(403, message)
