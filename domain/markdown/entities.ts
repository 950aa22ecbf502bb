/** The names of HTML 4, from these code points on; `-` has none. Direction marks are left out. */
const runs: readonly (readonly [number, string])[] = [
  [34, 'quot - - - amp apos'],
  [60, 'lt - gt'],
  [
    160,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest',
  ],
  [
    192,
    'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig',
  ],
  [
    224,
    'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ],
  [338, 'OElig oelig'],
  [352, 'Scaron scaron'],
  [376, 'Yuml'],
  [402, 'fnof'],
  [710, 'circ'],
  [732, 'tilde'],
  [
    913,
    'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega',
  ],
  [
    945,
    'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega',
  ],
  [977, 'thetasym upsih - - - piv'],
  [8194, 'ensp emsp'],
  [8201, 'thinsp - - zwnj zwj'],
  [8211, 'ndash mdash - - - lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull - - - hellip'],
  [8240, 'permil - prime Prime - - - - - lsaquo rsaquo - - - oline'],
  [8260, 'frasl'],
  [8364, 'euro'],
  [8465, 'image'],
  [8472, 'weierp'],
  [8476, 'real'],
  [8482, 'trade'],
  [8501, 'alefsym'],
  [8592, 'larr uarr rarr darr harr'],
  [8629, 'crarr'],
  [8656, 'lArr uArr rArr dArr hArr'],
  [
    8704,
    'forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - lowast - - radic - - prop infin',
  ],
  [8736, 'ang - - - - - - and or cap cup int'],
  [8756, 'there4'],
  [8764, 'sim'],
  [8773, 'cong'],
  [8776, 'asymp'],
  [8800, 'ne equiv - - le ge'],
  [8834, 'sub sup nsub - sube supe'],
  [8853, 'oplus - otimes'],
  [8869, 'perp'],
  [8901, 'sdot'],
  [8968, 'lceil rceil lfloor rfloor'],
  [9674, 'loz'],
  [9824, 'spades - - clubs - hearts diams'],
  [10003, 'check'],
]

const names: ReadonlyMap<string, string> = new Map(
  runs.flatMap(([first, list]) => list.split(' ').map((name, at) => [name, String.fromCodePoint(first + at)] as const)),
)

/** `&amp;` → `&`, by name or number. A rare name stays as it is. */
export const decoded = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (all, decimal, hex, name) => {
    if (name) return names.get(name) ?? all
    const point = Number.parseInt(decimal ?? hex, decimal ? 10 : 16)
    return isShown(point) ? String.fromCodePoint(point).toWellFormed() : all
  })

const lineBreak = /<br\s*\/?>/gi

/** HTML is shown as written, except line ends and names of characters. */
export const shownHtml = (html: string): string => decoded(html.replaceAll(lineBreak, '\n'))

/** Excludes control characters and marks of text direction. */
const isShown = (point: number): boolean =>
  point > 31 &&
  !(point >= 0x7f && point <= 0x9f) &&
  point <= 0x10ffff &&
  !(point >= 0x2028 && point <= 0x202e) &&
  !(point >= 0x2066 && point <= 0x2069)
