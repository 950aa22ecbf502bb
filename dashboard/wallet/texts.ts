import { wallet as de } from '../texts/de/wallet.ts'
import { wallet as en } from '../texts/en/wallet.ts'
import { inLanguage } from '../texts/index.ts'

export const walletTexts = inLanguage({ en, de })
