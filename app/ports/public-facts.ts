export interface Contact {
  /** The mail address for reports of abuse and security problems. */
  abuseMail(): string
}

export interface OpenapiDocument {
  read(): Promise<Record<string, unknown>>
}
