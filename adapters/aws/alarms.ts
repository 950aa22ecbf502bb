import { Metrics } from '@aws-lambda-powertools/metrics'
import type { Basics } from '../../app/ports/basics.ts'
import { alarmNamespace, measures } from '../../domain/alarms.ts'

/** Powertools must write past `console`: Lambda's JSON logging would put the metric into a string. */
export const alarms = (stage: string): Basics['alarms'] => {
  const metrics = new Metrics({ namespace: alarmNamespace })
  // Otherwise each metric would have a dimension `service` that the alarms do not use.
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
