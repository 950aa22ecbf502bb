import { readFile, writeFile } from 'node:fs/promises'
import { priceDay } from '../domain/models/price-list.ts'
import { priceListFile, priceListText } from '../lib/build/prices.ts'

/**
 * Writes the price list from the catalogue and the vendor's current prices, unless only the date changed. With --check
 * it compares the file with the prices of the file's date.
 */
const written = await readFile(priceListFile, 'utf8')

if (process.argv.includes('--check')) {
  if (written !== priceListText(priceDay)) {
    console.error(
      'domain/models/price-list.ts differs from the catalogue and the vendor’s list. Run "npm run generate" and commit the file.',
    )
    process.exitCode = 1
  }
} else {
  const today = new Date().toISOString().slice(0, 10)
  const text = priceListText(today)
  if (text.replaceAll(today, priceDay) !== written) await writeFile(priceListFile, text)
}
