/** Saves text as a file in the browser's folder for downloads. */
export function save(name: string, text: string[], type: 'application/json' | 'text/csv' | 'text/plain'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(text, { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
