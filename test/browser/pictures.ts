/** Compares pictures of pages with stored ones. Both are drawn in blocks instead of letters (`block-font.ts`). */
import type { Page } from 'playwright-core'
import { blockFont } from './block-font.ts'

/** Stored pictures have half the size of a page in each direction, and few colours: that keeps them small. */
const scale = 0.5
const levels = 16

/** The difference of a channel, of 255, from which a pixel counts as different. */
const mostDifference = 48

/** Draws the open page, and those that it opens later, in blocks. Nothing moves, and no caret blinks. */
export async function drawInBlocks(page: Page): Promise<void> {
  await page.addInitScript(
    async ({ font }) => {
      const bytes = Uint8Array.from(atob(font), (character) => character.charCodeAt(0))
      document.fonts.add(await new FontFace('Blocks', bytes.buffer).load())
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        '*, *::before, *::after { font-family: Blocks !important; animation: none !important; transition: none !important; caret-color: transparent !important }',
      )
      document.adoptedStyleSheets.push(sheet)
    },
    { font: blockFont().toString('base64') },
  )
}

/** The viewport as a small PNG. @param tool a page of the same browser, which calculates */
export async function smallPicture(page: Page, tool: Page): Promise<Buffer> {
  const shot = await page.screenshot({ animations: 'disabled' })
  const png = await tool.evaluate(
    async ({ source, scale, levels }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob())
      const canvas = new OffscreenCanvas(Math.round(image.width * scale), Math.round(image.height * scale))
      const context = canvas.getContext('2d')
      if (!context) throw new Error('this browser has no canvas')
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, canvas.width, canvas.height)
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height)
      const step = 255 / (levels - 1)
      for (const [at, value] of pixels.data.entries()) pixels.data[at] = Math.round(Math.round(value / step) * step)
      context.putImageData(pixels, 0, 0)
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    },
    { source: shot.toString('base64'), scale, levels },
  )
  return Buffer.from(png, 'base64')
}

/** Side of a tile, pixels, and the share of a tile's pixels from which the tile counts as different. */
const tile = 16
const mostOfTile = 0.08

/** The number of different tiles: a word that moved changes a few, however large the picture is. All if sizes differ. */
export const differentTiles = (tool: Page, one: Buffer, other: Buffer): Promise<number> =>
  tool.evaluate(
    async ({ sources, mostDifference, tile, mostOfTile }) => {
      const [a, b] = await Promise.all(
        sources.map(async (source) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob())
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
          context?.drawImage(image, 0, 0)
          return context?.getImageData(0, 0, image.width, image.height)
        }),
      )
      if (!a || !b || a.width !== b.width || a.height !== b.height) return Number.POSITIVE_INFINITY
      const columns = Math.ceil(a.width / tile)
      const different = new Map<number, number>()
      for (let at = 0; at < a.data.length; at += 4) {
        const far = [0, 1, 2].some((c) => Math.abs((a.data[at + c] ?? 0) - (b.data[at + c] ?? 0)) > mostDifference)
        if (!far) continue
        const [x, y] = [(at / 4) % a.width, Math.floor(at / 4 / a.width)]
        const key = Math.floor(y / tile) * columns + Math.floor(x / tile)
        different.set(key, (different.get(key) ?? 0) + 1)
      }
      return [...different.values()].filter((count) => count > tile * tile * mostOfTile).length
    },
    { sources: [one, other].map((picture) => picture.toString('base64')), mostDifference, tile, mostOfTile },
  )
