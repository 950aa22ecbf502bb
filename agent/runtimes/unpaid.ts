const messages =
  /The wallet is empty\.[^"\n]*?try again\.|The wallet is suspended:[^"\n]*?look into it\.|Today’s (spending )?limit of [^"\n]*?00:00 UTC\./

/** The service's refusal for lack of money, in a program's output; undefined for other failures. */
export function unpaidIn(output: string): string | undefined {
  const [message] = messages.exec(output) ?? []
  if (message) return message
  if (!/wallet-empty|spending-limit|wallet-suspended/.test(output)) return undefined
  return 'The wallet does not pay for this. See the wallet page of the dashboard, then send me your message again.'
}
