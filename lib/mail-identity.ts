import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses'
import { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** The SES identity that the service's mails come from; SES verifies it, if the stage names one. */
export class MailIdentity extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    if (stage.mail.verified) new EmailIdentity(this, 'Identity', { identity: Identity.email(stage.mail.from) })
  }
}
