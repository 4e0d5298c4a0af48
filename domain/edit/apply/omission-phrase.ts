const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const GONE = setOf(
  'unchanged unmodified untouched omitted elided snip snipped truncated identical abbreviated brevity',
);
const REST = setOf('rest remainder');
const EARLIER = setOf('existing previous original remaining prior old');
/** Words for code as a whole. */
const CODE = setOf(
  'code codes file files content contents implementation implementations script program body source text line lines ' +
    'function functions method methods class classes import imports logic definition definitions module section ' +
    'part parts setup config configuration loop model',
);
/** Words for parts of code, which may also be a remark's subject. */
const THINGS = setOf(
  'hyperparameter hyperparameters parameter parameters params setting settings option options value values ' +
    'variable variables constant constants argument arguments field fields key keys entry entries test tests ' +
    'helper helpers block blocks statement statements docstring docstrings comment comments header footer ' +
    'paragraph paragraphs sections item items instruction instructions rule rules example examples ' +
    'layer layers step steps',
);
const STAYS = setOf('same here stay stays remain remains continue continues follow follows go goes before above');
/** Words that may stand between the others. */
const BETWEEN = setOf(
  'the a an all any and of this that these your our my its keep kept with in is are be been should can will def ' +
    'version to from on as it was were they for no not changes change changed modified modify below other others ' +
    'everything nothing else left out further more needed point after put insert plus only just exactly training',
);
const MOST_WORDS = 14;

/** Whole remarks in some other languages. */
const OTHER_LANGUAGES: RegExp[] = [
  /^(?:其余|剩余|其他|原有|现有|以下|以上|此处|后面)?的?(?:代码|部分|内容|文件)?(?:保持|均|都)?(?:不变|省略|同上|相同)$/,
  new RegExp(
    '^(?:その他|残り|それ以外|以下|他|ほか)(?:の(?:コード|部分|関数|処理|内容))?(?:は|も)?(?:すべて|全て)?' +
      '(?:変更なし|変更無し|変更ありません|同じ|同様|そのまま|省略)(?:です)?$',
  ),
  /^(?:остальн|дальше).{0,40}(?:без изменений|не менял\S*|прежн\S*|как раньше)$/iu,
  /^(?:der )?rest .{0,40}(?:unverändert|wie bisher|wie vorher|wie oben|gleich|identisch)$/iu,
  /^(?:le )?reste .{0,40}(?:inchangée?|identique|sans changement)$/iu,
  /^(?:el |o )?resto .{0,40}(?:igual|sin cambios|inalterado|sem alterações)$/iu,
];

/**
 * True if words say only that code stays as it was: `rest of the file`, `existing code here`, `same as before`,
 * `no other changes`. A single word outside of the lists above makes it a remark of another kind.
 */
export function isOmissionPhrase(text: string): boolean {
  if (OTHER_LANGUAGES.some((remark) => remark.test(text))) return true;
  const words = text
    .toLowerCase()
    .split(' ')
    .filter((word) => !/^\d+$/.test(word));
  const has = (some: ReadonlySet<string>): boolean => words.some((word) => some.has(word));
  const all = [GONE, REST, EARLIER, CODE, THINGS, STAYS, BETWEEN];
  if (words.length > MOST_WORDS || !words.every((word) => all.some((some) => some.has(word)))) return false;
  if (has(GONE) || has(REST)) return true;
  if (has(EARLIER) && (has(CODE) || (has(THINGS) && has(STAYS)))) return true;
  if (/\b(?:as|same) (?:is|it (?:is|was)|they (?:are|were)|before|above|in the original|as)\b/.test(words.join(' ')))
    return true;
  if (
    /\b(?:stays?|remains?|keeps?|kept) (?:all |exactly )?the same\b/.test(words.join(' ')) &&
    (has(CODE) || words.includes('entry'))
  )
    return true;
  if (/\b(?:other|others|else)\b/.test(words.join(' ')) && has(STAYS)) return true;
  return /^no (?:other |further |more )?changes?\b|^(?:everything|nothing) else\b/.test(words.join(' '));
}
