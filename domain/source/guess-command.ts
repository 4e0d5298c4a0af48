import { shellWord } from '../text/shell-word.ts';

/** Names of programs that train, the likeliest first. */
const TRAINS = ['train', 'training', 'main', 'run', 'fit', 'experiment', 'solve', 'search', 'index', 'app'];
const SCORES = /^(?:evaluate|evaluation|eval|score|scorer|validate|judge)$/i;
const INTERPRETERS: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  sh: 'sh',
  bash: 'bash',
  rb: 'ruby',
  jl: 'julia',
  R: 'Rscript',
  pl: 'perl',
};
/** Scripts of a package.json that may train. */
const SCRIPTS = ['train', 'start', 'main'];
/** Names of metrics, and true if higher is better. */
const METRICS: readonly (readonly [string, boolean])[] = [
  ...['val_loss', 'test_loss', 'loss', 'perplexity', 'ppl', 'rmse', 'mse', 'mae', 'wer', 'bpc', 'error', 'cost'].map(
    (name) => [name, false] as const,
  ),
  ...['accuracy', 'acc', 'auc', 'f1', 'r2', 'bleu', 'reward', 'return', 'score'].map((name) => [name, true] as const),
];

/** Files at the top of a program's folder: name to text; an empty text for a file that was not read. */
type TopFiles = Readonly<Record<string, string>>;

/** True for a file whose text {@link guessCommand} reads. */
export const isRead = (name: string): boolean => name === 'package.json' || commandOf(name) !== null;

/**
 * The command that makes a task of a program, as far as its files tell it: its run, its evaluation and its metric.
 * Words in capital letters are left for a person to fill in.
 */
export function guessCommand(folder: string, files: TopFiles): string {
  const names = Object.keys(files).sort();
  const trains = names.filter((name) => commandOf(name) !== null && rankOf(name) >= 0);
  const scores = names.find((name) => commandOf(name) !== null && SCORES.test(stemOf(name)));
  const programs = names.filter((name) => commandOf(name) !== null && name !== scores);
  const [first] = trains.toSorted((a, b) => rankOf(a) - rankOf(b));
  const program = first ?? (programs.length === 1 ? programs[0] : undefined);
  const run =
    (first === undefined ? scriptIn(files) : null) ?? (program === undefined ? 'COMMAND' : commandOf(program));
  const sources = [scores, program].map((name) => (name === undefined ? '' : (files[name] ?? '')));
  const [metric, isHigher] = sources.map(metricIn).find((found) => found !== null) ?? ['NAME', false];
  return [
    `npx perpetua start --source ${shellWord(folder)}`,
    `--run ${quoted(run ?? 'COMMAND')}`,
    ...(scores === undefined ? [] : [`--eval ${quoted(commandOf(scores) ?? '')}`]),
    `--metric ${metric} ${isHigher ? '--maximize' : '--minimize'}`,
  ].join(' ');
}

const stemOf = (name: string): string => name.replace(/\.[^.]+$/, '');
const rankOf = (name: string): number => TRAINS.indexOf(stemOf(name).toLowerCase());
const quoted = (command: string): string => `"${command.replace(/["\\$`]/g, '\\$&')}"`;

function commandOf(name: string): string | null {
  const extension = /\.([A-Za-z]+)$/.exec(name)?.[1] ?? '';
  const interpreter = Object.hasOwn(INTERPRETERS, extension) ? INTERPRETERS[extension] : undefined;
  return interpreter === undefined ? null : `${interpreter} ${shellWord(name)}`;
}

/** The command of a script in package.json that may train; null if there is none. */
function scriptIn(files: TopFiles): string | null {
  try {
    const { scripts } = JSON.parse(files['package.json'] ?? '{}') as { scripts?: Record<string, unknown> };
    const name = SCRIPTS.find((script) => typeof scripts?.[script] === 'string');
    return name === undefined ? null : String(scripts?.[name]);
  } catch {
    return null; // A package.json that does not parse names no script.
  }
}

/** The metric that a program prints, by the lines of its source that print; null if none is found. */
function metricIn(source: string): readonly [string, boolean] | null {
  const prints = source.split('\n').filter((line) => /print|echo|log|dumps?\b|stringify|write|puts/i.test(line));
  const found = METRICS.find(([name]) => prints.some((line) => new RegExp(`["'\`{ ]${name}["']?\\s*[:=]`).test(line)));
  return found ?? null;
}
