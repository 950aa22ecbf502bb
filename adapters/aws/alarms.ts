import type { Basics } from '../../app/ports.ts'
import { alarmNamespace } from '../../domain/alarms.ts'

/**
 * Metrics in CloudWatch's embedded format. They go to standard output as they are: of what `console` prints, Lambda's
 * JSON logging makes a string inside a line of its own, in which CloudWatch sees no metric.
 */
export const alarms = (stage: string): Basics['alarms'] => ({
  raise(name, value, facts) {
    const metric = { Namespace: alarmNamespace, Dimensions: [['stage']], Metrics: [{ Name: name, Unit: 'Count' }] }
    const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [metric] }
    process.stdout.write(`${JSON.stringify({ level: 'ERROR', _aws, ...facts, stage, [name]: value })}\n`)
  },
})
