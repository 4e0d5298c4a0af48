/** An import in a source of Python. */
export interface PythonImport {
  /** Number of leading dots; 0: absolute. */
  dots: number;
  /** Dotted name of the module; '' for `from . import a`. */
  module: string;
  /** Names that are imported from the module, each of which may be a module, too. */
  members: string[];
}

const FROM = /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n#;]+)/gm;
const IMPORT = /^[ \t]*import[ \t]+([^\n#;]+)/gm;
const BY_NAME = /\b(?:import_module|__import__)\(\s*['"](\.*)([\w.]+)['"]/g;

/** Imports in a source of Python, in all branches. */
export function pythonImportsIn(text: string): PythonImport[] {
  const found: PythonImport[] = [];
  for (const [, dots = '', module = '', list = ''] of text.matchAll(FROM))
    found.push({ dots: dots.length, module, members: namesIn(list) });
  for (const [, list = ''] of text.matchAll(IMPORT))
    for (const module of namesIn(list)) found.push({ dots: 0, module, members: [] });
  for (const [, dots = '', module = ''] of text.matchAll(BY_NAME))
    found.push({ dots: dots.length, module, members: [] });
  return found;
}

/** Names in a list such as `a.b as c, d`. */
const namesIn = (list: string): string[] =>
  list
    .replace(/[()\\]|#.*$/gm, ' ')
    .split(',')
    .flatMap((part) => /^\s*([A-Za-z_][\w.]*)/.exec(part)?.[1] ?? []);
