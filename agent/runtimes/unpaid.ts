const messages =
  /The wallet is empty\.[^"\n]*?try again\.|The wallet is suspended:[^"\n]*?look into it\.|Today’s (spending )?limit of [^"\n]*?00:00 UTC\./

/** The wallet's refusal, in the service's own words where a program repeats them; undefined for other failures. */
export function unpaidIn(said: string): string | undefined {
  const [message] = messages.exec(said) ?? []
  if (message) return message
  if (!/wallet-empty|spending-limit|wallet-suspended/.test(said)) return undefined
  return 'The wallet does not pay for this. See the wallet page of the dashboard, then send me your message again.'
}
