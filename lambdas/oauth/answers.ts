import { OauthError } from '../../domain/oauth/errors.ts'
import type { StreamedResponse } from '../kit/operation.ts'

const json = (status: number, body: object): StreamedResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', Pragma: 'no-cache' },
  body: JSON.stringify(body),
})

/**
 * What `act` answers, or its refusal in OAuth's own shape (RFC 6749, section 5.2), which is the API's as well; who is refused is
 * counted first.
 */
export async function answer(
  admit: () => Promise<void>,
  act: () => Promise<object>,
  status: 200 | 201 = 200,
): Promise<StreamedResponse> {
  try {
    return json(status, await act())
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    await admit()
    const { code, message } = error
    return json(code === 'invalid_client' ? 401 : 400, { error: code, error_description: message, message })
  }
}

/** The fields of a form; one that comes twice makes the request unreadable (RFC 6749, section 3.2). @throws OauthError */
export function readForm(rawBody: string, type = ''): Record<string, string> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new OauthError('invalid_request', 'Send a form: Content-Type: application/x-www-form-urlencoded.')
  const fields = [...new URLSearchParams(rawBody)]
  const form = Object.fromEntries(fields)
  if (Object.keys(form).length !== fields.length) throw new OauthError('invalid_request', 'A field came twice.')
  return form
}
