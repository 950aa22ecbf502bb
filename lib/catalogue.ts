export const readCatalogue = (_: string) => ({ skills: [], personas: [] })
