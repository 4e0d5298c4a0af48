import { findAssignments, type KnobValue } from '../knob/knob-value.ts';

/** A literal that a file assigns once to a name. */
export interface Constant {
  file: string;
  name: string;
  value: KnobValue;
  /** The literal as the file writes it. */
  raw: string;
}

/** Files of settings, in which each value counts, however deep it is. In other files only the top level counts. */
const SETTINGS = /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|properties|env)$/i;
const SETTING = /^[ \t]*(["']?)([A-Za-z_][\w.-]*)\1[ \t]*[:=](?!=)/gm;
const KEYWORDS = '(?:(?:export|const|let|var|val|local|pub|final|static|public|private|readonly) +)*';
const ASSIGNMENT = new RegExp(`^${KEYWORDS}([A-Za-z_]\\w*)[ \\t]*(?::[^=\\n]{1,80})?=(?![=>])`, 'gm');
/** Texts over several lines, and comments: an assignment in them is none. */
const PROSE = /"""[^]*?"""|'''[^]*?'''|\/\*[^]*?\*\//g;

/** Constants of a program: literals at the top level of its code, and the values of its settings. */
export const findConstants = (files: Readonly<Record<string, string>>): Constant[] =>
  Object.entries(files).flatMap(([file, text]) =>
    namesIn(file, text)
      .flatMap((name) => constantsNamed({ [file]: text }, name))
      // In code, a word without quotes is a name and no literal.
      .filter(({ value, raw }) => typeof value !== 'string' || /^["']/.test(raw) || SETTINGS.test(file)),
  );

/** Literals of a name, at any depth, in each file that assigns the name once. */
export const constantsNamed = (files: Readonly<Record<string, string>>, name: string): Constant[] =>
  Object.entries(files).flatMap(([file, text]): Constant[] => {
    const [only, other] = findAssignments(text, name);
    if (only?.value === undefined || other !== undefined) return [];
    return [{ file, name, value: only.value, raw: only.raw }];
  });

function namesIn(file: string, text: string): string[] {
  const bare = text.replace(/^\ufeff/, '').replace(/\r$/gm, '');
  if (SETTINGS.test(file)) return unique([...bare.matchAll(SETTING)].map(([, , name = '']) => name));
  const code = bare.replace(PROSE, (prose) => prose.replace(/[^\n]/g, ' '));
  return unique([...code.matchAll(ASSIGNMENT)].map(([, name = '']) => name));
}

const unique = (names: string[]): string[] => [...new Set(names)];
