/** EventBridge's event about a returned e-mail, in the format of SES. */
const event = (detailType: string, to: string, detail: object) => ({
  version: '0' as const,
  id: '7bf73129-1428-4cd3-a780-95db273d1602',
  'detail-type': detailType,
  source: 'aws.ses',
  account: '123456789012',
  time: '2026-11-24T09:00:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:ses:eu-central-1:123456789012:configuration-set/berth-prod'],
  detail: {
    ...detail,
    mail: {
      timestamp: '2026-11-24T08:59:58.000Z',
      source: 'hello@example.com',
      sendingAccountId: '123456789012',
      messageId: '0107019',
      destination: [to],
      headersTruncated: false,
      tags: { 'ses:operation': ['SendEmail'], 'ses:configuration-set': ['berth-prod'] },
    },
  },
})

export const bounced = (to: string, bounceSubType = 'General', bounceType = 'Permanent') =>
  event('Email Bounced', to, {
    eventType: 'Bounce',
    bounce: {
      bounceType,
      bounceSubType,
      // The address that the e-mail was forwarded to.
      bouncedRecipients: [{ emailAddress: `forwarded-${to}`, action: 'failed', status: '5.1.1' }],
      timestamp: '2026-11-24T09:00:00.000Z',
      feedbackId: '0107019c',
      reportingMTA: 'dns; mail.example.com',
    },
  })

export const complained = (to: string) =>
  event('Email Complaint Received', to, {
    eventType: 'Complaint',
    complaint: { complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: 'abuse', feedbackId: '0107019d' },
  })
