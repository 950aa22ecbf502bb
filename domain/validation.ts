import type * as z from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** In the service's own words; a schema's own message has priority. */
export function explainIssue(issue: Issue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'This is required.'
  switch (issue.code) {
    case 'invalid_type':
      return `Use ${withArticle(issue.expected)}.`
    case 'too_small':
      return `Use at least ${amount(Number(issue.minimum), issue.origin)}${issue.inclusive === false ? ' and more' : ''}.`
    case 'too_big':
      return `Use at most ${amount(Number(issue.maximum), issue.origin)}${issue.inclusive === false ? ' and less' : ''}.`
    case 'invalid_value':
      return `Use ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}.`
    case 'invalid_format':
      return `This is not ${formats[issue.format] ?? 'written as it should be'}.`
    case 'not_multiple_of':
      return `Use a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return 'There is no such field.'
    default:
      return 'This value is not accepted.'
  }
}

const formats: Record<string, string> = {
  datetime: 'an instant in ISO 8601 UTC, such as 2026-11-01T12:00:00.000Z',
  date: 'a day, such as 2026-11-01',
  email: 'an e-mail address',
  url: 'an address',
}

const withArticle = (type: string): string =>
  type === 'int' ? 'a whole number' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type === 'record' ? 'object' : type}`

function amount(count: number, origin: string): string {
  const unit = { string: 'character', array: 'item', set: 'item', map: 'entry', object: 'field' }[origin]
  return unit ? `${count} ${unit}${count === 1 ? '' : 's'}` : String(count)
}
