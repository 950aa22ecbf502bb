import type { Invoice } from '../../domain/billing/invoice.ts'

export const billingTexts = {
  title: 'Billing',
  portal: {
    pay: 'Pay or change the card',
    keep: 'Keep the subscription, or change the card',
    change: 'Change the card, or cancel',
  },

  subscription: {
    title: 'Subscription',
    active: 'Active',
    due: 'Payment due',
    plan: 'Plan',
    renews: (day: string) => `Renews on ${day}.`,
    renewsAs: (day: string, plan: string) => `Renews on ${day} as ${plan}.`,
    ends: (day: string) => `Ends on ${day}. Your files are kept for 30 days after that.`,
    failed: 'The last payment did not go through. It is tried again; check your card.',
  },

  plans: {
    ended: 'Your subscription has ended',
    endedHint: 'Your files are kept for 30 days. Subscribe again, and your agent goes on where it was.',
    choose: 'Choose a plan',
    chooseHint: 'A plan is a machine for your agent, with storage that stays and credit for model calls each month.',
    included: (amount: string) => `${amount} of model calls included each month`,
    machine: (cores: number, memory: string) => `${cores} vCPU, ${memory} of memory`,
    storage: (gibibytes: number) => `${gibibytes} GiB of files that stay`,
    sleeps: 'Sleeps when idle, wakes on a message',
    schedules: (most: number, leastMinutes: number) =>
      `${most} schedules, each as often as every ${leastMinutes} minutes`,
    perMonth: 'per month',
    subscribe: (plan: string) => `Subscribe to ${plan}`,
  },

  change: {
    title: 'Plan',
    contents: (price: string, memoryGiB: number, storageGiB: number) =>
      `${price} a month, ${memoryGiB} GiB of memory, ${storageGiB} GiB of files`,
    own: 'Your plan',
    begins: (day: string) => `Begins ${day}`,
    beginsNext: 'Begins with your next period',
    keep: (plan: string) => `Keep ${plan}`,
    change: (plan: string) => `Change to ${plan}`,
    confirm: 'Confirm',
    notNow: 'Not now',
    done: (plan: string) => `You are on ${plan}.`,
    comes: (plan: string) => `${plan} begins with your next period.`,
    payFirst: 'A payment is due. Pay it first, then change the plan.',
    keepFirst: 'The subscription is set to end. Keep it first, then change the plan.',
    /** In place of an unknown day. */
    periodEnd: 'the period ends',
    stay: (plan: string) => `You stay on ${plan}, and the change is taken back.`,
    down: (own: string, until: string, plan: string, price: string) =>
      `You keep ${own} until ${until}; then ${plan} begins at ${price} a month.`,
    up: (plan: string, until: string, price: string) =>
      `${plan} begins now. Your card is charged the difference for the days until ${until}, and ${price} a month after that. The machine takes its new size when it starts next.`,
  },

  invoices: {
    title: 'Invoices',
    empty: 'None yet.',
    emptyHint: 'Each month’s invoice is listed here. Top-ups are in the wallet, with their receipts by e-mail.',
    statuses: {
      draft: 'Being made',
      open: 'Due',
      paid: 'Paid',
      void: 'Called off',
      uncollectible: 'Not paid',
    } satisfies Record<Invoice['status'], string>,
    view: 'View',
    /** For screen readers, after the link's name. */
    viewOf: (number: string, day: string) => `invoice ${number} of ${day}`,
  },
}
