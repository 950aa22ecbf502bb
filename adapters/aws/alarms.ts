import { Metrics } from '@aws-lambda-powertools/metrics'
import type { Basics } from '../../app/ports.ts'
import { alarmNamespace, measures } from '../../domain/alarms.ts'

/**
 * Metrics in CloudWatch's embedded format, a line each. Powertools writes past the function's `console`: of what that
 * prints, Lambda's JSON logging makes a string inside a line of its own, in which CloudWatch sees no metric.
 */
export const alarms = (stage: string): Basics['alarms'] => {
  const metrics = new Metrics({ namespace: alarmNamespace })
  // Else each metric would have a dimension `service`, which no alarm asks for.
  metrics.clearDefaultDimensions()
  return {
    raise(name, value, facts) {
      for (const [fact, said] of Object.entries({ level: 'ERROR', ...facts })) metrics.addMetadata(fact, String(said))
      metrics.addDimensions({ stage }).addMetric(name, 'Count', value).publishStoredMetrics()
    },
    measure(name, value, dimensions = {}, facts = {}) {
      for (const [fact, said] of Object.entries(facts)) metrics.addMetadata(fact, said)
      metrics
        .addDimensions({ stage, ...dimensions })
        .addMetric(name, measures[name], value)
        .publishStoredMetrics()
    },
  }
}
