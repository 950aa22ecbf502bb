export const codeMs = 3_600_000

export const maxLinks = 20
