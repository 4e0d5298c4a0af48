/**
 * The way in which a file writes values. `code`: a programming language with texts in quotes. `config`: words without
 * quotes, as in an environment file.
 */
export type Language = 'python' | 'javascript' | 'json' | 'yaml' | 'toml' | 'code' | 'config';

const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['python', 'py pyi pyw pyx sage'],
  ['javascript', 'js mjs cjs jsx ts mts cts tsx json5'],
  ['json', 'json jsonc ipynb'],
  ['yaml', 'yaml yml'],
  ['toml', 'toml'],
  ['config', 'ini cfg conf properties env sh bash zsh mk txt'],
];

const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language])),
);

const extensionOf = (path: string): string => /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** The language of a file by the end of its name; `config` for a name without one. */
export function languageOf(path: string): Language {
  const extension = extensionOf(path);
  return extension === '' ? 'config' : (BY_EXTENSION.get(extension) ?? 'code');
}

/** True if the program that reads the file takes quotes as a part of the value. */
export const keepsQuotes = (path: string): boolean => /^(?:ini|cfg|properties)$/.test(extensionOf(path));

/** Languages whose texts in double quotes insert variables. */
const INTERPOLATES = /^(?:rb|php|pl|pm|jl|kt|kts|dart|groovy|gradle|sh|bash|zsh|env|mk|tcl|ps1|ex|exs|cr|swift)$/;
export const interpolates = (path: string): boolean => INTERPOLATES.test(extensionOf(path));

/** Words for the absence of a value. */
const NULL_WORDS: Readonly<Record<Language, readonly string[]>> = {
  python: ['None'],
  javascript: ['null', 'undefined'],
  json: ['null'],
  yaml: ['null', '~', 'Null', 'NULL'],
  toml: [],
  code: ['nil', 'null', 'NULL', 'None', 'nullptr', 'nothing', 'undef', 'undefined'],
  config: ['None', 'null', 'nil', 'NULL'],
};

export const isNullWord = (word: string, language: Language): boolean => NULL_WORDS[language].includes(word);

/** Words that a person writes in task.yaml for the absence of a value, in addition to those of the file's language. */
const PLAIN_NULLS = ['None', 'nil'];
export const meansNull = (word: string, language: Language): boolean =>
  PLAIN_NULLS.includes(word) || isNullWord(word, language);

const NULLS_OF_CODE: readonly (readonly [string, string])[] = [
  ['nil', 'lua rb go swift ex exs m mm cr'],
  ['null', 'java cs php kt kts dart groovy zig sql'],
  ['NULL', 'r c h'],
  ['nullptr', 'cc cpp cxx hpp cu'],
  ['None', 'rs mojo'],
  ['nothing', 'jl'],
  ['undef', 'pl pm'],
];

const NULL_BY_EXTENSION = new Map(
  NULLS_OF_CODE.flatMap(([word, extensions]) => extensions.split(' ').map((extension) => [extension, word])),
);

/** The usual word for the absence of a value in a file; null if its language has none, or if it is not known. */
export function usualNullWord(path: string): string | null {
  const language = languageOf(path);
  if (language === 'code') return NULL_BY_EXTENSION.get(extensionOf(path)) ?? null;
  return language === 'config' ? null : (NULL_WORDS[language][0] ?? null);
}

/** True and false as a file writes them, if no literal shows it. */
export function usualBoolean(value: boolean, path: string): string {
  const word = String(value);
  if (languageOf(path) === 'python') return word.charAt(0).toUpperCase() + word.slice(1);
  return extensionOf(path) === 'r' ? word.toUpperCase() : word;
}
