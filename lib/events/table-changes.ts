import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import type { TableName } from '../../adapters/dynamo/tables.ts'
import type { Area } from '../../lambdas/kit/area.ts'
import type { TableChanges } from '../../lambdas/kit/job.ts'
import type { Functions } from '../functions/functions.ts'

/** For connected clients: an older change is useless, because clients read again when they reconnect. */
const passing = { maxRecordAge: Duration.minutes(10), retryAttempts: 3 }

/** For lasting work: as many retries as Lambda allows, because nothing else repeats the work. */
const lasting = { maxRecordAge: Duration.hours(24), retryAttempts: 10_000 }

/** Starts jobs by the streams of the tables that they name. */
export function followTables(
  areas: readonly Area[],
  functions: Functions,
  tables: Record<TableName, ITable>,
  deadLetters: Queue,
): void {
  for (const area of areas) {
    const changes = area.jobs.flatMap(({ on }) => ('table' in on ? [on] : []))
    for (const [name, table] of Object.entries(tables)) {
      const ofTable = changes.filter((change) => change.table === name)
      if (ofTable.length === 0) continue
      functions.of(area).addEventSource(
        new DynamoEventSource(table, {
          startingPosition: StartingPosition.LATEST,
          batchSize: 100,
          // Changes of one key stay in order. Ten parallel batches, so that a slow connection delays few others.
          parallelizationFactor: 10,
          bisectBatchOnError: true,
          ...(ofTable.some((change) => change.lasting) ? lasting : passing),
          filters: [...new Map(ofTable.flatMap(filtersOf).map((filter) => [JSON.stringify(filter), filter])).values()],
          onFailure: new SqsDlq(deadLetters),
        }),
      )
    }
  }
}

/** The handler checks each record again. Jobs of one area with the same condition share a filter. */
const filtersOf = ({ key, prefixes, changes, having, gaining = [] }: TableChanges) => {
  const there = (name: string) => ({ [name]: { S: FilterRule.exists() } })
  const notThere = (name: string) => ({ [name]: { S: FilterRule.notExists() } })
  const kept = having ? [{ NewImage: there(having) }] : [{}]
  const modified =
    gaining.length > 0 ? gaining.map((name) => ({ NewImage: there(name), OldImage: notThere(name) })) : kept
  return changes.flatMap((change) =>
    (change === 'MODIFY' ? modified : [{}]).map((images) => {
      const is = { Keys: { [key]: { S: prefixes.map((prefix) => ({ prefix })) } } }
      return FilterCriteria.filter({ eventName: FilterRule.isEqual(change), dynamodb: { ...is, ...images } })
    }),
  )
}
