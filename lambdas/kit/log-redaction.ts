import { Logger } from '@aws-lambda-powertools/logger'

/**
 * Shapes of everything that must never stand in a log: our tokens and cookies, and the keys of other services.
 * A run of 43 characters is what 256 random bits look like; whatever follows `Bearer` or a secret's name is one too.
 */
const secretShapes = [
  /\boss_[0-9A-Za-z]{8,}/g,
  /\bbmt_[\w-]+(?:\.[\w-]+)*/g,
  /\b(?:sk|rk|pk)[-_][\w-]{8,}/g,
  /\bwhsec_[\w+/=-]+/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{12,}/g,
  /\bx(?:ox[a-z]|app)-[\w-]{8,}/g,
  /\b\d{6,12}:[\w-]{35}\b/g,
  /(?<=\bbearer\s+)[^\s"',;]+/gi,
  /(?<=\b(?:session|secret|token|code|key|password)=)[^\s"',;&]+/gi,
  /(?<![\w-])[\w-]{43}(?![\w-])/g,
  // An address is no secret, but it is a person's.
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
]

const secretFields = /^(authorization|cookie|set-cookie|x-api-key|plaintext|code|password|secret\w*|token|key)$/i

/** Text with every secret-shaped part taken out. */
export const redact = (text: string): string =>
  secretShapes.reduce((rest, shape) => rest.replace(shape, '[redacted]'), text)

/** What an error log line says of anything thrown. */
export const redactedStack = (thrown: unknown): string =>
  redact(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))

const replacer = (name: string, value: unknown): unknown => {
  if (secretFields.test(name)) return '[redacted]'
  return typeof value === 'string' ? redact(value) : value
}

/** JSON lines with the request's id, secrets taken out. */
export const makeLogger = (area: string): Logger =>
  new Logger({ serviceName: `berth-${area}`, jsonReplacerFn: replacer, logRecordOrder: ['level', 'message'] })
