/** Languages whose sources are compared by their syntax. */
export const LANGUAGES = ['python', 'javascript', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

const LANGUAGE_OF_ENDING: Readonly<Record<string, Language>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
};

/** The language of a file by the ending of its path; null: its text is compared. */
export const languageOf = (path: string): Language | null =>
  LANGUAGE_OF_ENDING[/\.(\w+)$/.exec(path)?.[1] ?? ''] ?? null;
