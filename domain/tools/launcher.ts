/** Tools that start a program in an environment of Python packages of their own. */
export const LAUNCHERS = [
  'uv',
  'uvx',
  'poetry',
  'pdm',
  'pixi',
  'pipenv',
  'hatch',
  'rye',
  'conda',
  'mamba',
  'micromamba',
];

/** A part of a shell line that a launcher starts, such as `uv run train.py`. */
export interface Launched {
  tool: string;
  /** The part as it stands in the line. */
  text: string;
  /** Words after `run`. */
  words: string[];
}

/** Words before a program in a shell line: assignments, and programs that run another one. */
const BEFORE = /^(?:\w+=(?:'[^']*'|"[^"]*"|\S*)\s+|(?:env|exec|time|nohup|command)\s+)*/;
const LAUNCH = new RegExp(
  String.raw`^(?:(?:python[\d.]*\s+-m\s+)?(${LAUNCHERS.filter((tool) => tool !== 'uvx').join('|')})` +
    String.raw`\s+(?:(?:--?(?:q|quiet|no-interaction|n|v|verbose))\s+)*run|(uvx)|uv\s+tool\s+run)(?:\s+|$)`,
);

/** Parts of a shell line that start a program each, without assignments. */
const partsOf = (command: string): string[] =>
  command.split(/&&|\|\||[;|\n]/).map((segment) => segment.trim().replace(BEFORE, ''));

/** Names of the programs that a shell line starts, without those that it names by their path. */
export const programsIn = (command: string): string[] =>
  partsOf(command).flatMap((part) => /^[\w.+-]+(?=\s|$)/.exec(part)?.[0] ?? []);

/** Finds the parts of a shell line that a launcher starts. */
export const findLaunched = (command: string): Launched[] =>
  partsOf(command).flatMap((text) => {
    const found = LAUNCH.exec(text);
    if (found === null) return [];
    const tool = found[1] ?? 'uvx';
    return [{ tool, text, words: wordsOf(text.slice(found[0].length)) }];
  });

/** Words of a shell line with their quotes. */
const wordsOf = (text: string): string[] => text.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g) ?? [];

/** A part of a shell line without its launcher. */
export interface Translated {
  /** The command for a shell whose PATH begins with the environment. */
  command: string;
  /** Version of Python that the command requests; null: none. */
  python: string | null;
  /** Name or path of the environment; null: that of the project. */
  environment: string | null;
}

/** Options of `uv run` that do not change the packages of a locked project. */
const UV_PLAIN = new Set([
  '--frozen',
  '--locked',
  '--no-sync',
  '-q',
  '--quiet',
  '-v',
  '--verbose',
  '--offline',
  '--exact',
]);
const UV_PLAIN_ALSO = new Set(['--no-dev', '--no-progress', '--no-config', '--active', '--compile-bytecode']);
const OTHERS_PLAIN = new Set([
  '--no-capture-output',
  '--live-stream',
  '-v',
  '--verbose',
  '-q',
  '--quiet',
  '--frozen',
  '--locked',
]);

/** Translates a launched part. Returns a reason, as a clause, if only the launcher itself can run it. */
export function translateLaunched({ tool, text, words }: Launched): Translated | string {
  if (tool === 'uvx') return `${text} downloads a tool, which a run cannot do; name the program itself`;
  const rest = [...words];
  let python: string | null = null;
  let environment: string | null = null;
  let isModule = false;
  for (let word = rest[0]; word !== undefined && word.startsWith('-') && word !== '-'; word = rest[0]) {
    rest.shift();
    const [name = '', given] = word.split('=');
    if (word === '--') break;
    if (tool === 'uv' && (name === '-p' || name === '--python')) python = given ?? rest.shift() ?? null;
    else if (tool === 'uv' && (name === '-m' || name === '--module')) {
      isModule = true;
      break;
    } else if (tool === 'uv' && (UV_PLAIN.has(name) || UV_PLAIN_ALSO.has(name))) continue;
    else if (tool !== 'uv' && ['-n', '--name', '-p', '--prefix', '-e', '--environment'].includes(name))
      environment = given ?? rest.shift() ?? null;
    else if (tool !== 'uv' && OTHERS_PLAIN.has(name)) continue;
    else return `the option ${name} of ${tool} run has no equivalent${hintOf(tool, name)}`;
  }
  const [first] = rest;
  if (first === undefined) return `${text} names no program`;
  if (first === '-' || /^https?:/.test(first)) return `${text} reads its program from elsewhere; name a file`;
  if (isModule) return { command: `python -m ${rest.join(' ')}`, python, environment };
  const isScript = tool === 'uv' && /\.pyw?['"]?$/.test(first);
  return { command: `${isScript ? 'python ' : ''}${rest.join(' ')}`, python, environment };
}

function hintOf(tool: string, option: string): string {
  if (tool !== 'uv') return '';
  if (option.startsWith('--with')) return '; add its package with `uv add`, and leave the option out';
  if (/group|extra/.test(option)) return '; move its packages to `dependencies` of pyproject.toml, and run `uv lock`';
  return '; leave it out';
}

/** True if a script declares its own packages (PEP 723), which `uv run` installs in place of the project's. */
export const hasInlineMetadata = (text: string): boolean => /^# \/\/\/ script\s*$/m.test(text);
