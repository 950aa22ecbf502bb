/** What the pages say, in the language of their reader. */
import type { Texts } from './en/index.ts'
import { en } from './en/index.ts'

export type { Texts }

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const key = 'language'
const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && text in languages

/** What the reader chose here, else the first of the browser's languages that there is. */
export function chosenLanguage(): Language {
  const chosen = localStorage.getItem(key)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

/** Keeps the choice and shows everything anew. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(key, language)
  window.location.reload()
}

export let texts: Texts = en
const spoken = (): Language => (texts === en ? 'en' : 'de')

/**
 * What a page says that no other does, in the language of `texts`. It comes with the page's own code, so that the first page of
 * all does not carry what every other says.
 */
export const inLanguage = <T>(each: Record<Language, T>): T => each[spoken()]

/** How dates and numbers are written: as the browser says, where it speaks the language of the texts. */
export const locale = (): string => {
  const { language } = navigator
  return language?.split('-')[0] === spoken() ? language : spoken()
}

/** Before anything is shown. A language that cannot be fetched leaves the English texts. */
export async function loadTexts(): Promise<void> {
  const language = chosenLanguage()
  if (language === 'de') texts = (await import('./de/index.ts').catch(() => null))?.de ?? en
  document.documentElement.lang = spoken()
}
