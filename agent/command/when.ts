export class WhenError extends Error {
  override name = 'WhenError'
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `90m`, `2h`, `1d`, or seconds with or without `s`. @throws WhenError */
export function readDuration(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const letter = unit.charAt(0).toLowerCase()
  const each = letter === 's' || letter === '' ? 1_000 : unitMs[letter]
  if (number === undefined || each === undefined)
    throw new WhenError(`"${text}" is no time span; use 30s, 10m, 2h or 1d.`)
  return Number(number) * each
}

/** `in 2h`, an instant with its zone, or a cron line of five fields. @throws WhenError */
export function readWhen(text: string, nowMs: number): { at: string } | { cron: string } {
  const when = text.trim()
  const span = /^in\s+(.+)$/i.exec(when)?.[1]
  if (span !== undefined) return { at: new Date(nowMs + readDuration(span)).toISOString() }
  if (when.split(/\s+/).length === 5) return { cron: when }
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/i.test(when) && !Number.isNaN(Date.parse(when)))
    return { at: new Date(when).toISOString() }
  throw new WhenError(
    `"${text}" is not understood; use "in 2h", an instant such as 2026-11-24T08:00:00Z, or a cron line such as "0 8 * * 1-5".`,
  )
}
