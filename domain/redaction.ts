/** A run of 43 characters looks like 256 random bits; any text after `Bearer` or a secret's name counts too. */
const secretShapes = [
  /\boss_[0-9A-Za-z]{8,}/g,
  /\bbmt_[\w-]+(?:\.[\w-]+)*/g,
  /\b(?:sk|rk|pk)[-_][\w-]{8,}/g,
  /\bwhsec_[\w+/=-]+/g,
  /\b(?:gh[opsur]|github_pat)_\w{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{12,}/g,
  /\bx(?:ox[a-z]|app)-[\w-]{8,}/g,
  /\b\d{6,12}:[\w-]{35}\b/g,
  /(?<=\bbearer\s+)[^\s"',;]+/gi,
  /(?<=\b(?:session|secret|token|code|key|password)=)[^\s"',;&]+/gi,
  /(?<![\w-])[\w-]{43}(?![\w-])/g,
  // E-mail addresses: no secrets, but personal data.
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
]

export const redact = (text: string): string =>
  secretShapes.reduce((rest, shape) => rest.replace(shape, '[redacted]'), text)
