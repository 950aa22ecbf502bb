/** Name of a cookie. A browser takes one that starts with `__Secure-` over HTTPS alone, which a laptop does not have. */
export const cookieName = <N extends string>(name: N, production: boolean) =>
  `${production ? '__Secure-' : ''}service.${name}` as const
