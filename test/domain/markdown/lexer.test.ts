import type { Token } from 'marked'
import { decoded } from '../../../domain/markdown/entities.ts'
import { read } from '../../../domain/markdown/lexer.ts'

const marks: Readonly<Record<string, string>> = { strong: 'b', em: 'i', del: 's', link: 'a' }

/** The tokens as short HTML. */
const shown = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      const inner = 'tokens' in token && token.tokens ? shown(token.tokens) : token.raw
      const mark = marks[token.type]
      return mark ? `<${mark}>${inner}</${mark}>` : inner
    })
    .join('')

const same = (text: string): [string, string] => [text, text]

describe('a tilde', () => {
  test.each([
    same('Takes 3~5 days, then 10~20 minutes a day.'),
    same('苹果 3~5元，香蕉 10~20元。'),
    same('~one~ and ~/home or ~/work'),
    // https://github.com/Mininglamp-OSS/octo-web/pull/1328
    same('A~B~C~D，大约3~5天，价格100~200元'),
    ['**1~3月**汇总', '<b>1~3月</b>汇总'],
    ['~~25~30~~', '<s>25~30</s>'],
    // https://github.com/adobe/helix-pipeline/issues/897
    same('20~30세, 40~50세'),
    // https://github.com/github/copilot-cli/issues/1936
    same('(~2000 lines) and (~5000 lines)'),
    ['~~gone~~', '<s>gone</s>'],
    ['~~价格：~~免费', '<s>价格：</s>免费'],
  ])('strikes out text only when doubled: %s', (text, expected) => {
    expect(shown(read(text))).toBe(expected)
  })
})

describe('emphasis next to Chinese, Japanese and Korean', () => {
  test.each([
    ['**注意：**请', '<b>注意：</b>请'],
    ['**“注意”**请', '<b>“注意”</b>请'],
    ['这是**“重点”**，然后', '这是<b>“重点”</b>，然后'],
    ['これは**「重要」**です', 'これは<b>「重要」</b>です'],
    ['**これは太字。**これは普通。', '<b>これは太字。</b>これは普通。'],
    ['**이것(that)**은', '<b>이것(that)</b>은'],
    ['他说**（重要）**吧', '他说<b>（重要）</b>吧'],
    ['**重要！🎉**请', '<b>重要！🎉</b>请'],
    ['**`code`**请', '<b>`code`</b>请'],
    ['*注意：*请', '<i>注意：</i>请'],
    ['***注意：***请', '<i><b>注意：</b></i>请'],
    ['**A**、**B**', '<b>A</b>、<b>B</b>'],
    // https://github.com/markedjs/marked/issues/3838
    ['**历经10年发展，**a', '<b>历经10年发展，</b>a'],
    // https://github.com/commonmark/commonmark-spec/issues/650
    ...Array.from('，。、；：？！“”‘’（）【】《》—～…·〃-々', (sign): [string, string] => [
      `**真${sign}**她`,
      `<b>真${sign}</b>她`,
    ]),
    // https://github.com/kirodotdev/KiroCrew/pull/2323
    ['~~删除的文字（带括号）。~~这个句子', '<s>删除的文字（带括号）。</s>这个句子'],
    ['**100%**的人', '<b>100%</b>的人'],
    ['**[链接](https://a.test)。**后', '<b><a>链接</a>。</b>后'],
  ])('needs no space: %s', (text, expected) => {
    expect(shown(read(text))).toBe(expected)
  })

  test.each([
    ['**foo:**bar', '**foo:**bar'],
    ['foo**(bar)**baz', 'foo**(bar)**baz'],
    ['a**b**c', 'a<b>b</b>c'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['`**注意：**请`', '`**注意：**请`'],
    ['**注意：请', '**注意：请'],
    ['snake_case_name 变量_名_字', 'snake_case_name 变量_名_字'],
  ])('follows CommonMark everywhere else: %s', (text, expected) => {
    expect(shown(read(text))).toBe(expected)
  })
})

describe('an address', () => {
  test.each([
    ['见https://a.test/x。谢谢', '见<a>https://a.test/x</a>。谢谢'],
    ['（https://a.test/x）', '（<a>https://a.test/x</a>）'],
    ['“https://a.test/x”', '“<a>https://a.test/x</a>”'],
    ['See https://a.test/x.', 'See <a>https://a.test/x</a>.'],
    ['See https://a.test/api#object.__init__', 'See <a>https://a.test/api#object.__init__</a>'],
    ['**https://a.test/x**', '<b><a>https://a.test/x</a></b>'],
  ])('ends where the sentence continues: %s', (text, expected) => {
    expect(shown(read(text))).toBe(expected)
  })
})

describe('a character reference', () => {
  test.each([
    ['&amp; &lt;x&gt; &quot; &apos;', '& <x> " \''],
    ['&mdash; &rarr; &copy; &hellip; &nbsp;|', '— → © … \u00a0|'],
    ['&uuml;&Ouml;&szlig; &frac12; &alpha;&Omega; &infin; &harr; &check;', 'üÖß ½ αΩ ∞ ↔ ✓'],
    ['&#8212; &#x2014; &#X1F600;', '— — 😀'],
    ['&amp;lt;', '&lt;'],
    ['&nosuch; AT&T &', '&nosuch; AT&T &'],
    ['&#1;&#8238;&#x2067;&#55357;&rlm;', '&#1;&#8238;&#x2067;\ufffd&rlm;'],
  ])('is replaced by its character, unless that is invisible: %s', (text, expected) => {
    expect(decoded(text)).toBe(expected)
  })
})
