/**
 * Names of the IANA time zone database 2025b, https://www.iana.org/time-zones: those of `zone.tab`, one at least for each
 * country, and the older names that `backward` keeps for them. EventBridge Scheduler, which fires schedules, knows these
 * names alone; `Intl` knows abbreviations and offsets besides, and has older names for some cities.
 */
const cities: Readonly<Record<string, string>> = {
  Africa: `
    Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura Cairo Casablanca
    Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare Johannesburg Juba Kampala
    Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka Malabo Maputo Maseru Mbabane Mogadishu
    Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo Sao_Tome Tripoli Tunis Windhoek`,
  America: `
    Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca Argentina/Cordoba
    Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan
    Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba Asuncion Atikokan Bahia Bahia_Banderas Barbados Belem
    Belize Blanc-Sablon Boa_Vista Bogota Boise Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman Chicago
    Chihuahua Ciudad_Juarez Costa_Rica Coyhaique Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit
    Dominica Edmonton Eirunepe El_Salvador Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe
    Guatemala Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis Indiana/Knox Indiana/Marengo
    Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Inuvik Iqaluit Jamaica Juneau
    Kentucky/Louisville Kentucky/Monticello Kralendijk La_Paz Lima Los_Angeles Lower_Princes Maceio Managua Manaus
    Marigot Martinique Matamoros Mazatlan Menominee Merida Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo
    Montserrat Nassau New_York Nome Noronha North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga
    Panama Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Velho Puerto_Rico Punta_Arenas Rankin_Inlet Recife
    Regina Resolute Rio_Branco Santarem Santiago Santo_Domingo Sao_Paulo Scoresbysund Sitka St_Barthelemy St_Johns
    St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa Thule Tijuana Toronto Tortola Vancouver Whitehorse
    Winnipeg Yakutat`,
  Antarctica: `
    Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok`,
  Arctic: `
    Longyearbyen`,
  Asia: `
    Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut Bishkek Brunei
    Chita Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk Jakarta
    Jayapura Jerusalem Kabul Kamchatka Karachi Kathmandu Khandyga Kolkata Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau
    Magadan Makassar Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang Qatar
    Qostanay Qyzylorda Riyadh Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran
    Thimphu Tokyo Tomsk Ulaanbaatar Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg Yerevan`,
  Atlantic: `
    Azores Bermuda Canary Cape_Verde Faroe Madeira Reykjavik South_Georgia St_Helena Stanley`,
  Australia: `
    Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth Sydney`,
  Europe: `
    Amsterdam Andorra Astrakhan Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Busingen Chisinau
    Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad Kirov Kyiv Lisbon Ljubljana
    London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Oslo Paris Podgorica Prague Riga Rome Samara San_Marino
    Sarajevo Saratov Simferopol Skopje Sofia Stockholm Tallinn Tirane Ulyanovsk Vaduz Vatican Vienna Vilnius Volgograd
    Warsaw Zagreb Zurich`,
  Indian: `
    Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion`,
  Pacific: `
    Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier Guadalcanal Guam
    Honolulu Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru Niue Norfolk Noumea Pago_Pago Palau
    Pitcairn Pohnpei Port_Moresby Rarotonga Saipan Tahiti Tarawa Tongatapu Wake Wallis`,
}

/** The present name, then the former ones. */
const renamed = `
  Africa/Asmara Africa/Asmera
  Africa/Bamako Africa/Timbuktu
  America/Adak America/Atka US/Aleutian
  America/Anchorage US/Alaska
  America/Argentina/Buenos_Aires America/Buenos_Aires
  America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca
  America/Argentina/Cordoba America/Cordoba America/Rosario
  America/Argentina/Jujuy America/Jujuy
  America/Argentina/Mendoza America/Mendoza
  America/Atikokan America/Coral_Harbour
  America/Chicago US/Central
  America/Denver America/Shiprock US/Mountain
  America/Detroit US/Michigan
  America/Edmonton America/Yellowknife Canada/Mountain
  America/Halifax Canada/Atlantic
  America/Indiana/Indianapolis America/Fort_Wayne America/Indianapolis US/East-Indiana
  America/Indiana/Knox America/Knox_IN US/Indiana-Starke
  America/Iqaluit America/Pangnirtung
  America/Kentucky/Louisville America/Louisville
  America/Los_Angeles US/Pacific
  America/Manaus Brazil/West
  America/Mazatlan Mexico/BajaSur
  America/Mexico_City Mexico/General
  America/New_York US/Eastern
  America/Noronha Brazil/DeNoronha
  America/Nuuk America/Godthab
  America/Phoenix US/Arizona
  America/Regina Canada/Saskatchewan
  America/Rio_Branco America/Porto_Acre Brazil/Acre
  America/Santiago Chile/Continental
  America/Sao_Paulo Brazil/East
  America/St_Johns Canada/Newfoundland
  America/St_Thomas America/Virgin
  America/Tijuana America/Ensenada America/Santa_Isabel Mexico/BajaNorte
  America/Toronto America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern
  America/Vancouver Canada/Pacific
  America/Whitehorse Canada/Yukon
  America/Winnipeg America/Rainy_River Canada/Central
  Antarctica/McMurdo Antarctica/South_Pole
  Arctic/Longyearbyen Atlantic/Jan_Mayen
  Asia/Ashgabat Asia/Ashkhabad
  Asia/Dhaka Asia/Dacca
  Asia/Ho_Chi_Minh Asia/Saigon
  Asia/Jerusalem Asia/Tel_Aviv
  Asia/Kathmandu Asia/Katmandu
  Asia/Kolkata Asia/Calcutta
  Asia/Macau Asia/Macao
  Asia/Makassar Asia/Ujung_Pandang
  Asia/Nicosia Europe/Nicosia
  Asia/Shanghai Asia/Chongqing Asia/Chungking Asia/Harbin
  Asia/Thimphu Asia/Thimbu
  Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator
  Asia/Urumqi Asia/Kashgar
  Asia/Yangon Asia/Rangoon
  Atlantic/Faroe Atlantic/Faeroe
  Australia/Adelaide Australia/South
  Australia/Brisbane Australia/Queensland
  Australia/Broken_Hill Australia/Yancowinna
  Australia/Darwin Australia/North
  Australia/Hobart Australia/Currie Australia/Tasmania
  Australia/Lord_Howe Australia/LHI
  Australia/Melbourne Australia/Victoria
  Australia/Perth Australia/West
  Australia/Sydney Australia/ACT Australia/Canberra Australia/NSW
  Europe/Chisinau Europe/Tiraspol
  Europe/Istanbul Asia/Istanbul
  Europe/Kyiv Europe/Kiev Europe/Uzhgorod Europe/Zaporozhye
  Europe/London Europe/Belfast
  Pacific/Chuuk Pacific/Truk Pacific/Yap
  Pacific/Easter Chile/EasterIsland
  Pacific/Honolulu Pacific/Johnston US/Hawaii
  Pacific/Kanton Pacific/Enderbury
  Pacific/Pago_Pago Pacific/Samoa US/Samoa
  Pacific/Pohnpei Pacific/Ponape`

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Hours behind UTC, as POSIX counts them. */
const fixed = Array.from({ length: 27 }, (_, i) => i - 14)
  .filter((hours) => hours !== 0)
  .map((hours) => `Etc/GMT${hours > 0 ? '+' : ''}${hours}`)

export const timeZones: readonly string[] = [
  'UTC',
  ...Object.entries(cities).flatMap(([area, names]) => words(names).map((city) => `${area}/${city}`)),
  ...fixed,
]

const ofUtc = words(
  'UCT GMT GMT0 GMT+0 GMT-0 Greenwich Universal Zulu Etc/UTC Etc/UCT Etc/GMT Etc/GMT0 Etc/GMT+0 Etc/GMT-0 Etc/Greenwich Etc/Universal Etc/Zulu',
)

/** Present names, by all names in lower case. */
const known: ReadonlyMap<string, string> = new Map(
  [
    ...timeZones.map((name) => [name, name] as const),
    ...ofUtc.map((name) => [name, 'UTC'] as const),
    ...renamed
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [now = '', ...before] = words(line)
        return before.map((name) => [name, now] as const)
      }),
  ].map(([name, now]) => [name.toLowerCase(), now]),
)

/** The present name in the database; null for a name that is neither an area and a city nor UTC. */
export const canonicalTimeZone = (name: string): string | null => known.get(name.trim().toLowerCase()) ?? null

/** Most abbreviations mean more than one time zone, so they only give a hint. */
const abbreviations: Readonly<Record<string, string>> = {
  'pst pdt pt pst8pdt': 'America/Los_Angeles',
  'mst mdt mt mst7mdt': 'America/Denver',
  'cst cdt ct cst6cdt': 'America/Chicago',
  'est edt et est5edt': 'America/New_York',
  'hst hast': 'Pacific/Honolulu',
  'akst akdt': 'America/Anchorage',
  'bst gb': 'Europe/London',
  'wet west': 'Europe/Lisbon',
  'cet cest met mest mez mesz': 'Europe/Berlin',
  'eet eest': 'Europe/Athens',
  msk: 'Europe/Moscow',
  ist: 'Asia/Kolkata',
  'sgt singapore': 'Asia/Singapore',
  'hkt hongkong': 'Asia/Hong_Kong',
  'jst japan': 'Asia/Tokyo',
  'kst rok': 'Asia/Seoul',
  prc: 'Asia/Shanghai',
  'aest aedt': 'Australia/Sydney',
  'nzst nzdt nz': 'Pacific/Auckland',
}
const suggestions = new Map(
  Object.entries(abbreviations).flatMap(([names, zone]) => words(names).map((name) => [name, zone] as const)),
)

export function timeZoneHint(name: string): string {
  const place = suggestions.get(name.trim().toLowerCase())
  if (place) return `it is an abbreviation; use the name of a place, such as ${place}.`
  if (/^(utc|gmt)?\s*[+-]?\d/i.test(name.trim()))
    return 'an offset knows no summer time; use the name of a place, such as Europe/Berlin.'
  return 'unknown; use a name of the IANA time zone database, such as Europe/Berlin or UTC.'
}
