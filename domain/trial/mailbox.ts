const sameProvider: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

const ignoresDots = new Set(['gmail.com'])

/**
 * One spelling for a mailbox: lower case, no plus suffix, at Gmail no full stops. Aliases, catch-all domains and other
 * separators are not detected; the limits of the mail domain and of the day cover those.
 * @param email a valid address
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const given = email.slice(at + 1).toLowerCase()
  const domain = sameProvider[given] ?? given
  const name = email.slice(0, at).toLowerCase()
  // An address that begins with the plus has no name before it.
  const plain = name.indexOf('+') > 0 ? name.slice(0, name.indexOf('+')) : name
  const spelled = ignoresDots.has(domain) ? plain.replaceAll('.', '') : plain
  return `${spelled || plain}@${domain}`
}

/** Second-level labels below which countries sell names: `co.uk`, `com.br`. */
const sold = /^(ac|co|com|edu|gob|gov|gouv|id|ltd|me|net|ne|nom|or|org|plc|sch)$/

/**
 * Subdomains count with it. Below an unknown public suffix (`github.io`) all names count as one, which refuses sooner
 * and never later.
 */
export function mailDomainOf(email: string): string {
  const domain = mailboxOf(email).split('@').at(-1) ?? ''
  const labels = domain.split('.')
  const country = labels.at(-1)?.length === 2 && sold.test(labels.at(-2) ?? '')
  return labels.slice(country ? -3 : -2).join('.')
}
