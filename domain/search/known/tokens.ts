import type { Language } from './language.ts';

/** A cursor over the nodes of a syntax tree, as tree-sitter's. Each `goto` returns false if there is no such node. */
export interface SyntaxCursor {
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly nodeText: string;
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
 * Reads a program as a list: `=x` for a token, `(list` and `)` around the tokens of a node. It leaves out comments and
 * formatting: white space, the width of an indentation, the quotes of a string, a last comma of a list, a semicolon
 * between statements. The text within strings is exact; a docstring is a string. Walks without recursion, since
 * programs nest deeply.
 */
export function readTokens(cursor: SyntaxCursor, language: Language): string[] {
  const tokens: string[] = [];
  const levels: Level[] = [{ type: '', isNamed: false, last: null, held: null }];
  for (;;) {
    const level = levels[levels.length - 1] as Level;
    if (!COMMENTS.has(cursor.nodeType)) {
      const { nodeType: type, nodeIsNamed: isNamed } = cursor;
      if (cursor.gotoFirstChild()) {
        keepHeld(tokens, level);
        level.last = type;
        if (isNamed) tokens.push(`(${type}`);
        levels.push({ type, isNamed, last: null, held: null });
        continue;
      }
      addLeaf(tokens, { level, type, text: cursor.nodeText, language });
    }
    while (!cursor.gotoNextSibling()) {
      const ended = levels.pop() as Level;
      if (levels.length === 0 || !cursor.gotoParent()) return tokens;
      // A semicolon at the end of a statement is optional; an empty statement has no other child.
      if (ended.held !== ';' || ended.type === 'empty_statement') keepHeld(tokens, ended);
      if (ended.isNamed) tokens.push(')');
    }
  }
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
