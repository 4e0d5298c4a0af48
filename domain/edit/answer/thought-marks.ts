/**
 * A mark of a chat template. `open` begins thoughts; `end` ends them, also by beginning the answer. `soft`: a tag that
 * may also occur in ordinary text.
 */
export interface ThoughtMark {
  kind: 'open' | 'end';
  soft: boolean;
  /** A heading, which ends thoughts only if they have begun and hold edits. */
  heading?: true;
  from: number;
  to: number;
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const THOUGHT = setOf('think thinking thinks thought thoughts cot scratchpad monologue 思考 思考过程 推理');
/** Other words for thought, which may also be a heading or an element of a page. */
const SOFT_THOUGHT = setOf(
  'reason reasoning reasonings reflect reflection reflections analysis analyze analyse planning plan rationale ' +
    'deliberation brainstorm brainstorming ponder commentary',
);
const ANSWER = setOf('answer final solution response output result content reply');
const BEGIN = setOf('begin start open prefix');
const END = setOf('end stop close finish finished done over suffix');
const NOT = setOf('no not off without never budget effort');
const MOST_WORDS = 4;

/** Closing brackets by opening ones. */
const PAIRS: Record<string, string> = {
  '<': '>',
  '[': ']',
  '{': '}',
  '[[': ']]',
  '{{': '}}',
  '<<': '>>',
  '◁': '▷',
  '⟨': '⟩',
  '＜': '＞',
  '【': '】',
  '&lt;': '&gt;',
};
const OPENING = String.raw`<{1,2}|\[{1,2}|\{{1,2}|◁|⟨|＜|【|&lt;`;
const INNER = String.raw`[^<>[\]{}◁▷⟨⟩＜＞【】&\n]{1,60}`;
const CLOSING = String.raw`>{1,2}|\]{1,2}|\}{1,2}|▷|⟩|＞|】|&gt;`;
const TAG = new RegExp(String.raw`(${OPENING})(${INNER})\s{0,4}(${CLOSING})`, 'g');
/** `<|channel|>analysis<|message|>`, `<|channel>thought`, `<|im_start|>think`: the word names the part that begins. */
const ROLE = new RegExp(
  String.raw`<\|(?:channel|im_start|start|begin|start_header_id|role)\|?>\s{0,4}([A-Za-z_]{1,30})` +
    String.raw`(?:[^<\n]{0,40}(?:<\|constrain\|>[^<\n]{0,40})?<\|(?:message|content|end_header_id)\|>)?`,
  'g',
);
/** Marks of templates that use no words, or whose special tokens were dropped when they were decoded. */
const OTHERS: [RegExp, ThoughtMark['kind'], boolean][] = [
  [/<unused94>(?:thought\b)?/g, 'open', false],
  [/<unused95>|<channel\|>/g, 'end', false],
  [/<\|inner_prefix\|>/g, 'open', false],
  [/<\|inner_suffix\|>/g, 'end', false],
  [/^\s{0,40}(?:assistant)?(?:analysis|commentary)(?=[\p{Lu}"'*_\d])/gu, 'open', false],
  [/assistantfinal(?![_(=])/g, 'end', false],
  [/^\s{0,40}[*_#]{0,4} ?here(?:'s|’s| is| are) my (?:thought process|reasoning steps)\b[^\n]{0,20}/gi, 'open', false],
  [
    /^\s{0,40}[*_#]{0,4} ?here(?:'s|’s| is| are) my (?:thoughts?|thinking(?: process)?|reasoning(?: process)?)\s?:/gi,
    'open',
    true,
  ],
  [/^\s{0,40}thinking\.{3}(?=\s)/gi, 'open', true],
  [/^\.{3} ?done thinking\.?[ \t]*$/gim, 'end', false],
  [/<details\b[^>\n]{0,80}\b(?:reasoning|thinking)\b[^>\n]{0,80}>/gi, 'open', false],
  [/<details>\s{0,10}<summary>[^<\n]{0,40}\b(?:reasoning|thinking|thoughts?)\b[^<\n]{0,40}<\/summary>/gi, 'open', true],
];

const THOUGHT_HEADING = new RegExp(
  String.raw`^\s{0,40}(?:#{1,6} |\*\*)(?:my )?(?:thinking|thoughts?|reasoning|analysis)(?: process)?` +
    String.raw`:?(?:\*\*)?:?(?=[ \t]*(?:[\r\n]|$))`,
  'gi',
);
/** Headings in a text without marks: those that begin thoughts in its first line, and those that end such thoughts. */
const HEADINGS: [RegExp, ThoughtMark['kind']][] = [
  [THOUGHT_HEADING, 'open'],
  [/^(?:#{1,6} |\*\*)(?:final |my )?(?:answer|response|solution|output)(?: edits)?:?(?:\*\*)?:?[ \t]*$/gim, 'end'],
  [/^[*_#]{0,4} ?here(?:'s|’s| is) my (?:final )?(?:response|answer|solution)\s?:[*_]{0,4}/gim, 'end'],
];

/** Finds all marks of a text, in order. Linear. */
export function findMarks(text: string): ThoughtMark[] {
  const marks: ThoughtMark[] = [];
  for (const { index, 0: whole, 1: left = '', 2: inner = '', 3: right = '' } of text.matchAll(TAG)) {
    const found = PAIRS[left] === right && text[index + whole.length] !== '(' ? meaningOf(inner, left) : null;
    if (found) marks.push({ ...found, from: index, to: index + whole.length });
  }
  for (const { index, 0: whole, 1: name = '' } of text.matchAll(ROLE)) {
    const kind = roleOf(name.toLowerCase());
    if (kind) marks.push({ kind, soft: false, from: index, to: index + whole.length });
  }
  for (const [pattern, kind, soft] of OTHERS)
    for (const { index, 0: whole } of text.matchAll(pattern))
      marks.push({ kind, soft, from: index, to: index + whole.length });
  for (const [pattern, kind] of HEADINGS)
    for (const { index, 0: whole } of text.matchAll(pattern))
      marks.push({ kind, soft: true, heading: true, from: index, to: index + whole.length });
  const details = marks.some(({ from }) => text.startsWith('<details', from));
  if (details)
    for (const { index, 0: whole } of text.matchAll(/<\/details>/gi))
      marks.push({ kind: 'end', soft: true, from: index, to: index + whole.length });
  return marks.sort((a, b) => a.from - b.from);
}

/** Kind of a mark by the text between its brackets; null if the text makes no mark. */
function meaningOf(inner: string, left: string): Pick<ThoughtMark, 'kind' | 'soft'> | null {
  const bare = inner.replace(/[|｜*]/g, ' ').trim();
  if (/\/$/.test(bare)) return null;
  const slashed = /^(?:!--)?\s{0,4}[\\/／]/.test(bare);
  const named = left === '<' || left === '&lt;' ? bare.replace(/\s[\w:-]{1,20}\s?=.*$/, '') : bare;
  const parts = named
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  const has = (some: ReadonlySet<string>): boolean => parts.some((part) => some.has(part));
  if (parts.length === 0 || parts.length > MOST_WORDS || has(NOT)) return null;
  if (left.startsWith('{') && (parts.length > 1 || !has(THOUGHT))) return null;
  const special = /[|｜]/.test(inner) || '◁⟨【＜'.includes(left);
  const ends = slashed || has(END);
  if (has(THOUGHT) || has(SOFT_THOUGHT)) {
    // In square brackets, a word for thought among other words is a remark.
    if (left === '[' && !ends && parts.length > 1 && !has(BEGIN)) return null;
    return { kind: ends ? 'end' : 'open', soft: !special && !slashed && !has(THOUGHT) };
  }
  if (ends || !has(ANSWER)) return null;
  if (special || has(BEGIN)) return { kind: 'end', soft: !special && left !== '[' };
  return left === '<' && parts.length <= 2 && parts.every((part) => ANSWER.has(part))
    ? { kind: 'end', soft: true }
    : null;
}

function roleOf(name: string): ThoughtMark['kind'] | null {
  if (ANSWER.has(name)) return 'end';
  return THOUGHT.has(name) || SOFT_THOUGHT.has(name) ? 'open' : null;
}
