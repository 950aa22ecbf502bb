import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'
import { type TableName, type TableShape, tables } from '../../adapters/dynamo/tables.ts'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from './removal-policy.ts'

/** Every table of `adapters/dynamo/tables.ts`: paid per request, restorable to any second of the last 35 days. */
export class Tables extends Construct {
  readonly byName: Record<TableName, Table>

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    const made = Object.entries<TableShape>(tables).map(([name, shape]) => [name, this.#make(name, shape, stage)])
    this.byName = Object.fromEntries(made) as Record<TableName, Table> // safe because made has one entry per table name
  }

  #make(name: string, shape: TableShape, stage: Stage): Table {
    const table = new Table(this, name, {
      partitionKey: text(shape.partition),
      ...(shape.sort && { sortKey: text(shape.sort) }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: stage.tableKeys === 'aws-managed' ? TableEncryption.AWS_MANAGED : TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !stage.disposable,
      removalPolicy: removalPolicyOf(stage),
      ...(shape.ttl && { timeToLiveAttribute: 'ttl' }),
      ...(shape.stream && { stream: StreamViewType.NEW_AND_OLD_IMAGES }),
    })
    for (const [indexName, index] of Object.entries(shape.indexes ?? {})) {
      const type = index.sortType === 'number' ? AttributeType.NUMBER : AttributeType.STRING
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(index.partition),
        sortKey: { name: index.sort, type },
        projectionType: ProjectionType.KEYS_ONLY,
      })
    }
    return table
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING })
