/** Writes out characters that would hide, break the line or change its direction. */
export const shownName = (name: string): string =>
  name.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
    (hidden) => `‹U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  )
