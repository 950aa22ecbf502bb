/** Texts of several pages. A page's own texts have their own file, which is bundled with the page. */
import { chat } from './chat.ts'
import { common } from './common.ts'
import { layout } from './layout.ts'

export const texts = { chat, common, layout }

/** The locale of dates, numbers and amounts. */
export const locale = (): string => navigator.language || 'en'
