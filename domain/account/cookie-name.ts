/** Browsers accept a name with `__Secure-` over HTTPS only, which a laptop does not have. */
export const cookieName = <N extends string>(name: N, production: boolean) =>
  `${production ? '__Secure-' : ''}service.${name}` as const
