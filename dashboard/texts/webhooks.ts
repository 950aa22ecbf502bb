import type { RunOutcome } from '../../domain/instance/schedules.ts'
import type { DeliveryTry, WebhookDelivery } from '../../domain/webhooks/delivery.ts'
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts'

export const webhookTexts = {
  hooks: {
    title: 'Webhooks in',
    from: 'Another program',
    to: 'Your agent',
    hint: 'Each webhook has its own address. When a program sends a request to it, your agent gets the request together with your instruction. A request wakes a machine that sleeps, but not one that you paused.',
    limit: (anHour: number) => `Each address accepts ${anHour} requests an hour.`,
    empty: 'No webhook yet. Add one for GitHub, a monitor or your own script.',
    outcomes: {
      sent: 'asked',
      paused: 'refused, the machine was paused',
      'no-instance': 'refused, there was no machine',
      'wallet-empty': 'refused, the wallet could not pay',
    } satisfies Record<RunOutcome, string>,
    newSecret: 'New secret',
    /** For screen readers, after the button's name. */
    newSecretFor: (name: string) => `for ${name}`,
    remove: 'Delete',
    name: 'Webhook’s name',
    namePlaceholder: 'Failed builds',
    text: 'What the agent does with each request',
    textPlaceholder: 'Look at what failed, and tell me why.',
    add: 'Add webhook',
    address: 'Webhook address',
    secret: 'Webhook secret',
    curl: 'Webhook curl command',
    curlText: 'It works.',
    /** Before and after the content type. */
    senders: 'GitHub: paste address and secret, content type',
    sendersEnd: '. Senders that follow Standard Webhooks need the same two.',
  },

  copyOnce: (name: string) => `Copy the secret of “${name}” now. It is shown only once.`,
  stored: 'I have stored it',

  endpoints: {
    title: 'Webhooks out',
    from: 'Your account',
    to: 'Your program',
    hint: 'Berth sends events of this account to your program, as signed POST requests. It retries a failed delivery for a day.',
    limit: (anHour: number) => `Each endpoint gets up to ${anHour} deliveries an hour.`,
    secret: 'Endpoint secret',
    secretHint:
      'Your program uses it to check that a request came from Berth. Any Standard Webhooks library does this.',
    empty: 'No endpoint yet. Add one to tell your program when the agent answers.',
    everyEvent: 'every event',
    hide: 'Hide',
    deliveries: 'Deliveries',
    test: 'Test',
    disable: 'Disable',
    enable: 'Enable',
    newSecret: 'New secret',
    remove: 'Delete',
    disabled: {
      failing: 'disabled, it failed for three days',
      gone: 'disabled, it answered that it is gone',
      owner: 'disabled',
    } satisfies Record<NonNullable<WebhookEndpoint['disabled']>, string>,
    failingSince: (when: string) => `failing since ${when}`,
    hourFull: (when: string) => `a limit of your plan was reached ${when}`,
    oldSecretUntil: (when: string) => `old secret until ${when}`,
    name: 'Endpoint’s name',
    namePlaceholder: 'My log',
    address: 'URL',
    toldOfEvery: 'Send every event',
    events: 'Subscribed events',
    add: 'Add endpoint',
  },

  deliveries: {
    lookAgain: 'Refresh',
    /** For screen readers, after the button's name. */
    lookAgainAt: (name: string) => `deliveries to ${name}`,
    title: (name: string) => `Deliveries to ${name}`,
    empty: 'Nothing was sent in the last week.',
    sendAgain: 'Send again',
    /** For screen readers, after the button's name. @param type of the event, such as `message.created` */
    sendAgainOf: (type: string, when: string) => `${type} of ${when}`,
    states: {
      pending: 'waits',
      delivered: 'was delivered',
      failed: 'failed',
    } satisfies Record<WebhookDelivery['state'], string>,
    tries: (count: number) => `${count} tries`,
    answered: (status: number | null, ms: number) => `answered ${status} after ${ms} ms`,
    failures: {
      'refused-address': 'its address is not public',
      unreachable: 'could not be reached',
      timeout: 'did not answer in time',
      tls: 'has no valid certificate',
    } satisfies Record<NonNullable<DeliveryTry['failure']>, string>,
    failedAfter: (failure: string, ms: number) => `${failure} after ${ms} ms`,
    cancelled: {
      'endpoint-deleted': 'not sent: the endpoint is gone',
      'endpoint-disabled': 'not sent: the endpoint is disabled',
      'not-subscribed': 'not sent: the endpoint no longer subscribes to this event',
      'too-late': 'not sent: it was too late',
    } satisfies Record<NonNullable<WebhookDelivery['cancelled']>, string>,
    nextTry: (when: string) => `next try ${when}`,
  },
}
