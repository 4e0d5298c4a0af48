import type { Language } from './language.ts';

/** A cursor over the nodes of a syntax tree, as tree-sitter's. Each `goto` returns false if there is no such node. */
export interface SyntaxCursor {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  /** Bounds of the node in the text, in UTF-16 code units. */
  readonly startIndex: number;
  readonly endIndex: number;
  gotoFirstChild(): boolean;
  gotoNextSibling(): boolean;
  gotoParent(): boolean;
}

/** Nodes that are no part of a program. */
const COMMENTS = new Set(['comment', 'html_comment', 'line_continuation']);
/** Nodes in which a comma before the closing bracket changes nothing. In a tuple or a subscript it does. */
const LISTS = new Set([
  'argument_list',
  'parameters',
  'list',
  'dictionary',
  'set',
  'arguments',
  'formal_parameters',
  'array',
  'object',
]);
const CLOSING = new Set([')', ']', '}']);
const OPENING = new Set(['(', '[', '{']);
/**
 * Nodes of Python whose text is exact. The grammar has no nodes for the plain text beside an escape in
 * `string_content`, or beside a nested field in `format_specifier`.
 */
const WHOLE = new Set(['string_content', 'format_specifier']);
/**
 * White space between tokens. Python refuses other characters, such as a no-break space. Its grammar has no node for a
 * continued line before a string.
 */
const BLANK: Readonly<Record<Language, RegExp>> = {
  python: /^(?:[ \t\r\n\f]|\\\r?\n)*$/,
  javascript: /^\s*$/,
  typescript: /^\s*$/,
};
/** Quotes of JavaScript's strings. Python's are in `string_start` and `string_end`. */
const QUOTES = new Set(['"', "'"]);

/** A node whose children are being read. */
interface Level {
  type: string;
  isNamed: boolean;
  /** Type of the last child, and a comma or a semicolon that is dropped if it comes last. */
  last: string | null;
  held: string | null;
}

/**
 * True if the grammar and the language may read the white space of a program differently: a line that ends with a
 * carriage return alone or with a separator of Unicode, or tabs beside spaces in the indentation of Python.
 */
export function hasAmbiguousSpace(language: Language, text: string): boolean {
  if (/\r(?!\n)|[\u2028\u2029]/.test(text)) return true;
  return language === 'python' && /^ *\t/m.test(text) && /^\t* /m.test(text);
}

/**
 * Reads a program as a list: `=x` for a token, `(list` and `)` around the tokens of a node. It leaves out comments and
 * formatting: white space, the width of an indentation, the quotes of a string, a last comma of a list, a semicolon
 * between statements. The text within strings is exact; a docstring is a string. Walks without recursion, since
 * programs nest deeply. Null if the tree has no node for a part of the text, so that the list would lack it.
 */
export function readTokens(
  cursor: SyntaxCursor,
  { language, text }: { language: Language; text: string },
): string[] | null {
  const tokens: string[] = [];
  const blank = BLANK[language];
  // A byte order mark is no part of the program.
  let end = text.startsWith('\ufeff') ? 1 : 0;
  const levels: Level[] = [{ type: '', isNamed: false, last: null, held: null }];
  for (;;) {
    const level = levels[levels.length - 1] as Level;
    const { nodeType: type, nodeIsNamed: isNamed, startIndex, endIndex } = cursor;
    const isComment = COMMENTS.has(type);
    if (!isComment && !isWhole(cursor, language) && cursor.gotoFirstChild()) {
      keepHeld(tokens, level);
      level.last = type;
      if (isNamed) tokens.push(`(${type}`);
      levels.push({ type, isNamed, last: null, held: null });
      continue;
    }
    if (!blank.test(text.slice(end, startIndex))) return null;
    end = endIndex;
    if (!isComment) addLeaf(tokens, { level, type, text: text.slice(startIndex, endIndex), language });
    while (!cursor.gotoNextSibling()) {
      const ended = levels.pop() as Level;
      if (levels.length === 0 || !cursor.gotoParent()) return blank.test(text.slice(end)) ? tokens : null;
      // A semicolon at the end of a statement is optional; an empty statement has no other child.
      if (ended.held !== ';' || ended.type === 'empty_statement') keepHeld(tokens, ended);
      if (ended.isNamed) tokens.push(')');
    }
  }
}

/** True for a node whose text is exact. `{x = }` of an f-string prints the text before its value. */
function isWhole(cursor: SyntaxCursor, language: Language): boolean {
  if (language !== 'python') return false;
  const { nodeType } = cursor;
  if (nodeType !== 'interpolation') return WHOLE.has(nodeType);
  let printsItself = false;
  for (let more = cursor.gotoFirstChild(); more; more = cursor.gotoNextSibling())
    printsItself ||= cursor.nodeType === '=';
  cursor.gotoParent();
  return printsItself;
}

function addLeaf(
  tokens: string[],
  { level, type, text, language }: { level: Level; type: string; text: string; language: Language },
): void {
  const isSeparator = (type === ',' && LISTS.has(level.type)) || type === ';';
  if (language === 'python' && type === ';') return;
  if (!(CLOSING.has(type) && level.held === ',')) keepHeld(tokens, level);
  level.held = null;
  // In JavaScript, `[,]` has a hole and `[]` has none: a comma counts after a comma or a bracket.
  const isKept = type === ',' && (level.last === null || level.last === ',' || OPENING.has(level.last));
  level.last = type;
  if (isSeparator && !isKept) level.held = type;
  else if (type === 'string_start') tokens.push(`=${text.replace(/['"]+$/, '').toLowerCase()}"`);
  else if (type === 'string_end') tokens.push('="');
  else if (level.type === 'string' && QUOTES.has(type)) tokens.push('="');
  else tokens.push(`=${text}`);
}

/** Adds a separator that turned out not to be the last one. */
function keepHeld(tokens: string[], level: Level): void {
  if (level.held !== null) tokens.push(`=${level.held}`);
  level.held = null;
}
