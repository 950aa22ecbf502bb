import { EventBus } from 'aws-cdk-lib/aws-events'
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53'
import {
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses'
import { CfnOutput, Fn, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** The SES configuration set for all mail of a stage. */
export const configurationSetName = (stage: string): string => `berth-${stage}`

/**
 * The SES identity of the sender, if the stage names one: a domain with DKIM and its own MAIL FROM, or an address.
 * After a bounce or a complaint, SES suppresses the address and puts an event on the account's bus.
 */
export class MailIdentity extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    const { domain, from, verified } = stage.mail
    if (!verified) return
    const configurationSet = new ConfigurationSet(this, 'Sending', {
      configurationSetName: configurationSetName(stage.name),
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
      reputationMetrics: true,
      // Required TLS would drop sign-in codes to hosts without TLS, and their recipients could not sign in.
      tlsPolicy: ConfigurationSetTlsPolicy.OPTIONAL,
    })
    configurationSet.addEventDestination('Returned', {
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, 'Bus', 'default')),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    })
    if (!domain) {
      new EmailIdentity(this, 'Identity', { identity: Identity.email(from), configurationSet })
      return
    }
    const { name: zoneName, hostedZoneId } = domain
    const mailFromDomain = `mail.${zoneName}`
    const identity =
      hostedZoneId === undefined
        ? Identity.domain(zoneName)
        : Identity.publicHostedZone(
            PublicHostedZone.fromPublicHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName }),
          )
    const made = new EmailIdentity(this, 'Domain', { identity, configurationSet, mailFromDomain })
    const records = [
      ...made.dkimRecords.map(({ name, value }) => `${name} CNAME ${value}`),
      `${mailFromDomain} MX 10 feedback-smtp.${Stack.of(this).region}.amazonses.com`,
      `${mailFromDomain} TXT "v=spf1 include:amazonses.com ~all"`,
      `_dmarc.${zoneName} TXT "v=DMARC1; p=quarantine"`,
    ]
    // The domain's owner adds the DMARC record, even if Route 53 gets the other records.
    const missing = hostedZoneId === undefined ? records : records.slice(-1)
    new CfnOutput(Stack.of(this), 'MailRecords', {
      description: 'Records that the mail domain’s DNS needs',
      value: Fn.join('; ', missing),
    })
  }
}
