import { Logger } from '@aws-lambda-powertools/logger'

/** Shapes of everything that must never be read in a log: tokens, keys, cookies, card-sized numbers, codes by name. */
const secretShapes =
  /\b(?:oss_[0-9A-Za-z]{8,}|bmt_[\w-]+\.[\w-]+\.?[\w-]*|(?:sk|rk|pk)[-_][\w-]{8,}|whsec_\w+|AKIA\w{12,}|[\w-]{43}(?![\w-]))/g

const secretFields = /^(authorization|cookie|set-cookie|x-api-key|plaintext|code|password|secret\w*|token|key)$/i

/** Text with every secret-shaped part taken out. */
export const redact = (text: string): string => text.replace(secretShapes, '[redacted]')

const replacer = (name: string, value: unknown): unknown => {
  if (typeof value === 'string') return secretFields.test(name) ? '[redacted]' : redact(value)
  return value
}

/** JSON lines with the request's id, secrets taken out. */
export const makeLogger = (area: string): Logger =>
  new Logger({ serviceName: `berth-${area}`, jsonReplacerFn: replacer, logRecordOrder: ['level', 'message'] })
