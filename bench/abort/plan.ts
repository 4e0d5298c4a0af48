import { parseArgs, type ParseArgsConfig } from 'node:util';
import { parseAbortRule } from '../../cli/parse-abort-rule.ts';
import { type AbortChoice, ABORT_RULES, abortOf } from '../../domain/abort/table.ts';
import { FAMILIES, HARDER_FAMILIES, type Family } from './families.ts';
import { UsageError } from './usage-error.ts';

export interface Plan {
  /** A file of curves; null without one. */
  file: string | null;
  /** Draws of each family; 0 leaves the families out. */
  researches: number;
  /** Number of the first draws on which the rules other than the default are replayed, too. */
  others: number;
  families: readonly Family[];
  rules: readonly AbortChoice[];
  /** Orders of real curves; the default rule has ten times as many. */
  repeats: number;
  tracks: readonly string[];
  /** Researches on which only the halves of the first test of `matched-time` are compared; null without the option. */
  firstTest: number | null;
}

const TRACKS = ['track_1_short', 'track_2_medium', 'track_3_optimization'];

const OPTIONS = {
  researches: { type: 'string', default: '300' },
  others: { type: 'string', default: '20' },
  family: { type: 'string', multiple: true },
  rule: { type: 'string', multiple: true },
  'first-test': { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/** Reads a command line. Throws UsageError for an unknown option or a wrong value. */
export function planOf(args: string[]): Plan {
  const { values, positionals } = parsed(args);
  const [file = '-', repeats = '4', ...named] = positionals;
  const firstTest = values['first-test'];
  return {
    file: file === '-' ? null : file,
    researches: atLeast(0, '--researches', values.researches),
    others: atLeast(1, '--others', values.others),
    families: values.family?.map((name) => oneOf([...FAMILIES, ...HARDER_FAMILIES], '--family', name)) ?? [
      ...FAMILIES,
      ...HARDER_FAMILIES,
    ],
    rules: values.rule?.map(ruleOf) ?? ABORT_RULES.filter((rule) => rule !== 'none'),
    repeats: atLeast(1, 'the repeats, behind the file', repeats),
    tracks: named.length > 0 ? named : TRACKS,
    firstTest: firstTest === undefined ? null : atLeast(1, '--first-test', firstTest),
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    // The message of parseArgs names the option and the problem.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads a rule. Refuses one that stops no run, since all others are measured against it. */
function ruleOf(text: string): AbortChoice {
  try {
    const rule = parseAbortRule(text);
    if (abortOf(rule).method.stops) return rule;
  } catch (error) {
    throw new UsageError(`--rule: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new UsageError(`--rule: expected a rule that stops runs, got ${text}`);
}

function oneOf<Name extends string>(names: readonly Name[], what: string, given: string): Name {
  const name = names.find((one) => one === given);
  if (name === undefined) throw new UsageError(`${what}: expected one of ${names.join(', ')}, got ${given}`);
  return name;
}

function atLeast(least: number, what: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new UsageError(`${what}: expected a whole number from ${least} on, got ${text || 'nothing'}`);
}
