import { Logger } from '@aws-lambda-powertools/logger'
import type { Settings } from '../../app/ports/basics.ts'
import { redact } from '../../domain/redaction.ts'

const secretFields = /^(authorization|cookie|set-cookie|x-api-key|plaintext|code|password|secret\w*|token|key)$/i

export const redactedStack = (thrown: unknown): string =>
  redact(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))

const replacer = (name: string, value: unknown): unknown => {
  if (secretFields.test(name)) return '[redacted]'
  return typeof value === 'string' ? redact(value) : value
}

/** Lambda's own log level must stay at INFO: a metric's line has no level, and would be dropped above that. */
export function makeLogger(area: string, { logLevel }: Pick<Settings, 'logLevel'>): Logger {
  const logger = new Logger({
    serviceName: `berth-${area}`,
    jsonReplacerFn: replacer,
    logRecordOrder: ['level', 'message'],
  })
  if (logLevel === 'ERROR') logger.info = () => {}
  return logger
}
