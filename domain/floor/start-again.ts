import { SetWindowArgs } from '../messages.ts';

/** Arguments that a run of a research was started with, of any version; `carry` is from the run before. */
export type StartArgs = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is StartArgs =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Since {
  /** The database knows the research. */
  opened: boolean;
  /** Argument of the last `setWindow` that the run accepted; undefined if there was none. */
  setWindow: unknown;
}

/**
 * The arguments that a research is started again with. Once a research was opened, budget and proposer are in the
 * database: the ones of its start would overrule newer ones. The window is only in the workflow, so it goes along.
 */
export function startAgainWith(args: unknown, { opened, setWindow }: Since): unknown {
  if (!isObject(args)) return args;
  const { carry, window: first, budget, proposer, ...kept } = args;
  const window = windowOf(setWindow) ?? (isObject(carry) ? (carry['fixedWindow'] ?? 'auto') : first);
  const unapplied = Object.entries({ budget: opened ? undefined : budget, proposer: opened ? undefined : proposer });
  return {
    ...kept,
    ...Object.fromEntries([['window', window], ...unapplied].filter(([, value]) => value !== undefined)),
  };
}

function windowOf(setWindow: unknown): 'auto' | number | undefined {
  const parsed = SetWindowArgs.safeParse(setWindow);
  return parsed.success ? parsed.data.window : undefined;
}
