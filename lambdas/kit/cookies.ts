import { cookieName } from '../../domain/account/cookie-name.ts'
import { knownBrowserTtlMs, loginCodeTtlMs, sessionTtlMs } from '../../domain/lifetimes.ts'

/** Every cookie of the service, and how long a browser keeps it, ms. */
const lifetimes = {
  session: sessionTtlMs,
  /** The sign-in attempts of this browser, newest first, separated by dots. */
  attempts: loginCodeTtlMs,
  /** Signed proof that this browser has signed in before. */
  browser: knownBrowserTtlMs,
} as const

export type CookieName = keyof typeof lifetimes

export function readCookie(
  headers: Readonly<Record<string, string>>,
  name: CookieName,
  production: boolean,
): string | null {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === cookieName(name, production)) return value.join('=') || null
  }
  return null
}

/** A Set-Cookie header; null clears the cookie. */
export const setCookie = (name: CookieName, value: string | null, production: boolean): string =>
  [
    `${cookieName(name, production)}=${value ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${value === null ? 0 : lifetimes[name] / 1000}`,
    ...(production ? ['Secure'] : []),
  ].join('; ')
