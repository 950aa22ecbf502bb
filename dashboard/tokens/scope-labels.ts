import { scopes as de } from '../texts/de/scopes.ts'
import { scopes as en } from '../texts/en/scopes.ts'
import { inLanguage } from '../texts/index.ts'

/** What each scope lets a token do. */
export const scopeLabels = inLanguage({ en, de })
