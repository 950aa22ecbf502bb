import { OauthError } from '../../domain/oauth/errors.ts'

/** A form's fields; a repeated field is refused (RFC 6749, section 3.2). @throws OauthError */
export function readForm(rawBody: string, type = ''): Record<string, string> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw new OauthError('invalid_request', 'Send a form: Content-Type: application/x-www-form-urlencoded.')
  const fields = [...new URLSearchParams(rawBody)]
  const form = Object.fromEntries(fields)
  if (Object.keys(form).length !== fields.length) throw new OauthError('invalid_request', 'A field came twice.')
  return form
}
