const messages =
  /The wallet is empty\.[^"\n]*?try again\.|The wallet is suspended:[^"\n]*?looked into\.|Today’s (spending )?limit of [^"\n]*?00:00 UTC\./

/** What the wallet did not pay for, in the service's own words where a program repeats them among its own; undefined when it is about something else. */
export function unpaidIn(said: string): string | undefined {
  const [message] = messages.exec(said) ?? []
  if (message) return message
  if (!/wallet-empty|spending-limit|wallet-suspended/.test(said)) return undefined
  return 'The wallet does not pay for this. See the wallet page of the dashboard, then send me your message again.'
}
