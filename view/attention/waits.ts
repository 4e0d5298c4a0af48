import { oneLine } from '../../domain/text/sanitize.ts';
import { spentLimits } from '../rows/raise-budget.ts';
import type { AttentionFacts } from './facts.ts';

/** Cause of a wait for the disk of a worker's machine, which waits name or not. */
const WORKER = 'worker';

/** A wait that only a person ends. */
export interface WaitForPerson {
  rule: 'disk' | 'database' | 'wait';
  cause: string;
  fingerprint: string;
  why: string;
  commands: string[];
}

/**
 * The wait of a research that only a person ends; null if it does not wait, if its wait ends by itself, or if it waits
 * for its endpoint or its budget, which have rules of their own.
 */
export function waitForPerson(facts: AttentionFacts): WaitForPerson | null {
  const why = facts.wait?.why ?? facts.reason;
  if (facts.phase !== 'waiting' || why === null) return null;
  const shown = { why: oneLine(why), commands: commandsIn(why) };
  const disk = diskIn(why);
  if (disk !== null) {
    const cause = facts.fleetHosts.includes(disk) ? disk : WORKER;
    return { rule: 'disk', cause, fingerprint: 'full', ...shown, commands: orDefault(shown.commands, 'clean') };
  }
  if (why.startsWith('database: '))
    return {
      rule: 'database',
      cause: 'postgres',
      fingerprint: 'refuses',
      ...shown,
      commands: orDefault(shown.commands, 'doctor'),
    };
  if (facts.wait === null && (facts.endpointDown !== null || spentLimits(facts.budget).length > 0)) return null;
  // A reason that names a command names the act that ends the wait.
  if (shown.commands.length === 0) return null;
  return { rule: 'wait', cause: facts.id, fingerprint: shown.commands.join(' && '), ...shown };
}

/** The kind of a reason, without its numbers and times: equal for reasons of one uninterrupted wait. */
export const kindOfReason = (reason: string | null): string => (reason ?? '').replaceAll(/\d+/g, '#').slice(0, 60);

/** Host whose disk is full; empty if the reason names none, null if the reason is another one. */
function diskIn(why: string): string | null {
  if (why.startsWith('disk: ')) return '';
  return /(?:^|\bfor )room on the disk of (.+?): /.exec(why)?.[1] ?? null;
}

const orDefault = (commands: string[], name: string): string[] =>
  commands.length > 0 ? commands : [`npx perpetua ${name}`];

/** Commands that a reason names in brackets, as in `make room (npx perpetua clean)`. */
function commandsIn(reason: string): string[] {
  const named = [...reason.matchAll(/\((npx perpetua [^()]+)\)/g)].map(([, command = '']) => command);
  return [...new Set(named)];
}
