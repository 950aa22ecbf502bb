const loopback = '//127.0.0.1'

/** The public origin and, on a laptop, the same port under `localhost`: browsers make no passkeys for an IP address. */
export const ownOrigins = (publicOrigin: string): string[] =>
  publicOrigin.includes(loopback) ? [publicOrigin, publicOrigin.replace(loopback, '//localhost')] : [publicOrigin]

/** The host name that passkeys belong to. */
export const relyingPartyId = (publicOrigin: string): string => new URL(ownOrigins(publicOrigin).at(-1) ?? '').hostname
