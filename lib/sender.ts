import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses'
import { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** Asks SES to verify the sender of the service's mails, if the stage names one. */
export class Sender extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    if (stage.mail.verified) new EmailIdentity(this, 'Identity', { identity: Identity.email(stage.mail.from) })
  }
}
