import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'

/** Keeps failed work for SQS's maximum of 14 days. */
export const deadLetterQueue = (scope: Construct, id: string): Queue =>
  new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  })
