/** The texts that several pages share. A page's own texts are in a file of their own here, which is bundled with the page. */
import { chat } from './chat.ts'
import { common } from './common.ts'
import { files } from './files.ts'
import { layout } from './layout.ts'
import { palette } from './palette.ts'

export const texts = { chat, common, files, layout, palette }

/** The browser's locale: dates, numbers and amounts of money follow it. */
export const locale = (): string => navigator.language || 'en'
