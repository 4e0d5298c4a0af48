import { blankProse } from '../knob/blank-prose.ts';
import { findAssignments, type Assignment, type KnobValue } from '../knob/knob-value.ts';
import { languageOf } from '../knob/language.ts';

/** A literal that a file assigns once to a name. */
export interface Constant {
  file: string;
  name: string;
  value: KnobValue;
  /** The literal as the file writes it. */
  raw: string;
}

/** A name that a file assigns more than once, so that no knob can set it. */
export interface Repeated {
  file: string;
  name: string;
  times: number;
}

/** Files of settings, in which each value counts, however deep it is. In other files only the top level counts. */
const SETTINGS = /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|properties|env)$/i;
const SETTING = /^[ \t]*(["']?)([A-Za-z_][\w.-]*)\1[ \t]*[:=](?!=)/gm;
const KEYWORDS = '(?:(?:export|const|let|var|val|local|pub|final|static|public|private|readonly) +)*';
const ASSIGNMENT = new RegExp(`^${KEYWORDS}([A-Za-z_]\\w*)[ \\t]*(?::[^=\\n]{1,80})?=(?![=>])`, 'gm');

/**
 * Constants of a program: literals at the top level of its code, and the values of its settings. `repeated`: names with
 * such a literal that the file assigns again.
 */
export function findConstants(files: Readonly<Record<string, string>>): {
  constants: Constant[];
  repeated: Repeated[];
} {
  const constants: Constant[] = [];
  const repeated: Repeated[] = [];
  for (const [file, text] of Object.entries(files))
    for (const name of namesIn(file, text)) {
      const assignments = findAssignments(text, name, file);
      const literal = assignments.find(({ value, raw }) => value !== undefined && isLiteral(value, { raw, file }));
      if (literal?.value === undefined) continue;
      const times = assignments.length + countUpdates(text, name, file);
      if (times === 1) constants.push({ file, name, value: literal.value, raw: literal.raw });
      else repeated.push({ file, name, times });
    }
  return { constants, repeated };
}

/** Lines of code that change the value of a name, such as `steps += 1`. Settings have none. */
function countUpdates(text: string, name: string, file: string): number {
  if (SETTINGS.test(file)) return 0;
  const update = new RegExp(`^[ \\t]*${name}[ \\t]*(?:(?:[-+*/%&|^@]|\\*\\*|//|<<|>>)=(?!=)|\\+\\+|--)`, 'gm');
  return blankProse(text, languageOf(file)).match(update)?.length ?? 0;
}

/** False for a word without quotes in code: it is a name. */
const isLiteral = (value: KnobValue, { raw, file }: { raw: string; file: string }): boolean =>
  typeof value !== 'string' || /^["']/.test(raw) || SETTINGS.test(file);

/** Assignments of a name, at any depth, in each file that has some. */
export const assignmentsOf = (
  files: Readonly<Record<string, string>>,
  name: string,
): { file: string; assignments: Assignment[] }[] =>
  Object.entries(files)
    .map(([file, text]) => ({ file, assignments: findAssignments(text, name, file) }))
    .filter(({ assignments }) => assignments.length > 0);

function namesIn(file: string, text: string): string[] {
  const bare = text.replace(/^\ufeff/, '').replace(/\r$/gm, '');
  if (SETTINGS.test(file)) return unique([...bare.matchAll(SETTING)].map(([, , name = '']) => name));
  const code = blankProse(bare, languageOf(file));
  return unique([...code.matchAll(ASSIGNMENT)].map(([, name = '']) => name));
}

const unique = (names: string[]): string[] => [...new Set(names)];
