import { cut } from '../text.ts'

const browsers = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/.*Safari\//],
  ['curl', /^curl\//],
] as const

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
] as const

/** Browser family and system, such as `Firefox on Linux`; the rest of the user agent is not kept. */
export function deviceOf(userAgent: string | undefined): string {
  const text = cut(userAgent ?? '', 512)
  const named = (list: readonly (readonly [string, RegExp])[]) => list.find(([, shape]) => shape.test(text))?.[0]
  const browser = named(browsers) ?? 'Unknown browser'
  const system = named(systems)
  return system ? `${browser} on ${system}` : browser
}
