/** Every version of the terms that people were shown, the present one last. A change of their text is a new version. */
export const termsVersions = ['2026-11-01'] as const

export type TermsVersion = (typeof termsVersions)[number]

export const presentTerms: TermsVersion = termsVersions[termsVersions.length - 1] ?? termsVersions[0]
