/** Every published version of the terms, the present one last. A change of the text is a new version. */
export const termsVersions = ['2026-11-01'] as const

export type TermsVersion = (typeof termsVersions)[number]

export const presentTerms: TermsVersion = termsVersions[termsVersions.length - 1] ?? termsVersions[0]
