/** The reader's colour scheme. `public/appearance.js` applies it before anything is drawn. */
export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'theme'

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key)
  return themes.find((theme) => theme === chosen) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  document.documentElement.dataset.theme = theme
}
