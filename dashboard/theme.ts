/** The reader's colour scheme. `public/first.js` applies it before anything is drawn. */
export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'theme'

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key)
  return themes.find((theme) => theme === chosen) ?? 'system'
}

/** Whether the pages are dark now, by choice or by the reader's system. */
export function isDark(): boolean {
  const chosen = chosenTheme()
  return chosen === 'system' ? window.matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  document.documentElement.dataset.theme = theme
}
