import type { Language } from './language.ts';

const TRIPLE = String.raw`"""(?:[^\\]|\\[^])*?"""|'''(?:[^\\]|\\[^])*?'''`;
const LINE_TEXT = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const BLOCK_COMMENT = String.raw`\/\*[^]*?\*\/`;
const TEMPLATE = String.raw`${'`'}(?:[^${'`'}\\]|\\[^])*${'`'}`;

/** Parts of a source. The first group is prose. In the other parts, a quote or a slash with a star opens no prose. */
const PARTS: Readonly<Partial<Record<Language, RegExp>>> = {
  python: new RegExp(`#.*|(${TRIPLE})|${LINE_TEXT}`, 'g'),
  javascript: new RegExp(`//.*|(${BLOCK_COMMENT}|${TEMPLATE})|${LINE_TEXT}`, 'g'),
  code: new RegExp(`//.*|(${BLOCK_COMMENT}|${TRIPLE})|${LINE_TEXT}`, 'g'),
};

/**
 * Replaces block comments and texts over several lines, such as docstrings, by spaces: an assignment in them is none.
 * Keeps all offsets and lines. Files of settings stay as they are.
 */
export function blankProse(source: string, language: Language): string {
  const parts = PARTS[language];
  if (parts === undefined) return source;
  return source.replace(parts, (part: string, prose: string | undefined) =>
    prose === undefined ? part : prose.replace(/[^\n]/g, ' '),
  );
}
