import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { keptMs } from '../../domain/chat/attachment.ts'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from './removal-policy.ts'

/** Restore points, files in transit (kept a day) and attachments of messages (kept 30 days). */
export class FilesBucket extends Construct {
  readonly bucket: Bucket

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Browsers use signed addresses. The signature authorises the request, so any origin is allowed.
      cors: [
        {
          allowedMethods: [HttpMethods.GET, HttpMethods.PUT],
          allowedOrigins: ['*'],
          allowedHeaders: ['content-type', 'x-amz-checksum-sha256'],
          maxAge: 3_600,
        },
      ],
      removalPolicy: removalPolicyOf(stage),
      lifecycleRules: [
        { prefix: 'handover/', expiration: Duration.days(1) },
        { prefix: 'attachments/', expiration: Duration.millis(keptMs) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    })
  }
}
